"""A JSON Schema of arguments as a flat table of parameters, so that two of them can be compared line by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from sealmark.record.model import Json
from sealmark.surface.surface import canonical

MAX_PARAMETERS = 512
MAX_DEPTH = 12

_TEXT = ("title", "description")
_EXPLAINED = frozenset((*_TEXT, "type", "properties", "required", "items", "$ref", "$defs", "definitions", "$schema"))
_KINDS = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number"}


class Parameter(msgspec.Struct, frozen=True):
    """One parameter: `path` is `filter/name`, with `*` for the items of an array; the arguments as a whole are ``."""

    path: str
    kind: str
    required: bool
    text: str
    rest: bytes
    """Everything about it that no other field says, as canonical JSON."""


def ordered(schema: Json) -> Json:
    """The schema with `required` and lists of types sorted: their order means nothing."""
    if isinstance(schema, list):
        return [ordered(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: sorted(value, key=str) if key in ("required", "type") and isinstance(value, list) else ordered(value)
        for key, value in schema.items()
    }


def parameters(schema: Json) -> dict[str, Parameter]:
    """Every parameter of a schema by path, at most 512 of them, 12 deep; recursive references end where they began."""
    found: dict[str, Parameter] = {}
    for parameter in _walk("", schema, True, schema, ()):
        if len(found) >= MAX_PARAMETERS:
            break
        found.setdefault(parameter.path, parameter)
    return found


def _walk(path: str, node: Json, required: bool, root: Json, above: tuple[str, ...]) -> Iterator[Parameter]:
    node, above = _resolved(node, root, above)
    if not isinstance(node, dict):
        yield Parameter(path, _kind(node, root), required, "", b"")
        return
    rest = {key: value for key, value in node.items() if key not in _EXPLAINED}
    text = "\n".join(node[key] for key in _TEXT if isinstance(node.get(key), str))
    yield Parameter(path, _kind(node, root), required, text, canonical(rest))
    if path.count("/") >= MAX_DEPTH:
        return
    base = f"{path}/" if path else ""
    properties, needed = node.get("properties"), node.get("required")
    names = set(map(str, needed)) if isinstance(needed, list) else set()
    for name, child in properties.items() if isinstance(properties, dict) else ():
        yield from _walk(f"{base}{name}", child, name in names, root, above)
    if isinstance(node.get("items"), dict):
        yield from _walk(f"{base}*", node["items"], False, root, above)


def _resolved(node: Json, root: Json, above: tuple[str, ...]) -> tuple[Json, tuple[str, ...]]:
    """The node that a local reference stands for; a reference to something above it stays unresolved."""
    while isinstance(node, dict) and isinstance(node.get("$ref"), str):
        reference = node["$ref"]
        if not reference.startswith("#/") or reference in above or len(above) > MAX_DEPTH:
            return {**{key: value for key, value in node.items() if key != "$ref"}, "reference": reference}, above
        target: Any = root
        for segment in reference[2:].split("/"):
            key = segment.replace("~1", "/").replace("~0", "~")
            target = target.get(key) if isinstance(target, Mapping) else None
        beside = {key: value for key, value in node.items() if key != "$ref"}
        node = {**target, **beside} if isinstance(target, dict) else beside
        above = (*above, reference)
    return node, above


def _kind(node: Json, root: Json, depth: int = 0) -> str:
    """The JSON types that a schema allows, sorted, `any` when it names none."""
    node, _ = _resolved(node, root, ())
    if not isinstance(node, dict) or depth > 4:
        return "any"
    named = node.get("type")
    if isinstance(named, str):
        return named
    if isinstance(named, list):
        return "|".join(sorted(map(str, named))) or "any"
    if "const" in node:
        return _kind_of(node["const"])
    if isinstance(node.get("enum"), list):
        return "|".join(sorted({_kind_of(value) for value in node["enum"]})) or "any"
    for key in ("anyOf", "oneOf"):
        if isinstance(node.get(key), list):
            kinds = {part for choice in node[key] for part in _kind(choice, root, depth + 1).split("|")}
            return "|".join(sorted(kinds)) or "any"
    return "object" if "properties" in node else "any"


def _kind_of(value: Json) -> str:
    return "null" if value is None else _KINDS.get(type(value), "any")
