"""Whether a schema is one, by its dialect. Nothing of the schema is executed and nothing is fetched."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from sealmark.reading.schema import DIALECTS, dialect_of
from sealmark.reading.visible import visible
from sealmark.reading.walk import walk

NODES = 5_000
"""Values that a schema may hold; a larger one is not checked."""
DEFAULT_SINCE = "2025-11-25"
"""Since this revision a schema without `$schema` is 2020-12; before, it could be taken for draft-07 as well."""


def problem(schema: dict[str, Any], version: str) -> str:
    """What is wrong with a schema in its dialect; empty when it is valid, too large, or of a dialect unknown here."""
    if sum(1 for _ in walk(schema, nodes=NODES + 1)) > NODES:
        return ""
    name = DIALECTS.get(dialect_of(schema))
    if name is None:
        return ""
    names = [name]
    if "$schema" not in schema and version < DEFAULT_SINCE:
        names.append("Draft7Validator")
    found = [_first(_metaschema(each), schema) for each in names]
    return "" if "" in found else found[0]


def _first(validator: Any, schema: dict[str, Any]) -> str:
    try:
        error = next(iter(validator.iter_errors(schema)), None)
    except RecursionError:
        return ""
    if error is None:
        return ""
    place = "/".join(str(part) for part in error.absolute_path)
    return visible(f"{place + ': ' if place else ''}{error.message[:2_000]}", newlines="escape", limit=160)


@cache
def _metaschema(name: str) -> Any:
    """A validator of schemas of one dialect."""
    import jsonschema

    dialect = getattr(jsonschema, name)
    return dialect(dialect.META_SCHEMA)


_MAPS = frozenset(("properties", "patternProperties", "$defs", "definitions", "dependentSchemas"))
_ONE = frozenset(
    ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems")
)
_MANY = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
_DEEPEST = 40


def places(schema: Any, *, reachable: bool = True, depth: int = 0) -> Iterator[tuple[bool, dict[str, Any]]]:
    """Every schema inside a schema, and whether it is reached from the root by `properties` alone."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return
    yield reachable, schema
    for key, value in schema.items():
        below: list[Any] = []
        if key in _MAPS and isinstance(value, dict):
            below = list(value.values())
        elif key in _ONE:
            below = [value]
        elif key in _MANY and isinstance(value, list):
            below = value
        for each in below:
            yield from places(each, reachable=reachable and key == "properties", depth=depth + 1)
