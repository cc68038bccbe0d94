"""Settings as a configuration file again: what `sealmark config show` prints loads as the same settings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sealmark.record.model import Integrity
from sealmark.settings.layers import DEFAULT, Origin
from sealmark.settings.secrets import shown
from sealmark.settings.table import Setting, by_key, table
from sealmark.settings.values import Settings

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_MEANS_SOMETHING = re.compile(r"(?i)y|n|yes|no|on|off|true|false|null|none")


def first_line(integrity: Integrity) -> str:
    """Whether a run would be STANDARD, as a YAML comment."""
    if integrity.standard:
        return "# STANDARD: every setting that affects a grade is the standard profile's"
    keys = ", ".join(difference.key for difference in integrity.differences)
    count = len(integrity.differences)
    settings = "1 setting differs" if count == 1 else f"{count} settings differ"
    return f"# CUSTOM: {settings} from the standard profile: {keys}"


def as_yaml(
    base: Settings, servers: Mapping[str, Settings], profiles: Mapping[str, Any], *, origins: bool = False
) -> str:
    """Settings as YAML that loads again; with `origins`, a comment after each value says where it came from.

    Args:
        base: the settings at the top.
        servers: name -> settings of each entry of `servers:`; empty when there is one server.
        profiles: the profiles that the user defined, as written.
        origins: whether to add the comments.
    """
    tree: dict[str, Any] = {}
    for row in table():
        if row.flag_only or (servers and row.path[0] == "server"):
            continue
        _put(tree, row.path, _leaf(base, row))
    if servers:
        tree["servers"] = {name: _entry(base, settings) for name, settings in servers.items()}
    if profiles:
        tree["profiles"] = profiles
    lines = list(_lines(tree, "", origins))
    given = [row for row in table() if row.flag_only and base[row.key]]
    lines += [f"# {row.key}: {scalar(base[row.key])}  ({base.origin(row.key)})" for row in given]
    return "\n".join(lines) + "\n"


def as_json(settings: Settings) -> dict[str, Any]:
    """Every setting as nested JSON, and the origin of every single value by its key."""
    tree: dict[str, Any] = {}
    for row in table():
        _put(tree, row.path, shown(settings, row.key))
    origins: dict[str, Any] = {}
    for row, key, value in settings.items_with_origin():
        if row.merge == "append":
            origins.setdefault(key, []).append(str(value.origin))
        else:
            origins[key] = str(value.origin)
    return {"settings": tree, "origins": origins}


class _Leaf:
    """A value to print and where it came from."""

    def __init__(self, value: Any, origins: tuple[Origin, ...]) -> None:
        self.value = value
        self.origins = origins


def _leaf(settings: Settings, row: Setting) -> Any:
    value = shown(settings, row.key)
    if row.is_map and value:
        keys = {name: settings.entry(row.key, name) for name in value}
        return {name: _Leaf(item, (settings.origin(keys[name]),)) for name, item in value.items()}
    return _Leaf(value, settings.origins(row.key) or (DEFAULT,))


def _entry(base: Settings, settings: Settings) -> dict[str, Any]:
    """What one entry of `servers:` sets beyond the top of the file."""
    tree: dict[str, Any] = {}
    for row in by_key().values():
        if not row.per_server or row.flag_only:
            continue
        if settings[row.key] != base[row.key] or settings.origins(row.key) != base.origins(row.key):
            path = row.path[1:] if row.path[0] == "server" else row.path
            _put(tree, path, _leaf(settings, row))
    return tree


def _put(tree: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for part in path[:-1]:
        tree = tree.setdefault(part, {})
    tree[path[-1]] = value


def _lines(tree: Mapping[str, Any], indent: str, origins: bool) -> Iterator[str]:
    for name, value in tree.items():
        if isinstance(value, Mapping) and value:
            yield f"{indent}{scalar(name)}:"
            yield from _lines(value, indent + "  ", origins)
        elif isinstance(value, _Leaf):
            comment = f"  # {'; '.join(dict.fromkeys(map(str, value.origins)))}" if origins else ""
            yield f"{indent}{scalar(name)}: {flow(value.value)}{comment}"
        else:
            yield f"{indent}{scalar(name)}: {flow(value)}"


def flow(value: Any) -> str:
    """A value as YAML on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{scalar(str(key))}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    return scalar(value)


def scalar(value: Any) -> str:
    """A scalar as YAML; text that could be read as something else is quoted, and nothing invisible is printed raw."""
    if value is None:
        return "null"
    if not isinstance(value, str):
        return json.dumps(value)
    if _PLAIN.fullmatch(value) and not _MEANS_SOMETHING.fullmatch(value):
        return value
    return '"' + "".join(_escaped(character) for character in value) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    return character if character.isprintable() else f"\\U{ord(character):08X}"
