"""Reading a schema: local references followed, `allOf` merged, alternatives listed, types found. All of it bounded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from sealmark.record.model import Json

MAX_HOPS = 16
"""References that are followed one after another."""
MAX_MERGED = 32
"""Parts of `allOf` that are merged into one schema."""

Schema = Mapping[str, Any]
TYPES = ("object", "array", "string", "integer", "number", "boolean", "null")
_HINTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "object",
        (
            "properties",
            "required",
            "additionalProperties",
            "patternProperties",
            "minProperties",
            "propertyNames",
        ),
    ),
    ("array", ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains")),
    ("string", ("pattern", "minLength", "maxLength", "format")),
    ("number", ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")),
)
_LOWER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_HIGHER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")


def lookup(root: Json, reference: str) -> Json:
    """Return what a local reference (`#`, `#/…`, `#anchor`) points at, or None."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    if reference == "#":
        return root
    if not reference.startswith("#/"):
        return _anchored(root, reference[1:])
    at = root
    for part in reference[2:].split("/")[:64]:
        key = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(at, dict):
            at = at.get(key)
        elif isinstance(at, list) and key.isdecimal() and int(key[:6]) < len(at):
            at = at[int(key[:6])]
        else:
            return None
    return at


def _anchored(root: Json, anchor: str) -> Json:
    for store in ("$defs", "definitions"):
        inner = root.get(store) if isinstance(root, dict) else None
        for schema in inner.values() if isinstance(inner, dict) else ():
            if isinstance(schema, dict) and anchor in (schema.get("$anchor"), schema.get("$dynamicAnchor")):
                return schema
    return None


def resolve(schema: Json, root: Json) -> dict[str, Json] | None:
    """Return a schema with its references followed and its `allOf` merged in, or None when that cannot be done.

    True and a missing schema become the empty one; False, a reference out of the document and a circle become None.
    """
    return _resolve(schema, root, [MAX_MERGED], frozenset())


def _resolve(schema: Json, root: Json, budget: list[int], seen: frozenset[str]) -> dict[str, Json] | None:
    if schema is True or schema is None:
        return {}
    if not isinstance(schema, dict):
        return None
    budget[0] -= 1
    if budget[0] < 0 or len(seen) > MAX_HOPS:
        return None
    reference = next((schema[key] for key in ("$ref", "$dynamicRef", "$recursiveRef") if key in schema), None)
    parts = schema.get("allOf") if isinstance(schema.get("allOf"), list) else []
    own = {key: value for key, value in schema.items() if key not in ("$ref", "$dynamicRef", "$recursiveRef", "allOf")}
    if reference is not None:
        if not isinstance(reference, str) or reference in seen:
            return None
        target = lookup(root, reference)
        below = None if target is None else _resolve(target, root, budget, seen | {reference})
        if below is None:
            return None
        own = merge(below, own)
    for part in parts or []:
        below = _resolve(part, root, budget, seen)
        if below is None:
            return None
        own = merge(own, below)
    return own


def merge(first: Schema, second: Schema) -> dict[str, Json]:
    """Return one schema that asks for what both ask for, as far as that is simple; later keywords win elsewhere."""
    merged = dict(first)
    for key, value in second.items():
        merged[key] = _both(key, merged[key], value) if key in merged else value
    return merged


def _both(key: str, one: Json, two: Json) -> Json:
    """Return the value of one keyword that two schemas have."""
    if one == two:
        return one
    if key == "properties" and isinstance(one, dict) and isinstance(two, dict):
        both = {name: {"allOf": [one[name], two[name]]} for name in one if name in two}
        return {**one, **two, **both}
    if key == "required" and isinstance(one, list) and isinstance(two, list):
        return [*one, *(name for name in two if name not in one)]
    if key == "type":
        common = [name for name in type_names(one) if name in type_names(two)]
        return common or two
    if key == "enum" and isinstance(one, list) and isinstance(two, list):
        return [value for value in one if value in two] or two
    if key in ("items", "additionalProperties") and isinstance(one, dict) and isinstance(two, dict):
        return {"allOf": [one, two]}
    if key in ("anyOf", "oneOf") and isinstance(one, list) and isinstance(two, list):
        return [{"allOf": [left, right]} for left in one[:8] for right in two[:8]]
    numbers = isinstance(one, int | float) and isinstance(two, int | float)
    if numbers and key in _LOWER:
        return min(one, two)
    return max(one, two) if numbers and key in _HIGHER else two


def type_names(value: Json) -> list[str]:
    """Return the names of types in a `type` keyword, one or several."""
    names = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return [name for name in names[:16] if isinstance(name, str)]


def types_of(schema: Schema) -> list[str]:
    """Return the types that a resolved schema allows, by its `type` or by the keywords it has; empty: any."""
    named = type_names(schema.get("type"))
    if named:
        return named
    return next(([name] for name, keywords in _HINTS if any(keyword in schema for keyword in keywords)), [])


def alternatives(schema: Schema) -> list[Json]:
    """Return the branches of `anyOf`, else of `oneOf`, nullable ones last; empty when the schema has neither."""
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        if isinstance(branches, list) and branches:
            return sorted(branches[:16], key=is_null)
    return []


def is_null(schema: Json) -> bool:
    """Say whether a schema accepts null and nothing else."""
    return isinstance(schema, dict) and (schema.get("type") == "null" or schema.get("const", 0) is None)


def without_alternatives(schema: Schema) -> dict[str, Json]:
    """Return a schema less the alternatives that `alternatives` listed."""
    key = "anyOf" if isinstance(schema.get("anyOf"), list) and schema.get("anyOf") else "oneOf"
    return {name: value for name, value in schema.items() if name != key}
