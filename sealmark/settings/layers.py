"""Layers of settings and how they merge: each value keeps the one place that it came from.

A layer is partial: some values, some items to append, some resets. Merging two layers gives a layer again,
and it does not matter in which order neighbours are merged. Keys are the flat keys of the table; an entry of
a map has a key of its own (`server.env.HOME`), so that every entry has its own origin.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Any, Literal

import msgspec

from sealmark.settings.table import Setting, join_key, row_of, table

OriginKind = Literal["default", "profile", "user", "project", "local", "variable", "flag", "code"]


class Origin(msgspec.Struct, frozen=True, order=True):
    """Where a value came from.

    Attributes:
        kind: the layer; "code" is a caller of the Python API.
        where: the file, the variable's name, the flag or the profile's name.
        line: of the file, from 1; 0 when there is no file.
        column: of that line, from 1.
        name: of a profile that a file defines.
    """

    kind: OriginKind
    where: str = ""
    line: int = 0
    column: int = 0
    name: str = ""

    @property
    def position(self) -> str:
        """`file:line:column` for a file, else the origin in words; how error messages begin."""
        return self._at if self.line else str(self)

    @property
    def _at(self) -> str:
        return f"{self.where}:{self.line}:{self.column}" if self.line else self.where

    def __str__(self) -> str:
        if self.kind == "default":
            return "default"
        at = f"{self.name} ({self._at})" if self.name else self._at
        if self.kind in ("profile", "variable", "flag"):
            return f"{self.kind} {at}"
        return at or self.kind


DEFAULT = Origin("default")


Line = tuple[Origin, str]
"""A mistake or a warning: where, and what with what to type."""


class Value(msgspec.Struct, frozen=True):
    """A value and the one place that it came from; `items` are the places of a list's items, where they are known."""

    value: Any
    origin: Origin
    items: tuple[Origin, ...] = ()


class Layer(msgspec.Struct, frozen=True):
    """What one source says.

    Attributes:
        values: flat key to value, for everything that replaces.
        appends: flat key to items, for lists that add up.
        resets: keys whose lower values, and everything below them, go back to the built-in default.
    """

    values: Mapping[str, Value] = {}
    appends: Mapping[str, tuple[Value, ...]] = {}
    resets: Mapping[str, Origin] = {}


def merge(lower: Layer, upper: Layer) -> Layer:
    """The two as one layer, `upper` deciding."""
    gone = tuple(upper.resets)
    values = {key: value for key, value in lower.values.items() if not _under(key, gone)} | dict(upper.values)
    appends = {key: items for key, items in lower.appends.items() if not _under(key, gone)}
    for key, items in upper.appends.items():
        appends[key] = _union(appends.get(key, ()), items)
    resets = {key: origin for key, origin in lower.resets.items() if not _under(key, gone)} | dict(upper.resets)
    return Layer(values, appends, resets)


def merge_all(layers: Iterable[Layer]) -> Layer:
    """All of them as one layer, the last deciding."""
    return reduce(merge, layers, Layer())


def _under(key: str, prefixes: tuple[str, ...]) -> bool:
    return any(key == prefix or key.startswith(prefix + ".") for prefix in prefixes)


def _union(lower: tuple[Value, ...], upper: tuple[Value, ...]) -> tuple[Value, ...]:
    """Items of both in order, each once; the first to name an item keeps it."""
    kept = list(lower)
    for item in upper:
        if all(item.value != other.value for other in kept):
            kept.append(item)
    return tuple(kept)


def default_layer() -> Layer:
    """The built-in defaults of every setting that replaces; maps and lists that append start empty."""
    rows = (row for row in table() if not row.is_map and row.merge == "replace")
    return Layer({row.key: Value(row.default, DEFAULT) for row in rows})


def layer_of(given: Mapping[str, Any], origin: Origin) -> Layer:
    """A layer from flat keys and values of the right types, all of one origin; None resets.

    Raises:
        KeyError: a key that is no setting.
    """
    values: dict[str, Value] = {}
    appends: dict[str, tuple[Value, ...]] = {}
    resets: dict[str, Origin] = {}
    for key, value in given.items():
        row = row_of(key)
        if value is None:
            resets[key] = origin
        elif row.is_map and key == row.key:
            values.update({entry_key(row, name): Value(item, origin) for name, item in value.items()})
        elif row.merge == "append":
            appends[key] = _union((), tuple(Value(item, origin) for item in value))
        else:
            values[key] = Value(tuple(value) if isinstance(value, list) else value, origin)
    return Layer(values, appends, resets)


def entry_key(row: Setting, name: str) -> str:
    """The flat key of an entry of a map."""
    return f"{row.key}.{join_key((name,))}"
