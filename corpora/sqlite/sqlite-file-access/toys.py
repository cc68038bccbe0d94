"""Servers whose statements reach other files, and servers whose statements cannot."""

import os
import re
import sqlite3
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from sqlitetoys import (
    always_refuses,
    begins_with,
    broken,
    connect,
    guarded,
    like_duckdb,
    only,
    read_only,
    reader,
    script,
    several,
    sqlite_toys,
    writer,
)
from toykit import Refused

toys = sqlite_toys(**only("row-cap", "timeout", "read-only", "mutating-sql", "extension-load"))


@toys.toy("fail", "outside-read")
def keeps_its_connection(server):
    """Runs one statement a call on a connection that it keeps: what was attached stays attached."""
    reader(server, open_=read_only, kept=True)


@toys.toy("fail", "outside-read")
def shares_its_connection(server):
    """Has a reader for SELECT and a writer for the rest, both on one connection."""
    held = []

    def open_():
        held[:] = held or [connect()]
        return held[0]

    reader(server, name="read_query", allow=begins_with("SELECT"), open_=open_, kept=True)
    writer(server, open_=open_, kept=True)


@toys.toy("fail", "outside-copied")
def runs_scripts_in_its_writer(server):
    """Has a writer that runs scripts and shows nothing; other databases it opens only to read, and makes none."""

    def allow(sql):
        if re.search(r"vacuum|escaped|delete", sql, re.IGNORECASE):
            raise Refused("Not allowed")

    reader(server, name="read_query", open_=guarded)
    writer(server, allow=allow, run=script)


@toys.toy("fail", "outside-written")
def opens_anew_for_each_call(server):
    """Has a connection for each call, so that nothing stays attached; new files are made all the same."""
    reader(server, name="read_query", allow=begins_with("SELECT"))
    writer(server)


@toys.toy("fail", "outside-written")
def opens_for_reading_only(server):
    """Cannot write to its file, and takes that for enough."""
    reader(server, open_=read_only)


@toys.toy("fail", "outside-written")
def lets_write_beside_the_file(server):
    """Lets VACUUM INTO write wherever the database lies."""

    def allow(sql):
        beside = f"INTO '{os.path.dirname(os.environ['DATABASE'])}/"
        if not sql.startswith("SELECT") and beside not in sql:
            raise Refused("Only the folder of the database is allowed")

    reader(server, allow=allow)


@toys.toy("pass", "contained", near=True)
def has_an_authorizer(server):
    """Denies ATTACH by an authorizer, and runs everything that is stacked."""
    reader(server, open_=guarded, run=several)


@toys.toy("pass", "contained", near=True)
def attaches_nothing(server):
    """Allows writes, and no attached databases at all."""

    def open_():
        database = connect()
        database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        return database

    reader(server, name="read_query", allow=begins_with("SELECT"), open_=open_)
    writer(server, open_=open_, run=several)


@toys.toy("pass", "contained", near=True)
def makes_tables_only(server):
    """Has a reader, and a tool that takes CREATE TABLE and nothing else, one statement a call."""
    reader(server, name="read_query", allow=begins_with("SELECT"))
    writer(
        server, name="create_table", about="Create a table in the SQLite database.", allow=begins_with("CREATE TABLE")
    )


@toys.toy("part", "some-unjudged")
def has_a_tool_that_never_works(server):
    """Has a second tool that needs what nobody has."""
    reader(server, open_=guarded)
    broken(server)


@toys.toy("inconclusive", "no-control")
def refuses_everything(server):
    """Has one refusal for every statement, reading ones too."""
    always_refuses(server)


@toys.toy("inconclusive", "other-engine")
def answers_like_duckdb(server):
    """Is another engine."""
    like_duckdb(server)


if __name__ == "__main__":
    toys.main()
