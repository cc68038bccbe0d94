"""Which schemas and arguments are valid, and arguments that a tool's own schema provably rejects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from sealmark.reading.schema import DIALECTS, dialect_of, problems, refuses
from sealmark.reading.visible import visible
from sealmark.reading.walk import mapping
from sealmark.record.model import Json, Tool
from sealmark.surface import schemas
from sealmark.surface.arguments import CannotFill, fill

__all__ = ["InvalidCase", "invalid_cases", "problems", "refuses", "schema_problems"]

MAX_CASES = 4
"""Cases of one kind for one tool."""
DEEP = 64
"""Arrays inside one another: harmless to refuse, costly to anything that walks them."""


class InvalidCase(msgspec.Struct, frozen=True):
    """Arguments that the tool's schema rejects: an id that is unique in the tool, and why they are invalid."""

    id: str
    arguments: dict[str, Json]
    why: str


WRONG: tuple[tuple[str, Json], ...] = (
    ("string", "sealmark"),
    ("number", 7),
    ("boolean", True),
    ("object", {"sealmark": "sealmark"}),
    ("array", ["sealmark"]),
    ("null", None),
)
"""Values of every type, in the order in which they are tried where another type is wanted."""

_ORDER: Mapping[str, tuple[str, ...]] = {
    "string": ("object", "array", "number", "boolean", "null"),  # servers that make a text of a number harm nobody
    "array": ("string", "number", "object", "boolean", "null"),
    "object": ("string", "number", "array", "boolean", "null"),
    "boolean": ("string", "object", "array", "number", "null"),
    "integer": ("string", "object", "array", "boolean", "null"),
    "number": ("string", "object", "array", "boolean", "null"),
}


def invalid_cases(tool: Tool) -> tuple[InvalidCase, ...]:
    """Return arguments that the tool's own schema rejects, each shown to be rejected by validating it.

    Kinds: `missing:NAME` (a required argument left out), `type:NAME` (a value of another type), `null:NAME` (null for
    a required argument), `deep:NAME` (arrays inside one another for it), `nested:POINTER` (a value of another type one
    level down), `enum:NAME` (a value that is not listed). Only `missing` when valid arguments cannot be filled.
    """
    schema = tool.input_schema
    if not isinstance(schema, dict):
        return ()
    filled = fill(schema)
    valid = {} if isinstance(filled, CannotFill) else filled.arguments
    spoilt = (_missing(schema, valid), _types(schema), _given(schema), _nested(schema), _enums(schema))
    found: list[InvalidCase] = []
    for cases in spoilt:
        kept = 0
        for case in cases:
            if kept >= MAX_CASES:
                break
            if refuses(problems(schema, case.arguments, limit=1)):
                found.append(case)
                kept += 1
    return tuple({case.id: case for case in found}.values())


def _properties(schema: Json, root: Json) -> dict[str, dict[str, Json]]:
    """Return the properties of an object schema, each resolved; those that cannot be are left out."""
    resolved = schemas.resolve(schema, root) or {}
    found = {name: schemas.resolve(inner, root) for name, inner in mapping(resolved.get("properties")).items()}
    return {name: inner for name, inner in found.items() if inner is not None}


def _shown(name: str) -> str:
    return visible(name, newlines="escape", limit=60)


def _required(schema: Json) -> list[str]:
    """Return the names of required arguments."""
    names = (schemas.resolve(schema, schema) or {}).get("required")
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _missing(schema: Json, valid: dict[str, Json]) -> Iterator[InvalidCase]:
    for name in _required(schema):
        rest = {key: value for key, value in valid.items() if key != name}
        yield InvalidCase(f"missing:{_shown(name)}", rest, f"the required argument {_shown(name)!r} is missing")


def _given(schema: Json) -> Iterator[InvalidCase]:
    """Yield cases with null, and with arrays inside one another, for required arguments."""
    deep: Json = "sealmark"
    for _ in range(DEEP):
        deep = [deep]
    for name in _required(schema)[: MAX_CASES // 2]:
        for kind, value, words in (("null", None, "null"), ("deep", deep, f"{DEEP} arrays inside one another")):
            arguments = _with(schema, _pointer(name), value)
            if arguments is not None:
                yield InvalidCase(f"{kind}:{_shown(name)}", arguments, f"{_shown(name)!r} is {words}")


def _with(schema: Json, pointer: str, value: Json) -> dict[str, Json] | None:
    """Return the smallest valid arguments with one place replaced by `value`, valid or not."""
    filled = fill(schema, optional=[pointer])
    if isinstance(filled, CannotFill):
        return None
    arguments = msgspec.json.decode(msgspec.json.encode(filled.arguments))
    at: Any = arguments
    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")]
    for part in parts[:-1]:
        at = at[int(part)] if isinstance(at, list) else at[part]
    at[int(parts[-1]) if isinstance(at, list) else parts[-1]] = value
    return dict(arguments)


def _wrong(schema: dict[str, Json]) -> Iterator[tuple[str, Json]]:
    """Yield (type, value) of types that a property does not name; none when it names no type."""
    types = schemas.types_of(schema) or [
        name for branch in schemas.alternatives(schema) if isinstance(branch, dict) for name in schemas.types_of(branch)
    ]
    kind = next((name for name in types if name != "null"), "")
    values = dict(WRONG)
    for name in _ORDER.get(kind, ()):
        if name not in types and not (name == "number" and "integer" in types):
            yield name, values[name]


def _types(schema: Json) -> Iterator[InvalidCase]:
    """Yield one case for each property, required ones first."""
    properties = _properties(schema, schema)
    first = [name for name in _required(schema) if name in properties]
    for name in dict.fromkeys([*first, *properties]):
        case = _retyped(schema, properties[name], _pointer(name))
        if case is not None:
            yield InvalidCase(f"type:{_shown(name)}", *case)


def _pointer(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _retyped(schema: Json, inner: dict[str, Json], pointer: str) -> tuple[dict[str, Json], str] | None:
    """Return arguments with a value of a wrong type at `pointer` that the schema rejects, and why."""
    for kind, value in _wrong(inner):
        arguments = _with(schema, pointer, value)
        if arguments is not None and refuses(problems(schema, arguments, limit=1)):
            return arguments, f"{_shown(pointer)!r} is of type {kind}, which its schema does not accept"
    return None


def _nested(schema: Json) -> Iterator[InvalidCase]:
    """Yield cases for the items of arrays and the properties of objects inside."""
    for name, inner in _properties(schema, schema).items():
        kinds = schemas.types_of(inner)
        base = _pointer(name)
        if "array" in kinds:
            items = schemas.resolve(inner.get("items"), schema)
            places = [(f"{base}/0", items)] if items else []
        else:
            places = [(f"{base}/{_pointer(key)}", below) for key, below in _properties(inner, schema).items()]
        for pointer, below in places:
            case = _retyped(schema, below, pointer) if below is not None else None
            if case is not None:
                yield InvalidCase(f"nested:{_shown(pointer)}", *case)


def _enums(schema: Json) -> Iterator[InvalidCase]:
    """Yield cases with a value that an enumeration of texts does not list."""
    for name, inner in _properties(schema, schema).items():
        values = inner.get("enum")
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            continue
        arguments = _with(schema, _pointer(name), "sealmark-not-listed")
        if arguments is not None:
            yield InvalidCase(f"enum:{_shown(name)}", arguments, f"{_shown(name)!r} has a value that is not listed")


def schema_problems(schema: Json, *, output: bool = False) -> tuple[str, ...]:
    """Return what is wrong with an input schema (or an output schema) as a schema of its dialect, bounded.

    An input schema has to be an object whose `type` is `object`. Regular expressions in it are not looked at.
    """
    if not isinstance(schema, dict):
        return ("it is not an object",)
    found: list[str] = []
    if not output and schema.get("type") != "object":
        found.append('its type is not "object"')
    dialect = dialect_of(schema)
    if dialect not in DIALECTS:
        found.append(f"its dialect {visible(dialect, newlines='escape', limit=80)!r} is unknown")
        return tuple(found)
    for line in problems(_metaschema(dialect), schema, limit=3):
        if refuses((line,)):
            found.append(line)
    return tuple(found)


def _metaschema(dialect: str) -> Json:
    """Return a schema that refers to the metaschema of a dialect, which the validator knows."""
    return {"$schema": dialect, "$ref": dialect}
