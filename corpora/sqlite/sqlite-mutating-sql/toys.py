"""Servers that guard reading by one means each: those that have a way around, and those that have none."""

import re
import sqlite3
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from sqlitetoys import (
    always_refuses,
    as_csv,
    as_markdown,
    begins_with,
    broken,
    connect,
    guarded,
    like_duckdb,
    only,
    read_only,
    reader,
    several,
    sqlite_toys,
    structured,
)
from toykit import Refused

toys = sqlite_toys(**only("row-cap", "timeout", "read-only", "file-access", "extension-load"))


@toys.toy("fail", "changed")
def looks_at_the_first_word_and_runs_all(server):
    """Wants SELECT at the beginning, and runs what is stacked behind it."""
    reader(server, allow=begins_with("SELECT"), run=several)


@toys.toy("fail", "changed")
def takes_with_for_reading(server):
    """Takes WITH for the beginning of a question."""
    reader(server, allow=begins_with("SELECT", "WITH"))


@toys.toy("fail", "changed")
def forbids_some_words(server):
    """Has a list of forbidden words, which lacks some."""

    def allow(sql):
        if re.search(r"\b(?:insert|update|delete|drop|alter)\b", sql, re.IGNORECASE):
            raise Refused("The statement contains a forbidden word")

    reader(server, allow=allow, show=as_csv)


@toys.toy("fail", "changed")
def relies_on_a_pragma(server):
    """Sets query_only once, on a connection that it keeps."""

    def open_():
        database = connect()
        database.execute("PRAGMA query_only = ON")
        return database

    reader(server, open_=open_, kept=True)


@toys.toy("pass", "unchanged", near=True)
def looks_at_the_first_word_and_runs_one(server):
    """Wants SELECT at the beginning, and runs one statement only, so that nothing can hide behind it."""
    reader(server, allow=begins_with("SELECT"), show=as_markdown)


@toys.toy("pass", "unchanged", near=True)
def has_an_authorizer(server):
    """Lets the engine say what a statement does, and allows reading."""
    reader(server, open_=guarded, run=several, show=structured)


@toys.toy("pass", "unchanged", near=True)
def opens_for_reading_and_runs_all(server):
    """Runs every stacked statement, on a connection that cannot write; temporary tables work."""
    reader(server, open_=read_only, run=several)


@toys.toy("pass", "unchanged", near=True)
def parses(server):
    """Lets the engine compile the statement first, and asks whether it reads only."""

    def allow(sql):
        seen = []
        database = connect()
        database.set_authorizer(lambda action, *rest: seen.append(action) or sqlite3.SQLITE_OK)
        try:
            database.execute(f"EXPLAIN {sql}")
        except (sqlite3.Error, sqlite3.Warning):
            raise Refused("The statement cannot be read") from None
        finally:
            database.close()
        if set(seen) - {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION}:
            raise Refused("The statement does more than read")

    reader(server, allow=allow)


@toys.toy("pass", "unchanged", near=True)
def shows_a_row_in_its_refusal(server):
    """Shows what a row holds in the error that refuses to change it."""

    def allow(sql):
        if not sql.startswith("SELECT"):
            raise Refused("Refused: notes (4, 'added') must not be changed")

    reader(server, allow=allow)


@toys.toy("part", "some-unjudged")
def has_a_tool_that_never_works(server):
    """Has a second tool that needs what nobody has."""
    reader(server, open_=read_only)
    broken(server)


@toys.toy("inconclusive", "no-control")
def refuses_everything(server):
    """Has one refusal for every statement, reading ones too."""
    always_refuses(server)


@toys.toy("inconclusive", "other-engine")
def answers_like_duckdb(server):
    """Is another engine."""
    like_duckdb(server)


@toys.toy("inconclusive", "other-engine")
def hides_which_engine_it_is(server):
    """Reads our rows and refuses every function, so that the engine stays unnamed."""

    def allow(sql):
        if "(" in sql or not sql.startswith("SELECT"):
            raise Refused("Only plain questions are allowed")

    reader(server, allow=allow)


if __name__ == "__main__":
    toys.main()
