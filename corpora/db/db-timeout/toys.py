"""Servers that are asked for a query that would run for ever."""

import sys
import threading
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from shop import SQL, Shop, only, query
from toykit import Refused, Toys

toys = Toys(**only("db-timeout", **{"checks.db-timeout.max_sec": 1.5}))
SOON = "SET statement_timeout = 300"


@toys.toy("fail", "ran-on")
def waits_for_ever(server):
    """Waits for as long as the database does."""
    query(server, Shop().prepared)


@toys.toy("fail", "ran-on")
def forbids_sleeping(server):
    """Refuses to sleep, and has no bound."""
    shop = Shop()

    def run(text):
        if "sleep" in text:
            raise Refused("pg_sleep is not allowed")
        return shop.prepared(text)

    query(server, run)


@toys.toy("part", "goes-on")
def gives_up_by_itself(server):
    """Answers after a moment and leaves the statement to the database."""

    def run(text):
        found = []
        shop = Shop()

        def work():
            with suppress(Refused):
                found.append(shop.prepared(text))

        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        worker.join(0.5)
        if not found:
            raise Refused("Timed out after 0.5 s")
        return found[0]

    query(server, run)


@toys.toy("pass", "stopped", near=True)
def sets_a_statement_timeout(server):
    """Lets the database stop what takes too long."""
    query(server, Shop(setup=SOON).prepared)


@toys.toy("pass", "stopped", near=True)
def forbids_sleeping_and_stops_the_rest(server):
    """Refuses to sleep, and lets the database stop what takes too long."""
    shop = Shop(setup=SOON)

    def run(text):
        if "sleep" in text:
            raise Refused("pg_sleep is not allowed")
        return shop.prepared(text)

    query(server, run)


@toys.toy("part", "some-unjudged")
def has_a_tool_that_needs_a_licence(server):
    """Bounds one tool; another wants a licence that nobody has."""
    query(server, Shop(setup=SOON).prepared)

    @server.tool("run_sql", SQL, ["sql"], "Run a SQL query.")
    def run_sql(arguments):
        raise Refused("No licence")


@toys.toy("inconclusive", "no-control")
def refuses_both(server):
    """Takes no function and no join."""

    def run(text):
        raise Refused("Only lookups by key are allowed")

    query(server, run)


if __name__ == "__main__":
    toys.main()
