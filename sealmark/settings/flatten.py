"""What a configuration file says, as layers: the run's own, one for each entry of `servers:`, one for each profile.

Input is a plain mapping; where each value stands is asked of the caller, so that this needs no parser. Every
mistake is collected, none stops the reading.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from sealmark.settings.layers import Layer, Origin, Value, entry_key
from sealmark.settings.profiles import in_a_profile
from sealmark.settings.table import (
    DEPRECATED,
    RENAMED,
    Setting,
    by_alias,
    by_key,
    children,
    join_key,
    sections,
)
from sealmark.settings.types import Path, Problem, Reader, did_you_mean, name_of


class Source(msgspec.Struct, frozen=True):
    """One parsed file.

    Attributes:
        data: its top mapping.
        where: path in it (and whether the key or the value is meant) -> origin.
        written: path of a scalar -> its text in the file.
        plugins: whether some layer names plugins, so that `checks:` may hold ids that the table does not know.
    """

    data: Mapping[str, Any]
    where: Callable[[Path, bool], Origin]
    written: Callable[[Path], str | None]
    plugins: bool = False


class Flattened(msgspec.Struct, frozen=True):
    """What a file says.

    Attributes:
        layer: the settings at the top.
        servers: name -> the settings of that entry alone, over the top ones.
        profiles: name -> (the profile it extends, its settings, its sentence).
        problems: mistakes.
        notes: what the user should know.
    """

    layer: Layer
    servers: Mapping[str, Layer] = {}
    profiles: Mapping[str, tuple[str, Layer, str]] = {}
    problems: tuple[Problem, ...] = ()
    notes: tuple[Problem, ...] = ()


def flatten(source: Source) -> Flattened:
    """Read a whole file."""
    reader = Reader(source.written)
    top = _Builder(reader, source.where, plugins=source.plugins)
    servers: dict[str, Layer] = {}
    profiles: dict[str, tuple[str, Layer, str]] = {}
    for name, value in source.data.items():
        if name == "servers":
            for entry, body in _entries(reader, name, value, "one server"):
                builder = _Builder(reader, source.where, allowed=_in_a_server, prefix="server", plugins=source.plugins)
                builder.take_all(body, (name, entry), ())
                servers[entry] = builder.layer()
        elif name == "profiles":
            for entry, body in _entries(reader, name, value, "one profile"):
                builder = _Builder(reader, source.where, allowed=in_a_profile, profile=entry, plugins=source.plugins)
                extends, says = (str(body.get(key) or "") for key in ("extends", "doc"))
                own = {key: item for key, item in body.items() if key not in ("extends", "doc")}
                builder.take_all(own, (name, entry), ())
                profiles[entry] = (extends or "standard", builder.layer(), says)
        else:
            top.take((name,), value, (name,))
    return Flattened(top.layer(), servers, profiles, tuple(reader.problems), tuple(reader.notes))


def _entries(reader: Reader, name: str, value: Any, each: str) -> list[tuple[str, Mapping[str, Any]]]:
    """The named mappings under `servers:` or `profiles:`."""
    if value is None:
        return []
    if not isinstance(value, Mapping):
        reader.wrong((name,), f"{name} must be a mapping: a name, and under it {each}")
        return []
    found = []
    for entry, body in value.items():
        if isinstance(body, Mapping):
            found.append((str(entry), body))
        else:
            reader.wrong((name, entry), f"{name_of((name, entry))} must be a mapping that describes {each}")
    return found


def _in_a_server(row: Setting) -> bool:
    return row.per_server


class _Builder:
    """Collects one layer. `prefix` is tried first for each key (`command` in an entry is `server.command`)."""

    def __init__(
        self,
        reader: Reader,
        where: Callable[[Path, bool], Origin],
        *,
        allowed: Callable[[Setting], bool] = lambda row: True,
        prefix: str = "",
        profile: str = "",
        plugins: bool = False,
    ) -> None:
        self._reader = reader
        self._plugins = plugins
        self._where = where
        self._allowed = allowed
        self._prefix = prefix
        self._profile = profile
        self._values: dict[str, Value] = {}
        self._appends: dict[str, tuple[Value, ...]] = {}
        self._resets: dict[str, Origin] = {}
        self._given: dict[str, Path] = {}

    def layer(self) -> Layer:
        """What was collected."""
        return Layer(self._values, self._appends, self._resets)

    def take_all(self, mapping: Mapping[str, Any], path: Path, key: tuple[str, ...]) -> None:
        """Take every key of a mapping that stands at `path` in the file and at `key` in the table."""
        for name, value in mapping.items():
            self.take((*key, str(name)), value, (*path, str(name)))

    def take(self, key: tuple[str, ...], value: Any, path: Path) -> None:
        """Take one key of the file."""
        name = self._full(key)
        old = next((old for old in DEPRECATED if name == old or name.startswith(old + ".")), None)
        if old is not None:
            self._reader.notes.append(
                Problem(path, f"{name} is ignored: {DEPRECATED[old]}. `sealmark config migrate` removes it", True)
            )
            return
        row = by_key().get(name) or by_alias().get(name)
        if row is not None and not (isinstance(value, Mapping) and name in sections()):
            self._set(row, value, path)
        elif name not in sections() and self._of_a_plugin(key, value):
            self._set_plugin_check(key[1], value, path)
        elif name not in sections():
            self._unknown(key, path)
        elif value is None:
            self._resets[name] = self._origin(path)
        elif isinstance(value, Mapping):
            self.take_all(value, path, key)
        else:
            inner = ", ".join(list(children(name))[:8])
            self._reader.wrong(path, f"{name_of(path)} groups settings; write it as a mapping with {inner}, …")

    def _full(self, key: tuple[str, ...]) -> str:
        """The dotted key in the table; a segment with a dot in it is no key of the table."""
        if any("." in part for part in key):
            return join_key(key)
        name = ".".join(key)
        inner = f"{self._prefix}.{name}"
        return inner if self._prefix and (inner in by_key() or inner in sections()) else name

    def _unknown(self, key: tuple[str, ...], path: Path) -> None:
        name = key[-1]
        within = ".".join(key[:-1])
        if "." in name and name in by_key():
            nested = ": {".join(name.split("."))
            says = f"; write it nested: {nested}: …" + "}" * name.count(".")
        elif name in RENAMED:
            says = f"; did you mean {RENAMED[name]!r}?"
        else:
            siblings = self._siblings(within)
            says = did_you_mean(name, siblings) or _elsewhere(name)
            says = says or f"; known here: {', '.join(siblings[:12])}{', …' if len(siblings) > 12 else ''}"
        place = f" in {name_of(path[:-1])}" if len(path) > 1 else ""
        self._reader.wrong(path, f"unknown key {name!r}{place}{says}", at_key=True)

    def _siblings(self, within: str) -> list[str]:
        known = list(children(self._full(tuple(within.split("."))) if within else ""))
        if self._prefix and not within:
            known += children(self._prefix)
        return known + (["servers", "profiles"] if not within and not self._prefix and not self._profile else [])

    def _set(self, row: Setting, value: Any, path: Path) -> None:
        if row.flag_only:
            flag = row.flag.name if row.flag else ""
            self._reader.wrong(path, f"{row.key} can only be given on the command line: {flag}", at_key=True)
            return
        if not self._allowed(row):
            what = f"the profile {self._profile!r}" if self._profile else "an entry of servers"
            self._reader.wrong(path, f"{row.key} cannot be set in {what}; set it at the top of the file", at_key=True)
            return
        if row.key in self._given:
            first = self._where(self._given[row.key], True).position
            self._reader.wrong(path, f"{name_of(path)} sets {row.key} again (first at {first}); keep one", at_key=True)
            return
        self._given[row.key] = path
        self._reader.hide = row.secret
        if value is None:
            self._resets[row.key] = self._origin(path)
        elif row.is_map:
            self._set_entries(row, value, path)
        else:
            read = self._reader.read(row.type, value, path)
            if read is not None and row.merge == "append":
                items = tuple(Value(item, self._origin((*path, at))) for at, item in enumerate(read))
                self._appends[row.key] = tuple({repr(item.value): item for item in reversed(items)}.values())[::-1]
            elif read is not None:
                count = len(read) if isinstance(read, tuple) and isinstance(value, list) else 0
                places = tuple(self._origin((*path, at)) for at in range(count))
                self._values[row.key] = Value(read, self._origin(path), places)
        self._reader.hide = False

    def _of_a_plugin(self, key: tuple[str, ...], value: Any) -> bool:
        return self._plugins and key[0] == "checks" and len(key) == 2 and isinstance(value, Mapping)

    def _set_plugin_check(self, check: str, value: Mapping[str, Any], path: Path) -> None:
        """Settings of a check that a plugin may define; whether one does is known once it is loaded."""
        row = by_key()["plugin_checks"]
        self._set_entries(row, {f"{check}.{name}": item for name, item in value.items()}, path, within=f"{check}.")

    def _set_entries(self, row: Setting, value: Any, path: Path, within: str = "") -> None:
        if not isinstance(value, Mapping):
            self._reader.read(row.type, value, path)
            return
        assert row.type.item is not None
        for name, item in value.items():
            here = (*path, str(name).removeprefix(within))
            self._reader.key(row.type, str(name), here)
            key = entry_key(row, row.entry_name(str(name)))
            if key in self._values or key in self._resets:
                self._reader.wrong(here, f"{name_of(here)} is set twice (names are the same in any case)", at_key=True)
            elif item is None:
                self._resets[key] = self._origin(here)
            else:
                read = self._reader.read(row.type.item, item, here)
                if read is not None:
                    self._values[key] = Value(read, self._origin(here))

    def _origin(self, path: Path) -> Origin:
        origin = self._where(path, False)
        if not self._profile:
            return origin
        return Origin("profile", origin.where, origin.line, origin.column, self._profile)


def _elsewhere(name: str) -> str:
    """A hint for a key that exists, but in a section."""
    found = [key for key in by_key() if key.rpartition(".")[2] == name and "." in key and not key.startswith("checks.")]
    return f"; did you mean {found[0]!r}?" if found else ""
