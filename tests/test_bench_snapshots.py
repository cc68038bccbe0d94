"""Looks at a whole sandbox from one to the next: what counts as a change, and what does not."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sealmark.bench.sandbox import Sandbox
from sealmark.bench.snapshots import MAX_CHANGES, Snapshots


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    made = Sandbox.create(tmp_path, token_hex="0123456789abcdef0123456789abcdef", big_mib=1)
    yield made
    made.remove()


@pytest.fixture
def snapshots(sandbox: Sandbox) -> Snapshots:
    made = Snapshots(("effects",))
    made.start({"effects": sandbox, "fs": sandbox})
    return made


def changes(snapshots: Snapshots) -> list[tuple[str, str]]:
    return [(one["path"], one["change"]) for one in snapshots.look("effects", "tree")["changes"]]


def test_nothing_changed_and_reading_is_no_change(sandbox: Sandbox, snapshots: Snapshots) -> None:
    (sandbox.cwd / "hello.txt").read_text()
    os.listdir(sandbox.cwd)
    assert changes(snapshots) == []


def test_each_look_tells_what_changed_since_the_last(sandbox: Sandbox, snapshots: Snapshots) -> None:
    (sandbox.cwd / "new.txt").write_text("x")
    assert changes(snapshots) == [("{sandbox}/new.txt", "created")]
    assert changes(snapshots) == []
    (sandbox.cwd / "new.txt").unlink()
    (sandbox.cwd / "data.csv").write_text("other")
    assert changes(snapshots) == [("{sandbox}/data.csv", "modified"), ("{sandbox}/new.txt", "deleted")]


def test_times_and_modes_are_changes(sandbox: Sandbox, snapshots: Snapshots) -> None:
    os.utime(sandbox.cwd / "hello.txt")
    os.chmod(sandbox.root / "outside/hello.txt", 0o600)
    os.chmod(sandbox.cwd / "sub", 0o755 ^ 0o007)
    assert changes(snapshots) == [
        ("{outside}/hello.txt", "touched"),
        ("{sandbox}/hello.txt", "touched"),
        ("{sandbox}/sub", "touched"),
    ]


def test_what_was_made_and_removed_shows_on_its_folder(sandbox: Sandbox, snapshots: Snapshots) -> None:
    before = (sandbox.cwd / "sub").stat().st_mtime_ns
    while (sandbox.cwd / "sub").stat().st_mtime_ns == before:  # file systems keep time in ticks
        (sandbox.cwd / "sub/short").write_text("x")
        (sandbox.cwd / "sub/short").unlink()
    assert changes(snapshots) == [("{sandbox}/sub", "came-and-went")]


@pytest.mark.parametrize(
    "path",
    ["tmp/file", "home/.cache/x/file", "home/.local/state/x", "home/logs/today", "home/server.log", "home/.npm/x"],
)
def test_caches_logs_and_temporary_files_are_the_servers_own(sandbox: Sandbox, snapshots: Snapshots, path: str) -> None:
    (sandbox.root / path).parent.mkdir(parents=True, exist_ok=True)
    (sandbox.root / path).write_text("x")
    assert changes(snapshots) == []


def test_other_files_in_the_home_count(sandbox: Sandbox, snapshots: Snapshots) -> None:
    (sandbox.root / "home/.config/tool").mkdir()
    (sandbox.root / "home/.config/tool/state.json").write_text("{}")
    assert changes(snapshots) == [("{sandbox_home}/.config/tool/state.json", "created")]


def test_guards_of_a_database_and_of_a_repository_are_no_changes(sandbox: Sandbox, snapshots: Snapshots) -> None:
    (sandbox.cwd / "store.sqlite").write_bytes(b"x")
    snapshots.restore("effects", "tree")
    for name in ("store.sqlite-wal", ".git/index.lock"):
        (sandbox.cwd / name).write_bytes(b"x")
    assert changes(snapshots) == []
    (sandbox.cwd / "store.sqlite-wal").unlink()
    (sandbox.cwd / ".git/index.lock").unlink()
    assert changes(snapshots) == []


def test_a_flood_is_counted_and_another_pack_sees_nothing(sandbox: Sandbox, snapshots: Snapshots) -> None:
    for number in range(MAX_CHANGES + 7):
        (sandbox.cwd / f"made-{number:03}").write_text("x")
    assert snapshots.look("fs", "tree") == {"changes": []}
    look = snapshots.look("effects", "tree")
    assert (len(look["changes"]), look["more"]) == (MAX_CHANGES, 7)
