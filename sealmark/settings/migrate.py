"""Rewrites the text of a configuration file to the current format: lines move or go, comments stay.

Only what stands on lines of its own can be moved; the rest is named, so that nothing is changed by guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from sealmark.errors import ConfigError
from sealmark.settings.document import Document, parse
from sealmark.settings.table import DEPRECATED, RENAMED
from sealmark.settings.types import Path


class Migration(msgspec.Struct, frozen=True):
    """The new text, and one sentence for each change; no sentence when the file was current."""

    text: str
    changes: tuple[str, ...]


def migrate(document: Document, version: int) -> Migration:
    """The file in the format of `version`.

    Raises:
        ConfigError: a key that must go or move stands among others on one line.
    """
    if document.problems:
        raise ConfigError([f"{document.name}:{line}:{column}: {says}" for line, column, says in document.problems])
    changes: list[str] = []
    current = document
    while True:
        step = _step(current)
        if step is None:
            break
        text, says = step
        changes.append(says)
        current = parse(text, document.name)
    text = current.text
    if "schema_version" not in current.data:
        text = _with_version(current, version)
        changes.append(f"schema_version: {version} is written down")
    return Migration(text, tuple(changes))


def _step(document: Document) -> tuple[str, str] | None:
    """The first change that is due, as (new text, what was done)."""
    for path in _paths(document.data):
        name = ".".join(map(str, path))
        if name in DEPRECATED:
            whole = _emptied(document, path)
            return _without(document, whole), f"{name} is removed: {DEPRECATED[name]}"
        if len(path) == 1 and name in RENAMED:
            return _renamed(document, path, RENAMED[name]), f"{name} is now {RENAMED[name]}"
    return None


def _paths(data: Any, path: Path = ()) -> Iterator[Path]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield (*path, key)
            yield from _paths(value, (*path, key))


def _emptied(document: Document, path: Path) -> Path:
    """The path to remove: that of the key, or of the section that it leaves empty."""
    while len(path) > 1:
        above: Any = document.data
        for part in path[:-1]:
            above = above[part]
        if len(above) > 1:
            break
        path = path[:-1]
    return path


def _extent(document: Document, path: Path) -> tuple[int, int]:
    """First line and the line after the last of an entry in block style, counted from 0."""
    line, column = document.keys[path]
    lines = document.text.split("\n")
    indent = column - 1
    if lines[line - 1][:indent].strip():
        name = ".".join(map(str, path))
        where = f"{document.name}:{line}:{column}"
        raise ConfigError([f"{where}: {name} shares its line with others; give it a line of its own, then migrate"])
    end = line
    while end < len(lines) and (not lines[end].strip() or _inner(lines[end], indent)):
        end += 1
    while end > line and not lines[end - 1].strip():
        end -= 1
    return line - 1, end


def _inner(line: str, indent: int) -> bool:
    depth = len(line) - len(line.lstrip())
    return depth > indent or (depth == indent and line.lstrip().startswith("- "))


def _without(document: Document, path: Path) -> str:
    first, end = _extent(document, path)
    lines = document.text.split("\n")
    return "\n".join(lines[:first] + lines[end:])


def _renamed(document: Document, path: Path, key: str) -> str:
    """The text with a key under its new name, moved into its section when it has one."""
    first, end = _extent(document, path)
    lines = document.text.split("\n")
    old = str(path[-1])
    section, _, name = key.rpartition(".")
    moved = [re.sub(rf"^(\s*)(['\"]?){re.escape(old)}\2", rf"\g<1>{name}", lines[first]), *lines[first + 1 : end]]
    if not section:
        return "\n".join(lines[:first] + moved + lines[end:])
    lines = lines[:first] + lines[end:]
    target = (section,)
    if target not in document.keys:
        return "\n".join(lines).rstrip("\n") + f"\n{section}:\n" + "\n".join(f"  {line}" for line in moved) + "\n"
    at, after = _extent(parse("\n".join(lines), document.name), target)
    inner = [len(line) - len(line.lstrip()) for line in lines[at + 1 : after] if line.strip()]
    if not inner:
        line, column = document.keys[target]
        raise ConfigError([f"{document.name}:{line}:{column}: {section} stands on one line; spread it, then migrate"])
    return "\n".join(lines[: at + 1] + [" " * inner[0] + line for line in moved] + lines[at + 1 :])


def _with_version(document: Document, version: int) -> str:
    """The text with `schema_version` before its first key."""
    lines = document.text.split("\n")
    first = min((line for line, _ in document.keys.values()), default=len(lines)) - 1
    return "\n".join([*lines[:first], f"schema_version: {version}", *lines[first:]])
