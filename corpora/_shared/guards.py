"""What toys that guard SQL share: one tool, a guard that reads one plain form, and the engine behind it."""

import re

from backed import WITHOUT_CALLERS, ask
from toykit import Refused

SETTINGS = {
    "upstream.kind": "http",
    "server.env": WITHOUT_CALLERS,
    "scope.allow": ("sales.public.",),
    "scope.deny": ("sales.public.salaries",),
}
OTHERS = ("statements", "scope", "rowcap")

PLAIN = re.compile(
    r"\s*select\s+(?!.*\binto\b)[\w*,\s]+?\s+from\s+([\w.]+)(?:\s+limit\s+(\d+))?\s*;?\s*", re.IGNORECASE
)
"""One read of one table: all that the careful toys let pass."""


def only(name):
    """Settings that leave one check of the pack on."""
    return {f"checks.sql-guard-{other}.enabled": False for other in OTHERS if other != name}


def within(table):
    """Whether a table is in the scope, by whole parts."""
    parts = table.lower().split(".")
    return len(parts) == 3 and parts[:2] == ["sales", "public"] and parts[2] != "salaries"


def run_sql(server, guard):
    """A tool that sends on what `guard` gives for a statement; a guard refuses by raising."""

    @server.tool("run_sql", {"sql": {"type": "string", "description": "A SQL query"}}, ["sql"])
    def query(arguments):
        """Run a read-only SQL query."""
        return ask("/sql", {"sql": guard(arguments["sql"])})


def plain(sql):
    """The statement, if it is one read of one table in the scope."""
    found = PLAIN.fullmatch(sql)
    if not found or not within(found[1]):
        raise Refused("Only a plain SELECT on tables of sales.public is allowed")
    return sql


def refuse(sql):
    """Nothing passes."""
    raise Refused("Queries are not allowed today")
