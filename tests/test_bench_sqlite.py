"""The SQLite file of a sandbox: what it holds, what a look tells, and that a server that has it open goes on."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sealmark.bench import sqlite as part
from sealmark.bench.sandbox import Sandbox
from sealmark.bench.sqlite import SqliteFile
from sealmark.packs.sql.counts import row_text

ROWS = 50


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    made = Sandbox.create(tmp_path, token_hex="0123456789abcdef0123456789abcdef", big_mib=1)
    yield made
    assert made.remove() == ()


@pytest.fixture
def laid(sandbox: Sandbox) -> SqliteFile:
    made = SqliteFile(rows=ROWS)
    made.start({"sqlite": sandbox})
    return made


def database(laid: SqliteFile) -> str:
    return laid.values("sqlite", "main")["sqlite_path"]


def run(laid: SqliteFile, *statements: str) -> None:
    with closing(sqlite3.connect(database(laid), isolation_level=None)) as open_:
        for statement in statements:
            open_.execute(statement)


def changes(laid: SqliteFile) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = laid.look("sqlite", "sqlite")["changes"]
    return found


def test_it_is_seeded_in_the_allowed_root_and_a_second_one_lies_outside(laid: SqliteFile, sandbox: Sandbox) -> None:
    assert Path(database(laid)).parent == sandbox.cwd
    with closing(sqlite3.connect(database(laid))) as open_:
        assert open_.execute("select body from notes where id = 1").fetchone() == (sandbox.values["inside_secret"],)
        assert open_.execute("select label from readings where id = 7").fetchone() == (row_text(7),)
        assert open_.execute("select count(*) from order_totals").fetchone() == (4,)
    with closing(sqlite3.connect(sandbox.root / "outside/other.db")) as open_:
        assert open_.execute("select v from secret").fetchone() == (sandbox.values["outside_secret"],)
    assert laid.facts()["sqlite"]["rows"] == {"customers": 4, "orders": 12, "notes": 3, "readings": ROWS}
    assert sandbox.look("sandbox") == sandbox.look("outside") == {"changes": []}


def test_nothing_changed_is_told_as_nothing(laid: SqliteFile) -> None:
    run(laid, "select * from notes", "create temp table mine (x)", "begin", "rollback")
    assert changes(laid) == []


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        (
            "insert into notes (body) values ('fourth')",
            {"table": "notes", "change": "rows", "before": 3, "after": 4, "added": [[4, "fourth"]], "removed": []},
        ),
        (
            "delete from notes where id = 1",
            {
                "table": "notes",
                "change": "rows",
                "before": 3,
                "after": 2,
                "added": [],
                "removed": [[1, "{inside_secret}"]],
            },
        ),
        (
            "update orders set status = 'gone' where id = 1",
            {
                "table": "orders",
                "change": "rows",
                "before": 12,
                "after": 12,
                "added": [[1, 2, 10.5, "gone"]],
                "removed": [[1, 2, 10.5, "paid"]],
            },
        ),
        ("drop view order_totals", {"object": "order_totals", "kind": "view", "change": "dropped"}),
        ("create index more on notes (body)", {"object": "more", "kind": "index", "change": "created"}),
        ("alter table notes add column extra", {"object": "notes", "kind": "table", "change": "altered"}),
        ("pragma user_version = 9", {"pragma": "user_version", "change": "set", "before": 1, "after": 9}),
    ],
)
def test_what_a_statement_changed_is_told_and_put_back(laid: SqliteFile, statement: str, told: dict[str, Any]) -> None:
    run(laid, statement)
    assert told.items() <= changes(laid)[0].items()
    laid.restore("sqlite", "sqlite")
    assert changes(laid) == []
    with closing(sqlite3.connect(database(laid))) as open_:
        assert open_.execute("select count(*) from notes").fetchone() == (3,)
        assert open_.execute("pragma user_version").fetchone() == (1,)


def test_values_of_the_sandbox_are_marked(laid: SqliteFile, sandbox: Sandbox) -> None:
    secret = sandbox.values["outside_secret"]
    run(laid, f"insert into notes (body) values ('{secret}'), ('{{sandbox}}')")
    (change,) = changes(laid)
    assert change["added"] == [[4, "{outside_secret}"], [5, "{=sandbox}"]]


def test_a_server_that_keeps_it_open_sees_what_was_put_back_and_keeps_its_journal(laid: SqliteFile) -> None:
    with closing(sqlite3.connect(database(laid), isolation_level=None)) as server:
        server.execute("pragma journal_mode = wal")
        server.execute("insert into notes (body) values ('in the journal')")
        assert os.path.getsize(database(laid) + "-wal") > 0
        assert changes(laid)[0]["added"] == [[4, "in the journal"]]
        laid.restore("sqlite", "sqlite")
        assert changes(laid) == []
        assert server.execute("select count(*) from notes").fetchone() == (3,)
        server.execute("delete from notes")
        assert changes(laid)[0]["after"] == 0


def test_a_lock_of_the_server_neither_stops_a_look_nor_blames_a_later_probe(
    laid: SqliteFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(part, "LOCKED_SEC", 0.0)
    run(laid, "insert into notes (body) values ('stays')")
    with closing(sqlite3.connect(database(laid), isolation_level=None)) as server:
        server.execute("begin exclusive")
        server.execute("insert into notes (body) values ('not committed')")
        assert [row[1] for row in changes(laid)[0]["added"]] == ["stays"]
        laid.restore("sqlite", "sqlite")
        assert changes(laid) == []
        server.execute("rollback")
    laid.restore("sqlite", "sqlite")
    run(laid, "select 1")
    assert changes(laid) == []


def test_files_beside_it_are_told_and_taken_away_when_a_probe_asked_for_them(
    laid: SqliteFile, sandbox: Sandbox
) -> None:
    run(laid, f"vacuum into '{sandbox.cwd}/escaped.db'")
    (sandbox.cwd / "server.log").write_text("its own")
    assert changes(laid) == [
        {"file": "{sandbox}/escaped.db", "change": "created"},
        {"file": "{sandbox}/server.log", "change": "created"},
    ]
    laid.restore("sqlite", "sqlite")
    assert changes(laid) == []
    assert not (sandbox.cwd / "escaped.db").exists()
    assert (sandbox.cwd / "server.log").exists()


@pytest.mark.parametrize("harm", ["delete", "garbage", "link", "folder"])
def test_a_file_that_is_a_database_no_more_is_told_and_made_anew(laid: SqliteFile, tmp_path: Path, harm: str) -> None:
    path, foreign = Path(database(laid)), tmp_path / "foreign.db"
    foreign.write_bytes(b"of somebody else")
    if harm == "garbage":
        path.write_bytes(b"no database, but longer than a header would be " * 20)
    else:
        path.unlink()
    if harm == "link":
        path.symlink_to(foreign)
    elif harm == "folder":
        path.mkdir()
    assert changes(laid) == [{"database": "file", "change": "unreadable" if harm == "garbage" else "missing"}]
    laid.restore("sqlite", "sqlite")
    assert changes(laid) == []
    assert foreign.read_bytes() == b"of somebody else"


def test_the_sandbox_leaves_the_database_to_its_part(laid: SqliteFile, sandbox: Sandbox) -> None:
    run(laid, "pragma journal_mode = wal", "insert into notes (body) values ('x')")
    assert sandbox.look("sandbox") == {"changes": []}
    sandbox.restore("sandbox")
    assert changes(laid)[0]["after"] == 4


def test_a_duckdb_path_is_named_and_never_graded(sandbox: Sandbox) -> None:
    made = SqliteFile(rows=ROWS, sqlite=False, duckdb=True)
    made.start({"core": sandbox})
    assert made.values("core", "main") == {"duckdb_path": str(sandbox.cwd / "sealmark.duckdb")}
    assert made.facts()["duckdb"]["graded"] is False
    assert made.facts()["duckdb"]["made"] == (sandbox.cwd / "sealmark.duckdb").exists()
    assert made.look("core", "sqlite") == {"changes": []}
    assert not (sandbox.cwd / "sealmark.db").exists()
