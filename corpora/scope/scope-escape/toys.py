"""Servers that serve one group of tables: by whole parts, by the beginning of a name, by case, before decoding."""

import sys
from pathlib import Path
from urllib.parse import unquote

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from backed import WITHOUT_CALLERS, ask
from toykit import Refused, Toys

SCOPE = {
    "scope.tools": ({"tool": "describe_table", "param": "table"},),
    "scope.allow": ("sales.public.",),
    "scope.deny": ("sales.public.salaries",),
}
STUB = {"upstream.kind": "http", "server.env": WITHOUT_CALLERS}
TABLE = {"table": {"type": "string"}}
toys = Toys(**SCOPE, **STUB)


def describing(server, allowed, name="describe_table", answer=None):
    """A tool that asks the backend for what `allowed` lets pass."""

    @server.tool(name, TABLE, ["table"], annotations={"readOnlyHint": True})
    def describe(arguments):
        """The columns of a table."""
        table = arguments["table"]
        if not allowed(table):
            raise Refused("Only tables of sales.public are allowed")
        return answer(table) if answer else ask("/describe", {"table": table})


def by_parts(table):
    """Whole parts, without any quotes, escapes or empty parts, in lower case."""
    parts = table.lower().split(".")
    plain = all(part.replace("_", "a").isalnum() for part in parts)
    return plain and len(parts) == 3 and parts[:2] == ["sales", "public"] and parts[2] != "salaries"


@toys.toy("fail", "reached")
def compares_the_beginning_without_the_separator(server):
    """Allows whatever begins like the group."""
    describing(server, lambda table: table.lower().startswith("sales.public") and by_parts_or_glued(table))


def by_parts_or_glued(table):
    return by_parts(table) or (by_parts(table.lower().replace("sales.public", "sales.public.", 1)) and "%" not in table)


@toys.toy("fail", "reached")
def denies_in_one_case_alone(server):
    """Compares what is denied letter by letter, before the backend folds the case."""
    describing(
        server, lambda table: by_parts(table) or (table != "sales.public.salaries" and table == "SALES.PUBLIC.SALARIES")
    )


@toys.toy("fail", "reached")
def decodes_after_comparing(server):
    """Compares first and decodes then."""

    def allowed(table):
        return "%" in table or by_parts(table)

    describing(server, allowed, answer=lambda table: ask("/describe", {"table": unquote(table)}))


@toys.toy("fail", "served", **{"upstream.kind": None, "server.env": {}, "scope.allow": ("sales.public.orders",)})
def serves_everything(server):
    """Asks no backend, and answers for every table."""
    describing(server, lambda table: True, answer=lambda table: f"{table}: id, name")


@toys.toy("part", "not-refused")
def answers_with_nothing(server):
    """Sends nothing on and does not say why."""

    @server.tool("describe_table", TABLE, ["table"])
    def describe_table(arguments):
        """The columns of a table."""
        return ask("/describe", {"table": arguments["table"]}) if by_parts(arguments["table"]) else "[]"


@toys.toy(
    "part",
    "some-unjudged",
    **{"scope.tools": ({"tool": "describe_table", "param": "table"}, {"tool": "count_rows", "param": "table"})},
)
def has_a_tool_that_never_works(server):
    """Compares by parts; a second tool wants a licence that nobody has."""
    describing(server, by_parts)
    describing(server, lambda table: False, name="count_rows")


@toys.toy("inconclusive", "no-control")
def refuses_everything(server):
    """Allows nothing at all."""
    describing(server, lambda table: False)


@toys.toy("pass", "refused", near=True)
def compares_whole_parts(server):
    """Takes the name apart, compares whole parts in one case, and sends what it compared."""
    describing(server, by_parts)


@toys.toy("pass", "refused", near=True, **{"upstream.kind": None, "server.env": {}})
def compares_whole_parts_without_a_backend(server):
    """The same, answering by itself."""
    describing(server, by_parts, answer=lambda table: f"{table}: id, name")


@toys.toy("pass", "refused", near=True, **{"scope.case": "sensitive"})
def tells_cases_apart(server):
    """The same with a backend that tells upper from lower case."""
    describing(server, lambda table: table == table.lower() and by_parts(table))


if __name__ == "__main__":
    toys.main()
