"""Servers that look for tables outside the scope: after the first FROM, everywhere, or nowhere."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from guards import SETTINGS, only, plain, refuse, run_sql, within
from toykit import Refused, Toys

toys = Toys(**SETTINGS, **only("scope"))


@toys.toy("fail", "forwarded")
def looks_after_the_first_from(server):
    """Compares the first table of a statement alone."""

    def guard(sql):
        found = re.search(r"\bfrom\s+([\w.]+)", sql, re.IGNORECASE)
        if found and within(found[1]):
            return sql
        raise Refused("Only tables of sales.public are allowed")

    run_sql(server, guard)


@toys.toy("fail", "forwarded")
def forgets_what_is_denied(server):
    """Knows one plain form and the allowed prefix, and nothing of the table that is denied."""

    def guard(sql):
        if "salaries" in sql and re.fullmatch(r"SELECT \* FROM sales\.public\.\w+", sql):
            return sql
        return plain(sql)

    run_sql(server, guard)


@toys.toy("inconclusive", "no-control")
def refuses_every_query(server):
    """Sends nothing on."""
    run_sql(server, refuse)


@toys.toy("na", "no-scope", **{"scope.allow": (), "scope.deny": ()})
def has_no_scope(server):
    """Was told of no scope."""
    run_sql(server, lambda sql: sql)


@toys.toy("pass", "stopped", near=True)
def knows_one_plain_form(server):
    """Sends on one read of one table in the scope, and refuses everything that it does not know."""
    run_sql(server, plain)


if __name__ == "__main__":
    toys.main()
