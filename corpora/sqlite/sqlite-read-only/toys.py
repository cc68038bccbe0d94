"""Servers that write when they are told to, and servers that only look as if they did."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from sqlitetoys import always_refuses, broken, connect, like_duckdb, only, read_only, reader, sqlite_toys, writer
from toykit import Refused

toys = sqlite_toys(**only("row-cap", "timeout", "mutating-sql", "file-access", "extension-load"))


@toys.toy("fail", "changed")
def runs_anything(server):
    """Runs whatever it is given and commits."""
    reader(server)


@toys.toy("fail", "changed")
def refuses_after_writing(server):
    """Says that writing is not allowed, after it has written."""

    def show(columns, rows):
        if not columns:
            raise Refused("Only SELECT statements are allowed")
        return str(rows)

    reader(server, show=show)


@toys.toy("pass", "unchanged", near=True)
def opens_for_reading(server):
    """Opens the file with mode=ro and lets the engine refuse."""
    reader(server, open_=read_only)


@toys.toy("pass", "unchanged", near=True)
def rolls_back(server):
    """Writes inside a transaction, says that it worked, and rolls back."""

    def run(database, sql):
        database.execute("BEGIN")
        cursor = database.execute(sql)
        found = [column[0] for column in cursor.description or ()], cursor.fetchall()
        database.execute("ROLLBACK")
        return found

    reader(server, run=run, open_=connect)


@toys.toy("pass", "unchanged", near=True)
def has_a_writer_beside(server):
    """Reads with one tool; another says by its name that it writes, and does."""
    reader(server, name="read_query", open_=read_only)
    writer(server)


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


if __name__ == "__main__":
    toys.main()
