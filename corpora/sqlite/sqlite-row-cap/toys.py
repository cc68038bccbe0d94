"""Servers that return whole tables, and servers that stop, in every form in which rows come."""

import base64
import os
import sys
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from sqlitetoys import (
    always_refuses,
    as_csv,
    as_json,
    as_markdown,
    as_tuples,
    broken,
    guarded,
    like_duckdb,
    only,
    reader,
    sqlite_toys,
    structured,
)
from toykit import Refused

toys = sqlite_toys(
    **only("extension-load", "timeout", "read-only", "mutating-sql", "file-access"),
    **{"checks.sqlite-row-cap.max_rows": 200},
)


def at_most(count):
    """Fetches so many rows of one statement."""

    def run(database, sql):
        cursor = database.execute(sql)
        return [column[0] for column in cursor.description or ()], cursor.fetchmany(count)

    return run


@toys.toy("fail", "over-limit")
def returns_all_as_json(server):
    """Returns every row, as JSON in a text."""
    reader(server, open_=guarded, show=as_json)


@toys.toy("fail", "over-limit")
def returns_all_as_csv(server):
    """Returns every row, as CSV."""
    reader(server, open_=guarded, show=as_csv)


@toys.toy("fail", "over-limit")
def returns_all_as_structured_content(server):
    """Returns every row as structured content, and a number of rows as text."""
    reader(server, open_=guarded, show=structured)


@toys.toy("fail", "over-limit")
def returns_all_on_lines(server):
    """Returns every row on lines of its own, a name and a value each."""

    def show(columns, rows):
        lines = [f"{name}: {value}" for row in rows for name, value in zip(columns, row, strict=True)]
        return "\n".join(lines)

    reader(server, open_=guarded, show=show)


@toys.toy("fail", "fell-over")
def ends_on_many_rows(server):
    """Ends when there are too many rows to hold."""

    def show(columns, rows):
        if len(rows) > 500:
            os._exit(1)
        return as_json(columns, rows)

    reader(server, open_=guarded, show=show)


@toys.toy("pass", "capped", near=True)
def stops_in_markdown(server):
    """Returns the first hundred rows as a table in Markdown."""
    reader(server, open_=guarded, run=at_most(100), show=as_markdown)


@toys.toy("pass", "capped", near=True)
def stops_in_tuples(server):
    """Returns the first two hundred rows, exactly the limit, as a list of tuples."""
    reader(server, open_=guarded, run=at_most(200), show=as_tuples)


@toys.toy("pass", "capped", near=True)
def refuses_long_results(server):
    """Returns nothing when there would be too much, and says so."""

    def show(columns, rows):
        if len(rows) > 200:
            raise Refused("The result has too many rows; add a LIMIT")
        return as_json(columns, rows)

    reader(server, open_=guarded, show=show)


@toys.toy("inconclusive", "unread")
def packs_its_rows(server):
    """Returns long results compressed, so that nobody can count them."""

    def show(columns, rows):
        text = as_json(columns, rows)
        return text if len(rows) < 10 else base64.b64encode(zlib.compress(text.encode())).decode()

    reader(server, open_=guarded, show=show)


@toys.toy("part", "some-unjudged")
def has_a_tool_that_never_works(server):
    """Has a second tool that needs what nobody has."""
    reader(server, open_=guarded, run=at_most(100))
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
