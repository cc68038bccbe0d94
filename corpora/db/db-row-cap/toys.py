"""Servers that are asked for large tables, and show rows in several forms."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from shop import SQL, Shop, as_csv, as_json, as_markdown, as_structured, only, query
from toykit import Refused, Toys

toys = Toys(**only("db-row-cap", **{"checks.db-row-cap.max_rows": 100}))
MOST = 100


@toys.toy("fail", "over-cap")
def returns_everything(server):
    """Returns all rows as JSON text."""
    query(server, Shop().prepared)


@toys.toy("fail", "over-cap")
def returns_everything_as_csv(server):
    """Returns all rows as CSV."""
    query(server, Shop().prepared, as_csv)


@toys.toy("fail", "over-cap")
def returns_everything_as_a_table(server):
    """Returns all rows as a Markdown table."""
    query(server, Shop().prepared, as_markdown)


@toys.toy("fail", "over-cap")
def returns_everything_in_structured_content(server):
    """Returns all rows as structured content."""
    query(server, Shop().prepared, as_structured)


@toys.toy("fail", "over-cap")
def adds_a_limit_where_it_finds_none(server):
    """Adds LIMIT to statements that do not hold the word."""
    shop = Shop()

    def run(text):
        return shop.prepared(text if "LIMIT" in text else f"{text} LIMIT {MOST}")

    query(server, run)


@toys.toy("pass", "capped", near=True)
def fetches_no_more(server):
    """Fetches a hundred rows from the cursor and says that there were more."""
    shop = Shop()

    def show(columns, rows):
        return as_json(columns, rows[:MOST]) + f"\nShowing the first {MOST} of {len(rows)} rows"

    query(server, shop.prepared, show)


@toys.toy("pass", "capped", near=True)
def wraps_the_statement(server):
    """Wraps each statement in one with a LIMIT; a comment at its end makes that an error."""
    shop = Shop()
    query(server, lambda text: shop.prepared(f"SELECT * FROM ({text}) q LIMIT {MOST}"), as_csv)


@toys.toy("pass", "capped", near=True)
def says_how_many_there_were(server):
    """Shows a hundred rows of a table and the number of all."""
    shop = Shop()
    query(server, shop.prepared, lambda columns, rows: f"{len(rows)} rows\n\n" + as_markdown(columns, rows[:MOST]))


@toys.toy("inconclusive", "uncounted")
def shows_rows_in_its_own_way(server):
    """Shows the first column of every row, as words in a long line."""
    shop = Shop()

    def show(columns, rows):
        first = " ".join(f"<{row[0]}>" for row in rows)
        return first * 8 if len(rows) > 1 else f"{first} {rows[0][1]}"

    query(server, shop.prepared, show)


@toys.toy("part", "some-unjudged")
def has_a_tool_that_needs_a_licence(server):
    """Bounds one tool; another wants a licence that nobody has."""
    shop = Shop()
    query(server, shop.prepared, lambda columns, rows: as_json(columns, rows[:MOST]))

    @server.tool("run_sql", SQL, ["sql"], "Run a SQL query.")
    def run_sql(arguments):
        raise Refused("No licence")


@toys.toy("inconclusive", "no-control")
def counts_and_shows_nothing(server):
    """Says how many rows there are and shows none."""
    shop = Shop()
    query(server, shop.prepared, lambda columns, rows: re.sub("^1 rows$", "1 row", f"{len(rows)} rows"))


if __name__ == "__main__":
    toys.main()
