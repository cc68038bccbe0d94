"""Arguments that a tool's schema accepts: the smallest ones, with given values at given places, or why there are none.

Nothing optional is filled unless a value stands inside it or it is asked for. What is required and of no interest
gets a neutral value, chosen in this order: const, default, enum, examples, then one that is built from the type. The
result is validated before it is returned; a schema's regular expressions are read by our own automaton only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any

import msgspec

from sealmark.reading.schema import UNCHECKED, problems, refuses
from sealmark.reading.walk import mapping, sequence
from sealmark.record.model import Json
from sealmark.surface import schemas
from sealmark.surface.fillers import Impossible, limit_of, number, string
from sealmark.surface.pattern import Unsupported, parse
from sealmark.surface.standins import expanded, has_marks

MAX_DEPTH = 12
MAX_NODES = 512
MAX_ITEMS = 64
"""Items of one array that are filled."""


class Filled(msgspec.Struct, frozen=True):
    """Arguments that the schema accepts, and notes on what was chosen or could not be checked."""

    arguments: dict[str, Json]
    notes: tuple[str, ...] = ()


class CannotFill(msgspec.Struct, frozen=True):
    """Why there are no arguments: the place (empty: the arguments as a whole) and the reason in words."""

    pointer: str
    reason: str


class _Value(msgspec.Struct, frozen=True):
    """A value that was given."""

    value: Json


_WANTED = _Value(None)
"""Stands where an optional argument is asked for without a value."""
Tree = dict[str, Any]


def fill(
    schema: Json, values: Mapping[str, Json] | None = None, *, optional: Iterable[str] = ()
) -> Filled | CannotFill:
    """Return the smallest arguments that `schema` accepts with these values in them.

    `values` maps pointers (`path`, `files/0/path`; `~1` stands for a slash in a name) to values; arrays and objects
    on the way are made, with what they require. `optional` lists pointers of optional arguments to fill as well.
    Values may hold marks (`{sandbox}/x`): they are checked as what stands in for them, and kept as they are.
    """
    if not isinstance(schema, dict):
        return CannotFill("", "the tool has no input schema that is an object")
    tree: Tree = {}
    for pointer in optional:
        _plant(tree, pointer, _WANTED)
    for pointer, value in (values or {}).items():
        _plant(tree, pointer, _Value(value))
    try:
        builder = _Builder(schema, marked=has_marks(schema, list((values or {}).values())))
        built = builder.build({"type": "object", **schema}, tree, "", 0, 0)
    except Impossible as why:
        return CannotFill(why.pointer, why.reason)
    except RecursionError:
        return CannotFill("", "the schema is nested too deeply")
    if not isinstance(built, dict):
        return CannotFill("", "the input schema does not describe an object")
    found = builder.problems(schema, built)
    if refuses(found):
        place, _, reason = next(line for line in found if not line.startswith(UNCHECKED)).partition(": ")
        return CannotFill("" if place == "value" else place, f"the schema does not accept it: {reason}")
    unchecked = [line for line in found if line.startswith(UNCHECKED) and line != UNCHECKED + "pattern"]
    return Filled(built, (*builder.notes, *unchecked))


def _plant(tree: Tree, pointer: str, leaf: _Value) -> None:
    """Put a leaf into the tree of wanted places."""
    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")]
    for part in parts[:-1]:
        below = tree.setdefault(part, {})
        if not isinstance(below, dict):
            below = tree[part] = {}
        tree = below
    tree[parts[-1]] = leaf


class _Builder:
    """Builds one set of arguments within one budget of nodes."""

    def __init__(self, root: Json, *, marked: bool) -> None:
        self.root = root
        self.marked = marked
        self.nodes = MAX_NODES
        self.notes: dict[str, None] = {}

    def build(self, schema: Json, wanted: Tree | _Value, pointer: str, depth: int, variant: int) -> Json:
        """Return a value for one schema. `variant` asks for another one than those of smaller numbers.

        Raises:
            Impossible: there is none, or none was found within the bounds.

        """
        self.nodes -= 1
        if depth > MAX_DEPTH:
            raise Impossible(pointer, f"the schema is nested deeper than {MAX_DEPTH} levels")
        if self.nodes < 0:
            raise Impossible(pointer, f"the arguments have more than {MAX_NODES} values")
        resolved = schemas.resolve(schema, self.root)
        if resolved is None:
            reason = "nothing is accepted here" if schema is False else "a reference cannot be followed"
            raise Impossible(pointer, reason)
        if isinstance(wanted, _Value) and wanted is not _WANTED:
            return self.given(resolved, wanted.value, pointer)
        tree = {} if isinstance(wanted, _Value) else wanted
        if not tree:
            known = self.known(resolved, variant)
            if known:
                return deepcopy(known[0])
        branches = schemas.alternatives(resolved)
        if branches:
            return self.branch(resolved, branches, tree, pointer, depth, variant)
        return self.typed(resolved, tree, pointer, depth, variant)

    def given(self, schema: dict[str, Json], value: Json, pointer: str) -> Json:
        """Return a given value when the pattern that stands right here accepts it; all else is validated later."""
        source = schema.get("pattern")
        if isinstance(value, str) and isinstance(source, str):
            try:
                if not parse(source).matches(expanded(value)):
                    raise Impossible(pointer, "the value does not match the pattern that the schema asks for")
            except Unsupported:
                self.notes[f"{pointer}: the pattern was not checked"] = None
        return value

    def known(self, schema: dict[str, Json], variant: int) -> list[Json]:
        """Return a value that the schema itself names, as a list of none or one."""
        if "const" in schema:
            return [schema["const"]]
        candidates: list[Json] = []
        if "default" in schema and schema["default"] is not None:
            candidates.append(schema["default"])
        for key in ("enum", "examples"):
            values = schema.get(key)
            candidates += values[:50] if isinstance(values, list) else []
        bare = {key: value for key, value in schema.items() if key not in ("default", "examples")}
        fitting = [value for value in candidates if not refuses(self.problems(self.rooted(bare), value))]
        if "pattern" in schema:
            fitting = [value for value in fitting if self.matches(schema, value)]
        fitting = [value for value in fitting if value is not None] or fitting
        return fitting[variant : variant + 1] or (fitting[-1:] if "enum" in schema else [])

    def problems(self, schema: Json, value: Json) -> tuple[str, ...]:
        """Return what the schema has against a value, with stand-ins for the marks in both."""
        return problems(expanded(schema), expanded(value)) if self.marked else problems(schema, value)

    def matches(self, schema: dict[str, Json], value: Json) -> bool:
        try:
            self.given(schema, value, "")
        except Impossible:
            return False
        return True

    def rooted(self, schema: dict[str, Json]) -> dict[str, Json]:
        """Return a part of the schema with the definitions of the whole, so that its references hold."""
        stores = ("$defs", "definitions", "$schema")
        known = {key: self.root[key] for key in stores if isinstance(self.root, dict) and key in self.root}
        return {**known, **schema}

    def branch(
        self,
        schema: dict[str, Json],
        branches: list[Json],
        tree: Tree,
        pointer: str,
        depth: int,
        variant: int,
    ) -> Json:
        """Return a value for the first alternative that can be filled and that the whole accepts."""
        base = schemas.without_alternatives(schema)
        first: Impossible | None = None
        for one in branches:
            try:
                value = self.build({"allOf": [base, one]}, tree, pointer, depth + 1, variant)
            except Impossible as why:
                first = first or why
                continue
            if not refuses(self.problems(self.rooted(schema), value)):
                return value
        raise first or Impossible(pointer, "no alternative of the schema can be filled")

    def typed(self, schema: dict[str, Json], tree: Tree, pointer: str, depth: int, variant: int) -> Json:
        """Return a value built from the type alone."""
        types = schemas.types_of(schema)
        if tree:
            fits = "array" if all(part.isdecimal() for part in tree) and "object" not in types else "object"
            if types and fits not in types:
                raise Impossible(pointer, f"a value is wanted inside it, and it is no {fits}")
            types = [fits]
        kind = next((name for name in types if name != "null"), "null" if types else "string")
        if kind == "object":
            return self.object(schema, tree, pointer, depth)
        if kind == "array":
            return self.array(schema, tree, pointer, depth)
        if kind in ("integer", "number"):
            return number(schema, kind, pointer, variant)
        if kind == "boolean":
            return bool(variant % 2)
        if kind == "null":
            return None
        if kind != "string":
            raise Impossible(pointer, f"the type {str(kind)[:40]!r} is unknown")
        return string(schema, pointer, variant)

    def object(self, schema: dict[str, Json], tree: Tree, pointer: str, depth: int) -> dict[str, Json]:
        """Return an object with what it requires, what is wanted, and as many more as it must have."""
        declared = mapping(schema.get("properties"))
        required = [name for name in sequence(schema.get("required")) if isinstance(name, str)]
        names = dict.fromkeys([*required, *tree])
        least = min(limit_of(schema, "minProperties", 0), MAX_ITEMS)
        for name in (*declared, *(f"sealmark{index}" for index in range(2 * MAX_ITEMS))):
            if len(names) < least:
                names.setdefault(name)
        dependent = mapping(schema.get("dependentRequired"))
        for name in list(names):
            names.update(dict.fromkeys(item for item in sequence(dependent.get(name)) if isinstance(item, str)))
        base = f"{pointer}/" if pointer else ""
        built: dict[str, Json] = {}
        for name in names:
            place = base + name.replace("~", "~0").replace("/", "~1")
            inner = declared[name] if name in declared else self.undeclared(schema, name)
            built[name] = self.build(inner, tree.get(name, {}), place, depth + 1, 0)
        return built

    def undeclared(self, schema: dict[str, Json], name: str) -> Json:
        """Return the schema of a property that `properties` does not list."""
        for source, inner in list(mapping(schema.get("patternProperties")).items())[:MAX_ITEMS]:
            try:
                if parse(source).matches(name):
                    return inner
            except Unsupported:
                continue
        return schema.get("additionalProperties", True)

    def array(self, schema: dict[str, Json], tree: Tree, pointer: str, depth: int) -> list[Json]:
        """Return an array as long as it must be and as the wanted places ask for."""
        prefix, items = schema.get("prefixItems"), schema.get("items", True)
        if isinstance(items, list):  # before 2020-12 a list of items meant what prefixItems means now
            prefix, items = items, schema.get("additionalItems", True)
        first = sequence(prefix)
        wanted = max((int(part[:6]) + 1 for part in tree), default=0)
        count = max(limit_of(schema, "minItems", 0), wanted, 1 if "contains" in schema else 0)
        if count > MAX_ITEMS:
            raise Impossible(pointer, f"it must have {count} items, more than {MAX_ITEMS}")
        unique = schema.get("uniqueItems") is True
        built: list[Json] = []
        for index in range(count):
            inner = first[index] if index < len(first) else items
            if index == 0 and "contains" in schema and not first:
                inner = {"allOf": [inner, schema["contains"]]}
            place = f"{pointer}/{index}" if pointer else str(index)
            built.append(self.build(inner, tree.get(str(index), {}), place, depth + 1, index if unique else 0))
        return built
