"""Servers whose structured results keep what their output schemas promise, or do not."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from toykit import Toys

toys = Toys(checks__protocol__enabled=False)
SAFE = {"annotations": {"readOnlyHint": True, "openWorldHint": False}}
PROMISE = {"type": "object", "properties": {"sum": {"type": "number"}}, "required": ["sum"]}
NUMBER = {"a": {"type": "number"}}


def structured(value):
    return {"content": [{"type": "text", "text": "done"}], "structuredContent": value}


@toys.toy("fail", "mismatch")
def sends_text_for_a_number(server):
    """A text where the schema says number."""
    server.tool("add", NUMBER, ["a"], outputSchema=PROMISE, **SAFE)(lambda arguments: structured({"sum": "three"}))


@toys.toy("fail", "mismatch")
def forgets_the_structure(server):
    """A text result and nothing else."""
    server.tool("total", outputSchema=PROMISE, **SAFE)(lambda arguments: "3")


@toys.toy("inconclusive", "not-checked")
def refers_elsewhere(server):
    """A schema whose meaning lies behind an address."""
    schema = {"type": "object", "properties": {"sum": {"$ref": "https://schemas.example.org/sum.json"}}}
    server.tool("total", outputSchema=schema, **SAFE)(lambda arguments: structured({"sum": 3}))


@toys.toy("inconclusive", "none-exercised")
def may_not_be_called(server):
    """Nothing says that the tool is harmless, so it is not called."""
    server.tool("add", NUMBER, ["a"], outputSchema=PROMISE)(lambda arguments: structured({"sum": 3}))


@toys.toy("na", "none-declared")
def promises_nothing(server):
    """No output schema."""
    server.tool("total", **SAFE)(lambda arguments: "3")


@toys.toy("pass", "conforms", near=True)
def says_more_than_promised(server):
    """A property beyond the schema, which the schema allows, and a tool that answers with an error."""
    server.tool("add", NUMBER, ["a"], outputSchema=PROMISE, **SAFE)(
        lambda arguments: structured({"sum": 3, "unit": "EUR"})
    )
    server.tool("fails", outputSchema=PROMISE, **SAFE)(
        lambda arguments: {"content": [{"type": "text", "text": "no data today"}], "isError": True}
    )


if __name__ == "__main__":
    toys.main()
