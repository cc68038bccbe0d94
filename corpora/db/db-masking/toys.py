"""Servers that mask personal data themselves, and one that leaves it to the database."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from shop import Shop, as_json, only, query
from toykit import Refused, Toys

toys = Toys(**only("db-masking"))
SHARED = {"server.env": {"DATABASE_URL": "{dsn:admin}"}}
PERSONAL = ("email", "phone", "national_id")


@toys.toy("fail", "shown", **SHARED)
def masks_by_column_name(server):
    """Connects as admin and masks result columns that have certain names."""
    shop = Shop()

    def run(text):
        columns, rows = shop.prepared(text)
        return columns, [
            ["***" if name in PERSONAL else value for name, value in zip(columns, row, strict=True)] for row in rows
        ]

    query(server, run)


@toys.toy("fail", "shown", **SHARED)
def masks_what_looks_like_an_address(server):
    """Connects as admin and masks what has the form of an address, wherever it stands."""
    shop = Shop()
    query(server, shop.prepared, lambda *found: re.sub(r"[\w.-]+@[\w.-]+", "***", as_json(*found)))


@toys.toy("fail", "shown", **SHARED)
def repeats_values_in_errors(server):
    """Takes statements on the view and casts only; the error of a cast repeats the value."""
    shop = Shop()

    def run(text):
        if "customers_masked" not in text and "CAST" not in text:
            raise Refused("Only customers_masked may be read")
        if "UNION" in text:
            raise Refused("Only one table may be read")
        return shop.prepared(text)

    query(server, run)


@toys.toy("pass", "masked", near=True)
def leaves_it_to_the_database(server):
    """Connects as the role that it was given, and repeats the database's errors."""
    query(server, Shop().prepared)


@toys.toy("pass", "masked", near=True, **SHARED)
def reads_the_view_only(server):
    """Connects as admin, takes statements on the view only, and says nothing more when one fails."""
    shop = Shop()

    def run(text):
        if not re.fullmatch(r"SELECT [\w, ]+ FROM customers_masked( WHERE id = \d+)?", text):
            raise Refused("Only customers_masked may be read")
        return shop.prepared(text)

    query(server, run)


@toys.toy("part", "some-unjudged")
def has_a_tool_that_needs_a_licence(server):
    """Reads with one tool; another wants a licence that nobody has."""
    query(server, Shop().prepared)

    @server.tool("run_sql", {"sql": {"type": "string"}}, ["sql"], "Run a SQL query.")
    def run_sql(arguments):
        raise Refused("No licence")


@toys.toy("inconclusive", "no-control")
def knows_no_view(server):
    """Refuses every statement that names the view."""
    shop = Shop()

    def run(text):
        if "customers" in text:
            raise Refused("There is no such table")
        return shop.prepared(text)

    query(server, run)


if __name__ == "__main__":
    toys.main()
