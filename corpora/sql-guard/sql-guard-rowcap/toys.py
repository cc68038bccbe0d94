"""Servers that bound the rows of a read: not at all, where no bound is written, or always."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from backed import ask
from guards import PLAIN, SETTINGS, only, plain, refuse, run_sql
from toykit import Refused, Toys

toys = Toys(**SETTINGS, **only("rowcap"))
CAP = 10_000


@toys.toy("fail", "unbounded")
def sends_reads_as_they_are(server):
    """Adds no bound."""
    run_sql(server, lambda sql: sql)


@toys.toy("fail", "unbounded")
def takes_any_limit_for_its_own(server):
    """Adds a bound where the word LIMIT does not occur."""
    run_sql(server, lambda sql: sql if "LIMIT 1)" in sql else f"SELECT * FROM ({sql}) capped LIMIT {CAP}")


@toys.toy("fail", "over-cap")
def leaves_a_high_bound(server):
    """Adds a bound where there is none at the end, and leaves one that is too high."""

    def guard(sql):
        return sql if PLAIN.fullmatch(sql) and "LIMIT" in sql else f"SELECT * FROM ({sql}) capped LIMIT {CAP}"

    run_sql(server, guard)


@toys.toy("inconclusive", "no-control")
def refuses_every_query(server):
    """Sends nothing on."""
    run_sql(server, refuse)


@toys.toy("pass", "capped", near=True)
def wraps_every_read(server):
    """Puts a read of its own with a bound around each."""
    run_sql(server, lambda sql: f"SELECT * FROM ({sql.rstrip('; ')}) capped LIMIT {CAP}")


@toys.toy("pass", "capped", near=True)
def tells_the_engine_beside(server):
    """Sends the bound beside the statement."""

    @server.tool("run_sql", {"sql": {"type": "string", "description": "A SQL query"}}, ["sql"])
    def query(arguments):
        """Run a read-only SQL query."""
        return ask("/sql", {"sql": arguments["sql"], "maxRows": CAP})


@toys.toy("pass", "capped", near=True)
def refuses_a_high_bound(server):
    """Sends on bounded reads of one plain form, and refuses all others."""

    def guard(sql):
        found = PLAIN.fullmatch(plain(sql))
        if not found[2] or int(found[2]) > CAP:
            raise Refused(f"Write LIMIT {CAP} or less; more is not allowed")
        return sql

    run_sql(server, guard)


if __name__ == "__main__":
    toys.main()
