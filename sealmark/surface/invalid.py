"""Arguments that a tool's own schema rejects, a few of each kind; never any that it accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sealmark.reading.schema import problems, refuses
from sealmark.reading.walk import mapping, sequence
from sealmark.record.model import Json
from sealmark.surface.schemas import resolve

WRONG: tuple[Json, ...] = ("sealmark-wrong-type", {"sealmark": "wrong-type"}, 12345)
"""Values of which a schema with any type rejects one. A string comes first and a number last, so that a number is never
sent for a string or the other way round: servers that convert the two are common and harm nobody."""
DEPTH = 64
"""Arrays inside one another in a nested value."""
KINDS = ("missing", "wrong-type", "null", "nested")


class Invalid(NamedTuple):
    """One set of arguments that the schema rejects: its kind, the argument that is wrong, and the arguments."""

    kind: str
    argument: str
    arguments: Json


def invalid_arguments(schema: Json, valid: Mapping[str, Json] | None) -> Iterator[Invalid]:
    """Yield at most one set of arguments of each kind, in the order of KINDS.

    Args:
        schema: of the tool's input.
        valid: arguments that it accepts, to spoil one of; None when none are known.
    """
    resolved = resolve(schema, schema)
    if not isinstance(resolved, dict):
        return
    properties = [name for name in mapping(resolved.get("properties")) if isinstance(name, str)]
    required = [name for name in sequence(resolved.get("required")) if isinstance(name, str)]
    base = dict(valid or {})
    for kind, names, values in (
        ("missing", required[:1], None),
        ("wrong-type", (required or properties)[:3], WRONG),
        ("null", required[-1:], (None,)),
        ("nested", required[:1], (_nested(DEPTH),)),
    ):
        found = (Invalid(kind, name, tried) for name in names for tried in _spoilt(base, name, values))
        first = next((item for item in found if refuses(problems(schema, item.arguments))), None)
        if first is not None:
            yield first


def _spoilt(base: Mapping[str, Json], name: str, values: tuple[Json, ...] | None) -> Iterator[Json]:
    """Yield the arguments without `name`, or with each of `values` for it."""
    if values is None:
        yield {key: value for key, value in base.items() if key != name}
    for value in values or ():
        yield {**base, name: value}


def _nested(depth: int) -> Json:
    value: Json = "sealmark"
    for _ in range(depth):
        value = [value]
    return value
