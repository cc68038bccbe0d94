"""`sealmark store`: what it prints and how it exits."""

from __future__ import annotations

from click.testing import CliRunner
from made import record

from sealmark.cli.store import store
from sealmark.frames.files import load
from sealmark.store import Store


def run(*words: object):
    return CliRunner().invoke(store, [str(word) for word in words], standalone_mode=False)


def test_verify_says_what_is_wrong_and_exits_1(tmp_path):
    Store(tmp_path).write(record())
    good = run("verify", tmp_path)
    assert (good.return_value, good.stdout) == (0, "")
    (tmp_path / "evil\x1b[31m.json").write_text("{")
    bad = run("verify", tmp_path)
    assert bad.return_value == 1
    assert "RECORD_UNREADABLE" in bad.stdout
    assert "\x1b" not in bad.stdout
    assert "2 files, 1 problems" in bad.stderr


def test_a_folder_that_is_not_there_is_one_clear_error(tmp_path):
    for command in ("verify", "migrate", "cache"):
        failed = run(command, tmp_path / "none")
        assert "no such folder" in str(failed.exception)
        assert not (tmp_path / "none").exists()


def test_export_names_files_and_what_was_left_out(tmp_path):
    Store(tmp_path / "runs").write(record())
    (tmp_path / "runs" / "bad.json").write_text("{")
    done = run("export", tmp_path / "runs", "--out", tmp_path / "out", "--format", "csv")
    assert done.exception is None
    assert str(tmp_path / "out/checks.csv") in done.stdout.splitlines()
    assert "left out" in done.stderr
    assert "cut short" in done.stderr


def test_cache_and_migrate_say_how_many(tmp_path):
    Store(tmp_path).write(record())
    assert "1 runs added" in run("cache", tmp_path).stderr
    assert "0 runs added" in run("cache", tmp_path).stderr
    assert "0 records rewritten" in run("migrate", tmp_path).stderr
    assert len(load(tmp_path)) == 1
