"""What a SQLite database holds at one moment, and what differs between two moments."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Row = tuple[Any, ...]

PRAGMAS = ("user_version", "application_id")
"""Numbers in the head of a file that a statement can set."""

MAX_ROWS = 50_000
"""Rows of one table that are compared; of a longer one those that come first."""

MAX_CHANGES = 40
"""Changes that one look tells."""

SHOWN = 3
"""Rows of a table that a change shows, each way."""

MAX_TEXT = 120
"""Characters of a value that are shown."""


@dataclass(frozen=True)
class Picture:
    """Rows by table, (kind, SQL) by name of what the schema holds, numbers by pragma; or why it cannot be read."""

    tables: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)
    schema: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    pragmas: Mapping[str, int] = field(default_factory=dict)
    problem: str = ""


def take(path: Path) -> Picture:
    """The picture of a database that nobody else has open."""
    try:
        with closing(sqlite3.connect(path, timeout=0)) as database:
            database.text_factory = lambda raw: raw.decode("utf-8", "backslashreplace")
            database.execute("pragma trusted_schema = off")
            database.execute("pragma cell_size_check = on")
            found = database.execute("select type, name, sql from sqlite_master where name not like 'sqlite_%'")
            schema = {str(name): (str(kind), str(sql or "")) for kind, name, sql in found}
            tables = {name: _rows(database, name) for name, (kind, _) in schema.items() if kind == "table"}
            pragmas = {name: int(database.execute(f"pragma {name}").fetchone()[0]) for name in PRAGMAS}
            return Picture(tables, schema, pragmas)
    except (sqlite3.Error, ValueError):
        return Picture(problem="unreadable")


def _rows(database: sqlite3.Connection, table: str) -> tuple[Row, ...]:
    """The rows of a table; none when it cannot be read (a virtual table of a module that is not here)."""
    quoted = '"' + table.replace('"', '""') + '"'
    try:
        return tuple(database.execute(f"select * from {quoted} limit {MAX_ROWS}"))
    except sqlite3.Error:
        return ()


def difference(before: Picture, after: Picture, mark: Callable[[str], str]) -> list[dict[str, Any]]:
    """What differs, as plain JSON (see `SqliteFile.look`); `mark` marks the texts."""
    if after.problem:
        return [] if after.problem == before.problem else [{"database": "file", "change": after.problem}]
    found = [*_objects(before, after, mark), *_tables(before, after, mark)]
    for name, value in after.pragmas.items():
        if before.pragmas.get(name, value) != value:
            found.append({"pragma": name, "change": "set", "before": before.pragmas[name], "after": value})
    return found


def _objects(before: Picture, after: Picture, mark: Callable[[str], str]) -> Iterator[dict[str, Any]]:
    for name in sorted({*before.schema, *after.schema}):
        old, new = before.schema.get(name), after.schema.get(name)
        if old == new:
            continue
        kind, sql = new or old or ("", "")
        change = "created" if old is None else "dropped" if new is None else "altered"
        yield {"object": mark(name)[:MAX_TEXT], "kind": kind, "change": change, "sql": mark(sql)[:MAX_TEXT]}


def _tables(before: Picture, after: Picture, mark: Callable[[str], str]) -> Iterator[dict[str, Any]]:
    for name in sorted(after.tables):
        old, new = before.tables.get(name, ()), after.tables[name]
        if old == new:
            continue
        added, removed = Counter(new) - Counter(old), Counter(old) - Counter(new)
        if not added and not removed:
            continue
        yield {
            "table": mark(name)[:MAX_TEXT],
            "change": "rows",
            "before": len(old),
            "after": len(new),
            "added": [_shown(row, mark) for row in list(added.elements())[:SHOWN]],
            "removed": [_shown(row, mark) for row in list(removed.elements())[:SHOWN]],
        }


def _shown(row: Row, mark: Callable[[str], str]) -> list[Any]:
    return [_value(value, mark) for value in row[:20]]


def _value(value: Any, mark: Callable[[str], str]) -> Any:
    if isinstance(value, bytes):
        return f"({len(value)} bytes)"
    if isinstance(value, str):
        return mark(value)[:MAX_TEXT]
    return value if value is None or (isinstance(value, int | float) and abs(value) < 2**53) else str(value)
