"""`sealmark run --fixture`: what is written, what is told, and what is refused."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest


def fixture(*arguments: str, cwd: Path) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "sealmark", "run", *arguments]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def told(out: str, begins: str) -> list[str]:
    return [line.removeprefix(begins) for line in out.splitlines() if line.startswith(begins)]


def test_sqlite_is_a_database_and_another_that_must_stay_hidden(tmp_path: Path) -> None:
    code, out, err = fixture("--fixture", "sqlite", "--into", "made", cwd=tmp_path)
    assert (code, err) == (0, "")
    (path,) = told(out, "point the server at: ")
    (hidden,) = told(out, "no reply may show: ")
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("select count(*) from readings").fetchone() == (2000,)
    with closing(sqlite3.connect(tmp_path / "made/sqlite/outside/other.db")) as other:
        (secret,) = other.execute("select v from secret").fetchone()
    assert hidden == f"{secret} (outside/other.db)"


def test_fs_is_an_allowed_root_with_secrets_around_it(tmp_path: Path) -> None:
    code, out, _ = fixture("--fixture", "fs", cwd=tmp_path)
    assert code == 0
    (root,) = map(Path, told(out, "point the server at: "))
    assert root == tmp_path / "sealmark-fixtures/fs/sandbox"
    assert (root / "link.txt").is_symlink()
    for line in told(out, "no reply may show: "):
        secret, place = line.rstrip(")").split(" (")
        assert secret in (root.parent / place).read_text()
        assert secret not in (root / "hello.txt").read_text()


@pytest.mark.skipif(shutil.which("git") is None, reason="git makes the repositories")
def test_git_is_a_repository_with_a_staged_change(tmp_path: Path) -> None:
    code, out, _ = fixture("--fixture", "git", cwd=tmp_path)
    assert code == 0
    (root,) = told(out, "point the server at: ")
    status = subprocess.run(["git", "status", "--porcelain"], cwd=root, capture_output=True, text=True, check=True)
    assert any(line[0] in "AM" for line in status.stdout.splitlines())
    assert told(out, "no reply may show: ")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--fixture", "duckdb"), "DuckDB is not graded"),
        (("--fixture", "postgres"), "no fixture 'postgres'"),
        (("--into", "made"), "nothing says what to write"),
    ],
)
def test_what_cannot_be_written_is_a_mistake_of_use(tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    code, out, err = fixture(*arguments, cwd=tmp_path)
    assert (code, out) == (2, "")
    assert says in err
    assert not list(tmp_path.iterdir())


def test_an_earlier_fixture_is_not_written_over(tmp_path: Path) -> None:
    assert fixture("--fixture", "sqlite", cwd=tmp_path)[0] == 0
    kept = (tmp_path / "sealmark-fixtures/sqlite/sandbox/sealmark.db").read_bytes()
    code, _, err = fixture("--fixture", "sqlite", cwd=tmp_path)
    assert code == 2
    assert "is there already" in err
    assert (tmp_path / "sealmark-fixtures/sqlite/sandbox/sealmark.db").read_bytes() == kept
