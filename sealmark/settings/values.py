"""`Settings`: the effective value of every setting, each with its origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sealmark.record.model import Setting as RecordSetting
from sealmark.settings.layers import (
    DEFAULT,
    Layer,
    Origin,
    Value,
    default_layer,
    entry_key,
    layer_of,
    merge,
    merge_all,
)
from sealmark.settings.table import Setting, by_key, row_of, split_key, table


class Settings(Mapping[str, Any]):
    """The settings of one run of one server. Immutable; `replace` gives a changed copy.

    `settings["timeouts.call_sec"]` is the typed value: lists are tuples, maps and objects are new dicts. A
    map's entry can be asked for by its own key (`settings["server.env.HOME"]`).

    Args:
        layer: a whole layer: the defaults and what lies above them, merged.
    """

    __slots__ = ("_layer",)

    def __init__(self, layer: Layer) -> None:
        self._layer = layer

    @classmethod
    def of(cls, *layers: Layer) -> Settings:
        """The built-in defaults with these layers above them, the last deciding."""
        return cls(_with_defaults(merge_all((default_layer(), *layers))))

    @classmethod
    def standard(cls) -> Settings:
        """The published standard: built-in defaults and the standard profile, and no files."""
        from sealmark.settings.profiles import shipped_layer

        return cls.of(shipped_layer("standard"))

    def __getitem__(self, key: str) -> Any:
        row = row_of(key)
        if row.is_map and key == row.key:
            return {split_key(entry)[-1]: _copied(value.value) for entry, value in self._entries(row)}
        if row.merge == "append":
            return tuple(_copied(item.value) for item in self._layer.appends.get(key, ()))
        if row.is_map and key not in self._layer.values:
            raise KeyError(f"{row.key} has no entry {split_key(key)[-1]!r}")
        return _copied(self._layer.values[key].value)

    def __iter__(self) -> Iterator[str]:
        """Keys of the table, in its order."""
        return iter(by_key())

    def __len__(self) -> int:
        return len(by_key())

    def origin(self, key: str) -> Origin:
        """Where the value came from. A list that adds up, or a map, has the origin of its last item."""
        origins = self.origins(key)
        return origins[-1] if origins else self._layer.resets.get(key, DEFAULT)

    def origins(self, key: str) -> tuple[Origin, ...]:
        """The origin of each item of a list that adds up or of a map; of any other value, its one origin."""
        row = row_of(key)
        if row.is_map and key == row.key:
            return tuple(value.origin for _, value in self._entries(row))
        if row.merge == "append":
            return tuple(item.origin for item in self._layer.appends.get(key, ()))
        return (self._layer.values[key].origin,)

    def origin_of_item(self, key: str, at: int) -> Origin:
        """Where one item of a list that replaces came from."""
        value = self._layer.values[key]
        return value.items[at] if at < len(value.items) else value.origin

    def items_with_origin(self) -> Iterator[tuple[Setting, str, Value]]:
        """(row, flat key, value) for every single value: map entries and appended items one by one."""
        for row in table():
            if row.is_map:
                for key, value in self._entries(row):
                    yield row, key, value
            elif row.merge == "append":
                for item in self._layer.appends.get(row.key, ()):
                    yield row, row.key, item
            else:
                yield row, row.key, self._layer.values[row.key]

    def entry(self, key: str, name: str) -> str:
        """The key of one entry of a map: ("server.env", "HOME") -> "server.env.HOME"."""
        return entry_key(row_of(key), name)

    def replace(self, given: Mapping[str, Any], origin: Origin | None = None) -> Settings:
        """A copy in which these settings have these values; None restores the built-in default.

        A map given as a whole replaces the map, and a list that adds up is replaced too.

        Raises:
            KeyError: a key that is no setting.
        """
        origin = origin or Origin("code")
        whole = {key: None for key, value in given.items() if value is not None and _adds_up(row_of(key), key)}
        cleared = merge(self._layer, layer_of(whole, origin))
        return Settings(_with_defaults(merge(cleared, layer_of(given, origin))))

    def to_record(self) -> tuple[RecordSetting, ...]:
        """The settings as a run record keeps them: what affects gathering or judging, and what was changed.

        Secrets and variables stay as written; a secret's literal value is replaced.
        """
        from sealmark.settings.secrets import shown

        return tuple(
            RecordSetting(key, shown(self, key), str(self.origin(key)))
            for key, row in by_key().items()
            if row.affects != "output" or self.origin(key) != DEFAULT
        )

    def _entries(self, row: Setting) -> Iterator[tuple[str, Value]]:
        prefix = row.key + "."
        for key, value in self._layer.values.items():
            if key.startswith(prefix):
                yield key, value


def load_defaults() -> Settings:
    """The built-in defaults alone."""
    return Settings.of()


def _adds_up(row: Setting, key: str) -> bool:
    return row.merge == "append" or (row.is_map and key == row.key)


def _with_defaults(layer: Layer) -> Layer:
    """The layer with the built-in default of every value that a reset took away."""
    return Layer({**default_layer().values, **layer.values}, layer.appends, layer.resets)


def _copied(value: Any) -> Any:
    """`value` with new dicts, so that a caller cannot change what another reads."""
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return tuple(_copied(item) for item in value)
    return value
