"""When a run gets a SQLite file: what the launch and the staged files name decides."""

from __future__ import annotations

from typing import Any

import pytest

from sealmark.bench import Launch
from sealmark.bench.parts import parts_of
from sealmark.bench.sandbox import Sandbox
from sealmark.bench.sqlite import SqliteFile
from sealmark.settings import Origin, Settings

HERE = Origin("code", "test")


def files(launch: Launch, **settings: Any) -> list[SqliteFile]:
    chosen = Settings.standard().replace({key.replace("__", "."): value for key, value in settings.items()}, HERE)
    return [part for part in parts_of(chosen, launch, ("core",), {}) if isinstance(part, SqliteFile)]


def laid(part: SqliteFile, tmp_path: Any) -> SqliteFile:
    sandbox = Sandbox.create(tmp_path, token_hex="0123456789abcdef0123456789abcdef", big_mib=1)
    part.start({"core": sandbox})
    return part


@pytest.mark.parametrize(
    "launch",
    [
        Launch(("server", "--db", "{sqlite_path}")),
        Launch(("server",), env={"DATABASE": "sqlite:///{sqlite_path}"}),
    ],
    ids=["argument", "variable"],
)
def test_a_launch_that_names_it_gets_it(launch: Launch, tmp_path: Any) -> None:
    (part,) = files(launch)
    assert set(laid(part, tmp_path).values("core", "main")) == {"sqlite_path"}


def test_a_staged_file_that_names_it_gets_it() -> None:
    staged = ({"path": "{sandbox}/config.ini", "content": "database={sqlite_path}"},)
    assert len(files(Launch(("server",)), server__files=staged)) == 1


def test_nobody_else_gets_one() -> None:
    assert not files(Launch(("server", "{sandbox}")))
    assert not files(Launch(("server", "{sqlite_path}"), confined=False))


def test_its_large_table_is_longer_than_the_limit_on_rows(tmp_path: Any) -> None:
    (part,) = files(Launch(("server", "{sqlite_path}")), **{"checks__sqlite-row-cap__max_rows": 40})
    assert laid(part, tmp_path).facts()["sqlite"]["rows"]["readings"] == 1040


def test_the_path_of_a_duckdb_file_is_filled_and_said_not_to_be_graded(tmp_path: Any) -> None:
    (part,) = files(Launch(("server", "{duckdb_path}")))
    laid(part, tmp_path)
    assert set(part.values("core", "main")) == {"duckdb_path"}
    assert "sqlite" not in part.facts()
    assert part.facts()["duckdb"]["graded"] is False
