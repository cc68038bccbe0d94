"""Servers that note what they were asked, in a table or on stderr, or do not."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from shop import Shop, only, query
from toykit import Toys

toys = Toys(**only("db-audit-log"))
NOTE = "INSERT INTO audit_log (statement) VALUES (%s)"


@toys.toy("fail", "gaps")
def notes_what_succeeded(server):
    """Notes a statement when it has run, so that a failed one is missing."""
    shop, notes = Shop(), Shop()

    def run(text):
        found = shop.prepared(text)
        notes.connect().execute(NOTE, [text])
        return found

    query(server, run)


@toys.toy("pass", "noted", near=True)
def notes_in_a_table(server):
    """Notes every statement in the table before it runs."""
    shop, notes = Shop(), Shop()

    def run(text):
        notes.connect().execute(NOTE, [text])
        return shop.prepared(text)

    query(server, run)


@toys.toy("pass", "noted", near=True)
def notes_on_stderr(server):
    """Writes every statement to stderr before it runs."""
    shop = Shop()

    def run(text):
        print(f"query: {text}", file=sys.stderr, flush=True)
        return shop.prepared(text)

    query(server, run)


@toys.toy("inconclusive", "no-trail")
def notes_nothing(server):
    """Keeps no trail."""
    query(server, Shop().prepared)


if __name__ == "__main__":
    toys.main()
