"""The JSON Schema (draft 2020-12) of a configuration file, for editors; made from the settings table."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any

from sealmark.settings.profiles import in_a_profile, shipped
from sealmark.settings.table import DEPRECATED, Setting, table
from sealmark.settings.types import Type


def json_schema() -> dict[str, Any]:
    """The schema. It accepts what a file may hold; combinations are checked when the file is loaded."""
    top = _object("A configuration of sealmark.")
    for row in table():
        if not row.flag_only:
            _place(top, row)
    _also_bare(top)
    own = {"type": ["object", "null"], "description": "A check of a plugin; what it may hold is checked on loading."}
    top["properties"]["checks"]["additionalProperties"] = own
    for key, why in DEPRECATED.items():
        _place_schema(top, tuple(key.split(".")), {"deprecated": True, "description": f"Ignored: {why}."})
    entry = _object("One server: the keys of `server`, and any of the others that differ for it.")
    for row in table():
        if row.path[0] == "server":
            _place_schema(entry, row.path[1:], _same_as(row.path))
    _place_allowed(entry, lambda row: row.per_server and row.path[0] != "server")
    profile = _object("A profile of your own.")
    _place_allowed(profile, in_a_profile)
    profile["properties"]["extends"] = {
        "type": "string",
        "description": f"The profile that it starts from: {', '.join(shipped())}, or one of your own.",
    }
    profile["properties"]["doc"] = {"type": "string", "description": "One sentence about it."}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "sealmark.yaml",
        **top,
        "properties": {
            **top["properties"],
            "servers": _named("Several servers, by name; instead of `server`.", "#/$defs/server"),
            "profiles": _named("Profiles of your own, by name.", "#/$defs/profile"),
        },
        "not": {"required": ["server", "servers"]},
        "$defs": {"server": entry, "profile": profile},
    }


def schema_of(row: Setting) -> dict[str, Any]:
    """What a value of one setting must be, as JSON Schema."""
    return _type(row.type)


def _object(description: str) -> dict[str, Any]:
    return {
        "type": ["object", "null"],
        "description": description,
        "properties": {},
        "additionalProperties": False,
    }


def _named(description: str, of: str) -> dict[str, Any]:
    return {"type": ["object", "null"], "description": description, "additionalProperties": {"$ref": of}}


def _place(tree: dict[str, Any], row: Setting) -> None:
    _place_schema(tree, row.path, _row(row))
    for alias in row.aliases:
        if not any(other.key.startswith(alias + ".") for other in table()):
            same = {**_row(row), "description": f"The same as {row.key}."}
            _place_schema(tree, tuple(alias.split(".")), same)


def _also_bare(tree: dict[str, Any]) -> None:
    """A section whose name is also an alias of one of its settings may be given as that setting's value."""
    for row in table():
        for alias in row.aliases:
            section = tree["properties"].get(alias)
            if section is not None and section.get("type") == ["object", "null"]:
                section["type"] = [*section["type"], _type(row.type)["type"]]


def _place_allowed(tree: dict[str, Any], allowed: Callable[[Setting], bool]) -> None:
    """Refer to the settings that are allowed, by whole sections where all of a section is."""
    for section, rows in groupby((row for row in table() if not row.flag_only), key=lambda row: row.path[0]):
        every = list(rows)
        if all(map(allowed, every)):
            tree["properties"][section] = _same_as((section,))
            continue
        for row in filter(allowed, every):
            _place_schema(tree, row.path, _same_as(row.path))


def _same_as(path: tuple[str, ...]) -> dict[str, Any]:
    return {"$ref": "#" + "".join(f"/properties/{part}" for part in path)}


def _place_schema(tree: dict[str, Any], path: tuple[str, ...], schema: dict[str, Any]) -> None:
    for part in path[:-1]:
        tree = tree["properties"].setdefault(part, _object(f"Settings of {part}."))
        if "properties" not in tree:
            tree |= {key: value for key, value in _object("").items() if key != "description"}
    tree["properties"].setdefault(path[-1], schema)


def _row(row: Setting) -> dict[str, Any]:
    unit = f" In {row.unit}." if row.unit else ""
    locked = " Changing it makes a run CUSTOM." if row.locked else ""
    schema = _type(row.type) | {"description": row.doc + unit + locked}
    schema |= {} if row.default is None or row.default == () else {"default": row.default}
    return _or_null(schema)


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema, and null, which restores the default."""
    if "type" in schema and isinstance(schema["type"], str):
        kinds = {"type": [schema["type"], "null"]}
        return {**schema, **kinds, **({"enum": [*schema["enum"], None]} if "enum" in schema else {})}
    if "type" in schema:
        return {**schema, "type": [*schema["type"], "null"]}
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    return schema


def _type(type_: Type) -> dict[str, Any]:
    match type_.kind:
        case "bool":
            return {"type": "boolean"}
        case "int" | "number":
            return {"type": "integer" if type_.kind == "int" else "number", **_bounds(type_)}
        case "text":
            return _text(type_)
        case "scalar":
            return {"type": ["string", "number", "boolean"]}
        case "any":
            return {}
        case "list":
            assert type_.item is not None
            items = {"type": "array", "items": _type(type_.item), **({} if type_.empty else {"minItems": 1})}
            return {"anyOf": [items, _type(type_.item)]} if type_.single else items
        case "map":
            assert type_.item is not None
            names = {"propertyNames": {"pattern": f"^(?:{type_.keys.pattern})$"}} if type_.keys else {}
            return {"type": "object", "additionalProperties": _or_null(_type(type_.item)), **names}
        case "object":
            return {
                "type": "object",
                "properties": {field.name: _type(field.type) | {"description": field.doc} for field in type_.fields},
                "required": [field.name for field in type_.fields if field.required],
                "additionalProperties": False,
            }


def _text(type_: Type) -> dict[str, Any]:
    if type_.choices:
        folded = [word.lower() for word in type_.choices if word.lower() not in type_.choices] if type_.fold else []
        return {"type": "string", "enum": [*type_.choices, *folded]}
    if type_.pattern:
        return {"type": "string", "pattern": f"^(?:{type_.pattern})$"}
    numbers = {"type": ["string", "number", "boolean"]}
    return numbers if type_.empty else {**numbers, "minLength": 1}


def _bounds(type_: Type) -> dict[str, Any]:
    low = {} if type_.minimum is None else {"minimum": type_.minimum}
    return low if type_.maximum is None else {**low, "maximum": type_.maximum}
