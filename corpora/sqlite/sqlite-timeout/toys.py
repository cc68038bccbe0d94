"""Servers that let a query run for ever, and servers that stop it."""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from sqlitetoys import always_refuses, broken, guarded, like_duckdb, only, reader, sqlite_toys
from toykit import Refused

toys = sqlite_toys(
    **only("extension-load", "row-cap", "read-only", "mutating-sql", "file-access"),
    **{"checks.sqlite-timeout.max_sec": 1.5},
)


def within(seconds):
    """A connection on which a statement is interrupted after so many seconds."""

    def open_():
        database, ends = guarded(), time.monotonic() + seconds
        database.set_progress_handler(lambda: time.monotonic() > ends, 10_000)
        return database

    return open_


@toys.toy("fail", "ran-on")
def waits_for_ever(server):
    """Computes for as long as it takes, and answers nobody meanwhile."""
    reader(server, open_=guarded)


@toys.toy("pass", "stopped", near=True)
def interrupts(server):
    """Interrupts a statement a little before the limit."""
    reader(server, open_=within(0.3))


@toys.toy("pass", "stopped", near=True)
def refuses_joins_of_whole_tables(server):
    """Asks the engine for its plan first, and refuses four scans of a whole table."""

    def allow(sql):
        database = guarded()
        database.set_authorizer(None)
        plan = str(database.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall())
        database.close()
        if plan.count("SCAN") > 3:
            raise Refused("The query would take too long")

    reader(server, allow=allow, open_=guarded)


@toys.toy("part", "some-unjudged")
def has_a_tool_that_never_works(server):
    """Has a second tool that needs what nobody has."""
    reader(server, open_=within(0.3))
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
