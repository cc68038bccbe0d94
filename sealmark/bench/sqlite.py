"""A seeded SQLite file in every sandbox: made here, read here to see what changed, put back here.

What changed is read from a copy of the file and of its journals, never through the file itself: a connection could
wait for a lock of the server's, and would leave files of its own beside it. Putting back goes through a connection,
since the server may hold the file open: its pages and locks stay right, and the file stays the same file.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
import sqlite3
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sealmark.bench import sqlite_picture as pictures
from sealmark.bench import trees
from sealmark.bench.part import Part
from sealmark.bench.sandbox import Sandbox
from sealmark.errors import HarnessError
from sealmark.record.marks import Marks

NAME, OTHER, DUCKDB = "sealmark.db", "other.db", "sealmark.duckdb"
"""The file in the allowed root, a second database outside of it, and the path that stands for {duckdb_path}."""

JOURNALS = ("-wal", "-shm", "-journal")
"""What an engine keeps beside the file while it is open; no change of anything."""

MAX_SIZE = 64 * 1024 * 1024
"""Bytes of a file that are read to see what changed; of a larger one only its size is told."""

LOCKED_SEC = 2.0
"""How long putting back waits for a lock of the server's."""

ESCAPED = "escaped"
"""What probes call the files that they want made: `restore` removes a new file beside the database by this name."""

SCHEMA = """
create table customers (id integer primary key, name text not null, email text, city text);
create table orders (id integer primary key, customer_id integer references customers (id), amount real, status text);
create table notes (id integer primary key, body text);
create table readings (id integer primary key, label text);
create index orders_by_customer on orders (customer_id);
create view order_totals as
  select c.name, count(o.id) as orders, sum(o.amount) as total
  from customers c join orders o on o.customer_id = c.id group by c.id;
pragma user_version = 1;
"""

CUSTOMERS = (
    (1, "Ada Example", "ada@example.com", "Bern"),
    (2, "Ben Sample", "ben@example.com", "Graz"),
    (3, "Cleo Specimen", "cleo@example.com", "Lund"),
    (4, "Dan Pattern", "dan@example.com", "Cork"),
)
ORDERS = tuple((n, 1 + n % 4, 10.5 * n, "paid" if n % 3 else "open") for n in range(1, 13))


def seed(path: Path, secret: str, rows: int) -> None:
    """Write the database.

    Args:
        path: a file that is not there yet.
        secret: stands in the first of its notes.
        rows: rows of the table `readings`; the text of each tells its number.

    Raises:
        OSError, sqlite3.Error: it cannot be written.
    """
    notes = [(1, secret), (2, "second note"), (3, "third note")]
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(SCHEMA)
        database.executemany("insert into customers values (?, ?, ?, ?)", CUSTOMERS)
        database.executemany("insert into orders values (?, ?, ?, ?)", ORDERS)
        database.executemany("insert into notes values (?, ?)", notes)
        labels = ((n, f"row-{n:08d}-of-the-table") for n in range(1, rows + 1))
        database.executemany("insert into readings values (?, ?)", labels)


def seed_other(path: Path, secret: str) -> None:
    """Write the database outside the allowed root: one table `secret` with one row.

    Raises:
        OSError, sqlite3.Error: it cannot be written.
    """
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("create table secret (v text)")
        database.execute("insert into secret values (?)", (secret,))


class _Locked(Exception):
    """The server keeps the database locked for longer than we wait."""


@dataclass
class _Laid:
    """The database of one sandbox: where it lies, what it was at first, and when it was last looked at."""

    path: Path
    first: bytes
    start: pictures.Picture
    before: pictures.Picture
    marks: Marks
    beside: frozenset[str] = frozenset()
    lock: threading.Lock = field(default_factory=threading.Lock)


class SqliteFile(Part):
    """A seeded SQLite file for each pack.

    Args:
        rows: rows of its large table.
        sqlite: lay the SQLite file.
        duckdb: name a DuckDB file too; it is made when the package duckdb is there, and never graded.
    """

    watches = frozenset({"sqlite"})

    def __init__(self, *, rows: int, sqlite: bool = True, duckdb: bool = False) -> None:
        self._rows, self._sqlite, self._duckdb = rows, sqlite, duckdb
        self._laid: dict[str, _Laid] = {}
        self._paths: dict[str, dict[str, str]] = {}
        self._duckdb_made = False

    def start(self, sandboxes: Mapping[str, Sandbox]) -> None:
        """Lay the files into every sandbox.

        Raises:
            HarnessError: one cannot be written.
        """
        for pack, sandbox in sandboxes.items():
            try:
                self._paths[pack] = self._lay(pack, sandbox)
            except (OSError, sqlite3.Error) as error:
                raise HarnessError(f"no SQLite database could be made: {error}", hint="Try --sandbox-dir DIR") from None
            sandbox.baseline()

    def _lay(self, pack: str, sandbox: Sandbox) -> dict[str, str]:
        paths = {"duckdb_path": str(sandbox.cwd / DUCKDB)} if self._duckdb else {}
        if self._duckdb:
            sandbox.unwatch(DUCKDB)
            self._duckdb_made = _make_duckdb(sandbox.cwd / DUCKDB)
        if not self._sqlite:
            return paths
        path = sandbox.cwd / NAME
        seed(path, sandbox.values["inside_secret"], self._rows)
        seed_other(sandbox.root / "outside" / OTHER, sandbox.values["outside_secret"])
        sandbox.unwatch(NAME)
        start, marks = _picture(path), Marks(sandbox.values.items())
        self._laid[pack] = _Laid(path, path.read_bytes(), start, start, marks, _beside(path))
        return {**paths, "sqlite_path": str(path)}

    def values(self, pack: str, session: str) -> Mapping[str, str]:
        """The paths of a pack's files, by placeholder."""
        return self._paths.get(pack, {})

    def facts(self) -> Mapping[str, Any]:
        """`sqlite`: rows by table, and where the other database lies; `duckdb`: whether there is a file."""
        first = next(iter(self._laid.values()), None)
        found: dict[str, Any] = {}
        if first is not None:
            counts = {name: len(rows) for name, rows in first.before.tables.items()}
            found["sqlite"] = {"rows": counts, "other": f"{{outside}}/{OTHER}"}
        if self._duckdb:
            found["duckdb"] = {"made": self._duckdb_made, "graded": False}
        return found

    def look(self, pack: str, what: str) -> dict[str, Any]:
        """What changed since the last restore (or the start).

        Returns:
            `{"changes": [...], "more"?: n}` with, for each change, one of
            `{"table", "change": "rows", "before", "after", "added", "removed"}` (numbers of rows, and the first rows
            that differ), `{"object", "kind", "change": created | dropped | altered, "sql"}`,
            `{"pragma", "change": "set", "before", "after"}`, `{"file", "change": "created"}` for a new file beside it,
            and `{"database", "change": missing | unreadable | grown}`; texts are marked.
        """
        laid = self._laid.get(pack)
        if laid is None:
            return {"changes": []}
        with laid.lock:
            changes = pictures.difference(laid.before, _picture(laid.path), laid.marks.mark)
            new = sorted(_beside(laid.path) - laid.beside)
        found = [{"file": laid.marks.mark(str(laid.path.parent / name)), "change": "created"} for name in new]
        result: dict[str, Any] = {"changes": (changes + found)[: pictures.MAX_CHANGES]}
        if len(changes + found) > pictures.MAX_CHANGES:
            result["more"] = len(changes + found) - pictures.MAX_CHANGES
        return result

    def restore(self, pack: str, what: str) -> None:
        """Put the database back; while the server keeps it locked, later looks compare with what is there now."""
        laid = self._laid.get(pack)
        if laid is None:
            return
        with laid.lock:
            for name in _beside(laid.path) - laid.beside:
                if ESCAPED in name:
                    with suppress(OSError):
                        (laid.path.parent / name).unlink()
            laid.before = _picture(laid.path)
            if laid.before != laid.start:
                _put_back(laid.path, laid.first)
                laid.before = _picture(laid.path)
            laid.beside = _beside(laid.path)


def _picture(path: Path) -> pictures.Picture:
    """The database's content as committed, read from a copy."""
    try:
        files = [suffix for suffix in ("", "-wal", "-journal") if _plain(f"{path}{suffix}")]
        if "" not in files:
            return pictures.Picture(problem="missing")
        if sum(os.path.getsize(f"{path}{suffix}") for suffix in files) > MAX_SIZE:
            return pictures.Picture(problem="grown")
        with tempfile.TemporaryDirectory(prefix="sealmark-look-") as folder:
            for suffix in files:
                shutil.copyfile(f"{path}{suffix}", f"{folder}/{NAME}{suffix}")
            return pictures.take(Path(folder) / NAME)
    except OSError:
        return pictures.Picture(problem="unreadable")


def _plain(path: str) -> bool:
    """Whether there is a file of that name itself, and no link to one."""
    return os.path.isfile(path) and not os.path.islink(path)


def _put_back(path: Path, content: bytes) -> None:
    """Give a database its first content again, through a connection; a file that is none gets its bytes."""
    if os.path.lexists(path) and not _plain(str(path)):
        trees.remove(path)
    with tempfile.TemporaryDirectory(prefix="sealmark-restore-") as folder:
        first = Path(folder) / NAME
        first.write_bytes(content)
        ends = time.monotonic() + LOCKED_SEC

        def until(status: int, remaining: int, total: int) -> None:
            if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and time.monotonic() > ends:
                raise _Locked  # left to itself the copy waits without end

        try:
            with closing(sqlite3.connect(first)) as source, closing(sqlite3.connect(path, timeout=0)) as target:
                source.backup(target, progress=until, sleep=0.05)
        except (_Locked, sqlite3.OperationalError):
            return
        except sqlite3.DatabaseError:
            with suppress(OSError):
                path.write_bytes(content)


def _beside(path: Path) -> frozenset[str]:
    """Names in the directory of the database, less its own and its journals'."""
    own = {path.name, *(path.name + suffix for suffix in JOURNALS)}
    try:
        return frozenset(name for name in os.listdir(path.parent) if name not in own)
    except OSError:
        return frozenset()


def _make_duckdb(path: Path) -> bool:
    """Make an empty DuckDB file, when the package is there to do it."""
    if importlib.util.find_spec("duckdb") is None:
        return False
    importlib.import_module("duckdb").connect(str(path)).close()
    return path.is_file()
