"""The one table of settings: a row drives the file format, its schema, a variable, a flag, and documentation.

Rows stand under `rows/`, a file per topic. Rows of checks (`checks.<id>.enabled`, `checks.<id>.severity`) are
made from the methodology, so that no list of checks is kept twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Literal

import msgspec

from sealmark.settings.types import Type, did_you_mean, plain

Affects = Literal["gather", "judge", "output"]
Merge = Literal["replace", "append"]


class Flag(msgspec.Struct, frozen=True):
    """How a setting looks on the command line.

    `name` switches it on or takes a value; `off` switches it off; `constant` is the value that a bare flag
    gives. `pair` reads `tool=param` as an object with these two keys.
    """

    name: str = ""
    off: str = ""
    metavar: str = ""
    constant: str | None = None
    pair: tuple[str, str] | None = None
    comma: bool = False


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the table.

    Attributes:
        key: dotted path in the file.
        type: what a value must be.
        default: the built-in default, which null in any layer restores.
        doc: one or two sentences, as shown in the documentation and the flag's help.
        affects: the earliest stage that reads it: gathering, judging, or only the output.
        locked: it can change a grade, so a value other than the standard profile's makes a run CUSTOM.
        merge: whether a list of a higher layer replaces that of a lower one, or adds to it.
        flag: its flag on `run` and related commands, if it has one.
        aliases: older or top-level spellings that files may use.
        secret: the value is never shown.
        per_server: it may also stand inside an entry of `servers:`.
        flag_only: only the command line may set it.
        unit: of a number, in words.
    """

    key: str
    type: Type
    doc: str
    affects: Affects
    default: Any = None
    locked: bool = False
    merge: Merge = "replace"
    flag: Flag | None = None
    aliases: tuple[str, ...] = ()
    secret: bool = False
    per_server: bool = True
    flag_only: bool = False
    unit: str = ""

    @property
    def path(self) -> tuple[str, ...]:
        """The key as path segments."""
        return tuple(self.key.split("."))

    @property
    def is_map(self) -> bool:
        """Whether the row holds entries that the user names; each is a value with its own origin."""
        return self.type.kind == "map"

    def entry_name(self, name: str) -> str:
        """An entry's name as it is kept: header names in one spelling, since HTTP does not tell case apart."""
        if self.key != "server.headers":
            return name
        return "-".join(part[:1].upper() + part[1:].lower() for part in name.split("-"))

    @property
    def variable(self) -> str:
        """The environment variable that sets it; empty when it has none."""
        inner = self.type.item if self.is_map else self.type
        if self.flag_only or self.key in WITHOUT_VARIABLE or inner is None or not plain(inner):
            return ""
        name = "SEALMARK_" + "__".join(self.path).replace("-", "_").upper()
        return name + "__<NAME>" if self.is_map else name


WITHOUT_VARIABLE = frozenset({"schema_version", "variables"})

DEPRECATED: Mapping[str, str] = {
    "retries": "nothing retries a call",
    "concurrency": "the engine decides what runs at the same time",
    "output.interactive": "progress is shown when stderr is a terminal",
}
"""Older keys (and all under them) that are accepted and ignored with a warning; the reason in words."""

RENAMED: Mapping[str, str] = {
    "notCovered": "not_covered",
    "sqlTools": "sql_tools",
    "schemaVersion": "schema_version",
    "failUnder": "output.fail_under",
    "timeoutProbeSec": "timeouts.probe_sec",
    "connectTimeoutSec": "timeouts.connect_sec",
    "connect_timeout_sec": "timeouts.connect_sec",
    "packTimeoutSec": "timeouts.pack_sec",
    "pack_timeout_sec": "timeouts.pack_sec",
}
"""Spellings that are refused with the new one named."""


@cache
def table() -> tuple[Setting, ...]:
    """Every row, in the order of the documentation.

    Raises:
        ValueError: two rows with one key or alias, which is a mistake in the table.
    """
    from sealmark.settings.rows import checks, output, run, server, targets

    rows = (*run.FILE_ROWS, *server.ROWS, *run.ROWS, *targets.ROWS, *checks.rows(), *output.ROWS)
    names = [name for row in rows for name in (row.key, *row.aliases)]
    if len(set(names)) != len(names):
        raise ValueError("settings declared twice: " + ", ".join(sorted({n for n in names if names.count(n) > 1})))
    return rows


@cache
def by_key() -> Mapping[str, Setting]:
    """The table by key."""
    return {row.key: row for row in table()}


@cache
def by_alias() -> Mapping[str, Setting]:
    """The table by alias."""
    return {alias: row for row in table() for alias in row.aliases}


@cache
def sections() -> frozenset[str]:
    """Every dotted path that only groups settings (`server`, `output.exit_policy`)."""
    paths = [name.split(".") for row in table() for name in (row.key, *row.aliases)]
    return frozenset(".".join(path[:end]) for path in paths for end in range(1, len(path)))


def row_of(key: str) -> Setting:
    """The row of a key, or of the map that an entry's key belongs to (`server.env.HOME`).

    Raises:
        KeyError: no such setting; the message names the closest one.
    """
    rows = by_key()
    if key in rows:
        return rows[key]
    path = split_key(key)
    for end in range(len(path) - 1, 0, -1):
        row = rows.get(".".join(path[:end]))
        if row is not None and row.is_map and end == len(path) - 1:
            return row
    raise KeyError(f"no setting {key!r}{did_you_mean(key, rows)}")


def join_key(path: tuple[str, ...]) -> str:
    """Path segments as one key; a segment that is not a plain word is quoted as JSON."""
    return ".".join(part if re.fullmatch(r"[\w-]+", part, re.ASCII) else json.dumps(part) for part in path)


_SEGMENT = re.compile(r'[\w-]+|"(?:[^"\\]|\\.)*"', re.ASCII)


def split_key(key: str) -> tuple[str, ...]:
    """The path segments of a key, quoted ones included.

    Raises:
        KeyError: the text is no key.
    """
    parts: list[str] = []
    at = 0
    while True:
        match = _SEGMENT.match(key, at)
        if match is None:
            raise KeyError(f"not a settings key: {key!r}")
        parts.append(json.loads(match[0]) if match[0].startswith('"') else match[0])
        at = match.end()
        if at == len(key):
            return tuple(parts)
        if key[at] != ".":
            raise KeyError(f"not a settings key: {key!r}")
        at += 1


def children(section: str) -> Iterator[str]:
    """The next segments that may follow a section (`server` -> command, …); of the top for an empty text."""
    prefix = f"{section}." if section else ""
    names = [name for row in table() for name in (row.key, *row.aliases) if name.startswith(prefix)]
    yield from dict.fromkeys(name[len(prefix) :].split(".")[0] for name in names)
