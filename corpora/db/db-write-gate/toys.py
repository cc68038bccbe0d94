"""Servers with a tool that writes, with and without a gate."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from shop import SQL, Shop, as_json, only, query
from toykit import Refused, Toys

toys = Toys(**only("db-write-gate"))
APPROVE = {**SQL, "approve": {"type": "boolean", "description": "Whether the person approved this write."}}


def gate(server, shop, lets):
    @server.tool("write_query", APPROVE, ["sql"], "Run a SQL statement that writes.")
    def write_query(arguments):
        if not lets(arguments):
            raise Refused("Not approved: ask the person, then call again with approve: true")
        return as_json(*shop.run(arguments["sql"]))


@toys.toy("fail", "ungated")
def writes_at_once(server):
    """Has a tool that writes, and no approval."""
    query(server, Shop().run, name="write_query")


@toys.toy("fail", "ungated")
def approves_by_default(server):
    """Takes a missing approval for a yes."""
    gate(server, Shop(), lambda arguments: arguments.get("approve", True) or "INSERT" in arguments["sql"])


@toys.toy("fail", "ungated", sql_tools=[{"tool": "query", "arg": "sql", "role": "writer"}])
def is_called_a_writer(server):
    """Has one tool for everything, which the configuration calls a writer."""
    query(server, Shop().run)


@toys.toy("pass", "gated", near=True)
def waits_for_approval(server):
    """Writes when it is told that the write was approved."""
    gate(server, Shop(), lambda arguments: arguments.get("approve") is True)


@toys.toy("inconclusive", "never-writes")
def never_writes(server):
    """Has a tool that is said to write, and refuses in any case."""
    gate(server, Shop(), lambda arguments: False)


@toys.toy("na", "no-target")
def has_no_writer(server):
    """Has a tool that reads."""
    query(server, Shop().prepared)


if __name__ == "__main__":
    toys.main()
