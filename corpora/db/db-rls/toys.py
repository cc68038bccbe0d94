"""Servers that serve several roles, by credentials of their own or by one connection for all."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from shop import Shop, as_csv, only, query
from toykit import Refused, Toys

toys = Toys(**only("db-rls"))
SHARED = {"server.env": {"DATABASE_URL": "{dsn:admin}", "ROLE": "{role}"}}


@toys.toy("fail", "foreign-row", **SHARED)
def connects_as_admin(server):
    """Uses one connection for everybody."""
    query(server, Shop().prepared)


@toys.toy("fail", "foreign-row", **SHARED)
def filters_when_it_is_told_to(server):
    """Adds the caller to a condition on the owner, where it finds one, and wherever that stands."""
    shop, role = Shop(), os.environ["ROLE"]

    def run(text):
        if "owner" not in text:
            raise Refused("Ask for the rows of an owner")
        return shop.prepared(text.replace("FROM orders WHERE ", f"FROM orders WHERE owner = '{role}' AND "))

    query(server, run)


@toys.toy("fail", "foreign-row", **{"server.env": {"DATABASE_URL": "{dsn}", "ADMIN_URL": "{dsn:admin}"}})
def keeps_a_second_connection(server):
    """Uses the caller's credentials, and admin's when those are not enough."""
    mine, all_of_it = Shop(), Shop("ADMIN_URL")

    def run(text):
        found = mine.prepared(text)
        return found if found[1] else all_of_it.prepared(text)

    query(server, run)


@toys.toy("pass", "own-only", near=True)
def connects_as_the_caller(server):
    """Connects with the credentials that it was given."""
    query(server, Shop().run)


@toys.toy("pass", "own-only", near=True, **SHARED)
def filters_every_row(server):
    """Uses one connection for everybody, and shows the caller's rows only, whatever was asked."""
    shop, role = Shop(), os.environ["ROLE"]

    def run(text):
        if text.upper().startswith(("SET", "RESET", "COMMIT")):
            raise Refused("Only SELECT is allowed")
        return shop.prepared(f"SELECT id, owner, item FROM orders WHERE owner = '{role}'")

    query(server, run, as_csv)


@toys.toy("part", "some-unjudged", **{"server.env": {"DATABASE_URL": "{dsn}", "ROLE": "{role}"}})
def works_for_analysts(server):
    """Connects as the caller, and has no licence for anybody but analysts."""
    shop = Shop()

    def run(text):
        if os.environ["ROLE"] != "analyst":
            raise Refused("No licence")
        return shop.prepared(text)

    query(server, run)


@toys.toy("inconclusive", "no-control")
def shows_no_rows(server):
    """Says how many rows there are and shows none."""
    shop = Shop()
    query(server, shop.prepared, lambda columns, rows: f"{len(rows)} rows")


if __name__ == "__main__":
    toys.main()
