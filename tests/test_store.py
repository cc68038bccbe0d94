"""The store on a real disk: names, atomic writes, reading in part, the cache, verify, migrate, export."""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made import failed, record
from msgspec.structs import replace
from pandas.testing import assert_frame_equal

from sealmark.atomic import write_atomic
from sealmark.errors import HarnessError, MissingExtra, RecordError, UsageError
from sealmark.frames import cache
from sealmark.frames.files import load
from sealmark.frames.run import Run
from sealmark.frames.runs import Runs
from sealmark.frames.tables import GRAINS
from sealmark.record import codec
from sealmark.record.model import RunRecord, ServerFacts, Setting
from sealmark.store import Store, export, migrate, stale, verify
from sealmark.store import cache as writing
from sealmark.store.files import config_hash, file_name


def at(second: int) -> str:
    return f"2026-11-01T10:{second // 60:02d}:{second % 60:02d}Z"


def filled(folder: Path, count: int = 5) -> Store:
    store = Store(folder)
    for number in range(count):
        store.write(record(f"s{number % 3}", f"1.0.{number}", at(number), leaks=number % 2 == 0))
    return store


def same(one: Runs, other: Runs) -> None:
    for name in GRAINS:
        assert_frame_equal(one.frame(name), other.frame(name))


# ---- names and writing ---------------------------------------------------------------------------------------


def test_file_name_says_server_version_configuration_time_and_id():
    run = record()
    name = file_name(run)
    config = config_hash(run.gathered.server, run.gathered.settings)
    assert name == f"files@1_0_0.{config}.20261101T100000Z.{Run(run).id}.json"


@given(st.text(max_size=200), st.text(max_size=80))
def test_file_names_are_plain_whatever_a_server_is_called(name, version):
    made = file_name(record(name, version))
    assert len(made.encode()) <= 200
    assert not set(made) & set('/\\\0\n:*?"<>| ')
    assert not made.startswith((".", "-"))
    assert made.endswith(f".{Run(record(name, version)).id}.json")


def test_config_hash_knows_commands_and_settings_not_names():
    one = ServerFacts("a", "1", command=("x",))
    setting = Setting("active", True, "flag")
    assert config_hash(one, ()) == config_hash(replace(one, name="b", version="2"), ())
    assert config_hash(one, ()) != config_hash(replace(one, command=("y",)), ())
    assert config_hash(one, (setting,)) == config_hash(one, (replace(setting, origin="file:3"),))
    assert config_hash(one, (setting,)) != config_hash(one, (replace(setting, value=False),))


def test_the_same_run_is_stored_once_and_a_judgement_more_replaces_it(tmp_path):
    store = Store(tmp_path)
    path = store.write(record())
    before = path.stat().st_mtime_ns
    assert store.write(record()) == path
    assert path.stat().st_mtime_ns == before
    again = replace(record(), judgements=record().judgements * 2)
    assert store.write(again) == path
    assert codec.load(path.read_bytes()) == again
    assert len(list(store.paths())) == 1


def test_another_run_of_the_same_second_is_not_lost(tmp_path):
    store = Store(tmp_path)
    other = replace(record(), gathered=replace(record().gathered, warnings=("slow",)))
    assert store.write(record()) != store.write(other)
    assert len(list(store.paths())) == 2


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.json"
    write_atomic(path, b"old")
    with pytest.raises(TypeError):
        write_atomic(path, "text")  # type: ignore[arg-type]
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_folder_that_cannot_be_made_is_one_clear_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(HarnessError, match="--store"):
        Store(tmp_path / "file" / "runs")


WRITER = """
import sys
from pathlib import Path
from sealmark.atomic import write_atomic
blob = [bytes([65 + i]) * 2_000_000 for i in range(2)]
print("go", flush=True)
n = 0
while True:
    write_atomic(Path(sys.argv[1]), blob[n % 2])
    n += 1
"""


def test_a_killed_writer_leaves_a_whole_file(tmp_path):
    path = tmp_path / "a.json"
    write_atomic(path, b"A" * 2_000_000)
    for _ in range(3):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            writer.send_signal(signal.SIGKILL)
        data = path.read_bytes()
        assert len(data) == 2_000_000
        assert len(set(data)) == 1


# ---- loading -------------------------------------------------------------------------------------------------


def test_load_gives_the_runs_in_order_of_time(tmp_path):
    filled(tmp_path)
    runs = load(tmp_path)
    assert [run.version for run in runs] == [f"1.0.{n}" for n in range(5)]
    same(runs, Runs([Run(run.record, run.file) for run in runs]))


def test_load_takes_files_in_the_order_given(tmp_path):
    paths = list(filled(tmp_path).paths())
    assert [run.file for run in load(*paths[::-1])] == [str(path) for path in paths[::-1]]


def test_unreadable_files_become_problems(tmp_path):
    store = filled(tmp_path, 2)
    whole = next(store.paths()).read_bytes()
    broken = {
        "truncated.json": (whole[: len(whole) // 2], "cut short"),
        "newer.json": (b'{"schema": 99}', "newer than this build"),
        "foreign.json": (b'{"name": "package"}', "not a run record"),
        "list.json": (b"[]", "not an object"),
        "empty.json": (b"", "cut short"),
        "binary.json": (b"\xff\xfe\x00", "JSON"),
        "unknown-field.json": (whole.replace(b'"startedAt"', b'"begunAt"'), "begunAt"),
    }
    for name, (data, _) in broken.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "copy.json").write_bytes(whole)
    runs = load(tmp_path)
    problems = runs.problems.set_index(runs.problems["file"].map(lambda path: Path(path).name))
    assert len(runs) == len(runs.runs) == 2
    assert set(problems.index) == {*broken, "copy.json"} or set(problems["code"]) == {
        "RECORD_UNREADABLE",
        "RUN_REPEATED",
    }
    for name, (_, text) in broken.items():
        assert text in problems.loc[name, "problem"]
        assert problems.loc[name, "hint"]
    assert "holds the same run" in " ".join(problems.query("code == 'RUN_REPEATED'")["problem"])


def test_damage_in_a_part_that_was_not_asked_for_is_found_when_it_is(tmp_path):
    store = filled(tmp_path, 2)
    path = next(store.paths())
    path.write_bytes(path.read_bytes().replace(b'"role": "control"', b'"role": "nonsense"'))
    runs = load(tmp_path)
    assert len(runs.checks) == 4
    assert runs.problems.empty
    assert len(runs.probes) == 3
    assert list(runs.problems["file"]) == [str(path)]


def test_a_single_unreadable_file_is_an_error_and_an_empty_folder_is_not(tmp_path):
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(RecordError, match=r"bad\.json: cut short"):
        load(tmp_path / "bad.json")
    with pytest.raises(RecordError, match="no such file"):
        load(tmp_path / "none.json")
    (tmp_path / "empty").mkdir()
    assert len(load(tmp_path / "empty")) == 0
    assert list(load(tmp_path / "empty").checks.columns) == [c.name for c in GRAINS["checks"].columns]


def test_a_report_of_several_servers_gives_several_runs(tmp_path):
    several = b'{"runs": [' + b",".join(codec.dump(record(name)) for name in "ab") + b"]}"
    (tmp_path / "report.json").write_bytes(several)
    runs = load(tmp_path / "report.json")
    assert list(runs.runs["server"]) == ["a", "b"]
    assert [run.server for run in runs] == ["a", "b"]
    assert len(runs.probes) == 6


def test_records_of_an_older_schema_are_upgraded_beside_new_ones(tmp_path, monkeypatch):
    """As a later build would see a store of its own and of older records."""
    store = filled(tmp_path, 2)
    old, new = store.paths()
    new.write_bytes(new.read_bytes().replace(b'"schema": 1', b'"schema": 2'))
    old.write_bytes(old.read_bytes().replace(b'"startedAt"', b'"begunAt"'))
    monkeypatch.setattr(codec, "SCHEMA", 2)

    def upgrade(document):
        return document | {"schema": 2, "startedAt": document.pop("begunAt")}

    monkeypatch.setattr(codec, "UPGRADES", {1: upgrade})
    runs = load(tmp_path)
    assert len(runs.checks) == 4
    assert runs.problems.empty
    assert migrate(store) == [old]
    assert b'"startedAt"' in old.read_bytes()
    assert b'"begunAt"' in old.with_name(old.name + ".bak").read_bytes()
    assert migrate(store) == []
    assert len(load(tmp_path)) == 2


# ---- the cache -----------------------------------------------------------------------------------------------


def parts(folder: Path) -> dict[str, int]:
    """Every file of the cache with its time of change."""
    return {str(path): path.stat().st_mtime_ns for path in (folder / cache.FOLDER).rglob("*") if path.is_file()}


def test_frames_from_the_cache_equal_those_from_json(tmp_path):
    store = filled(tmp_path)
    plain = load(tmp_path)
    wanted = {name: plain.frame(name) for name in GRAINS}
    assert store.update_cache() == 5
    for name in GRAINS:
        assert_frame_equal(load(tmp_path).frame(name), wanted[name])


def test_frames_from_cache_and_json_together_keep_the_order(tmp_path):
    store = filled(tmp_path, 3)
    store.update_cache()
    store.write(record("early", "1", "2026-01-01T00:00:00Z"))
    store.write(record("s1", "1.0.1b", at(1).replace("01Z", "01.5Z")))
    runs = load(tmp_path)
    assert [run.server for run in runs] == ["early", "s0", "s1", "s1", "s2"]
    same(runs, Runs([Run(run.record, run.file) for run in runs]))
    only = {"servers": ["s1", "early"], "checks": "fs-size-cap"}
    same(runs.only(**only), Runs([Run(run.record, run.file) for run in runs]).only(**only))


def test_frames_without_pyarrow_are_the_same(tmp_path, monkeypatch):
    filled(tmp_path).update_cache()
    wanted = {name: load(tmp_path).frame(name) for name in GRAINS}
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for name in GRAINS:
        assert_frame_equal(load(tmp_path).frame(name), wanted[name])
    with pytest.raises(MissingExtra, match="parquet"):
        writing.refresh(tmp_path)
    with pytest.raises(MissingExtra, match="parquet"):
        export(load(tmp_path), tmp_path / "out")
    assert Store(tmp_path).update_cache() == 0


def test_columns_and_servers_that_are_not_asked_for_are_not_read(tmp_path):
    store = filled(tmp_path)
    store.update_cache()
    for path in (tmp_path / cache.FOLDER).rglob("probes.parquet"):
        path.unlink()
    runs = load(tmp_path)
    assert len(runs.checks) == 10
    for path in store.paths():
        stat = path.stat()
        path.write_bytes(b"x" * stat.st_size)
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert len(load(tmp_path).frame("checks", columns=["server"])) == 10


def test_appending_rewrites_no_part(tmp_path):
    store = filled(tmp_path, 3)
    writing.refresh(tmp_path)
    before = parts(tmp_path)
    store.write(record("new", "1", at(50)))
    assert writing.refresh(tmp_path) == 1
    after = parts(tmp_path)
    assert before.items() <= after.items()
    assert len(after) == 2 * len(before)
    assert writing.refresh(tmp_path) == 0


def test_a_changed_file_is_read_anew_and_a_deleted_one_is_gone(tmp_path):
    store = filled(tmp_path)
    store.update_cache()
    first, second, *_ = list(store.paths())
    run = codec.load(first.read_bytes())
    verdict = replace(run.judgements[0].verdicts[0], summary="Judged again.")
    first.write_bytes(codec.dump(replace(run, judgements=(replace(run.judgements[0], verdicts=(verdict,)),))))
    second.unlink()
    assert stale(store) == 1
    runs = load(tmp_path)
    assert len(runs) == 4
    assert "Judged again." in set(runs.checks["summary"])
    assert store.update_cache() == 1
    assert stale(store) == 0
    assert_frame_equal(load(tmp_path).checks, runs.checks)
    assert sum(len(part.files) for part in cache.parts(tmp_path)) == 4


def test_compaction_joins_small_parts(tmp_path):
    store = Store(tmp_path)
    for number in range(12):
        store.write(record("s", f"1.{number}", at(number)))
        writing.refresh(tmp_path)
    wanted = load(tmp_path).probes
    assert len(cache.parts(tmp_path)) == 12
    assert writing.compact(tmp_path) == 12
    assert len(cache.parts(tmp_path)) == 1
    assert_frame_equal(load(tmp_path).probes, wanted)
    assert writing.compact(tmp_path) == 0


def test_a_part_that_is_there_twice_counts_once(tmp_path):
    """What a compaction leaves that was stopped between writing the new part and removing the old."""
    store = filled(tmp_path)
    store.update_cache()
    wanted = load(tmp_path).checks
    shutil.copytree(tmp_path / cache.FOLDER / "00000001", tmp_path / cache.FOLDER / "00000002")
    assert_frame_equal(load(tmp_path).checks, wanted)
    writing.compact(tmp_path)
    assert len(cache.parts(tmp_path)) == 1


def test_a_part_of_another_version_is_not_read_and_goes(tmp_path):
    store = filled(tmp_path)
    store.update_cache()
    manifest = tmp_path / cache.FOLDER / "00000001" / cache.MANIFEST
    manifest.write_bytes(manifest.read_bytes().replace(cache.made_by().encode(), b"older"))
    assert len(load(tmp_path).checks) == 10
    assert stale(store) == 5
    assert store.update_cache() == 5
    assert [part.folder.name for part in cache.parts(tmp_path)] == ["00000002"]
    assert not manifest.exists()


def test_the_cache_can_be_deleted(tmp_path):
    store = filled(tmp_path)
    store.update_cache()
    wanted = load(tmp_path).checks
    shutil.rmtree(tmp_path / cache.FOLDER)
    assert_frame_equal(load(tmp_path).checks, wanted)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from(["write", "refresh", "compact", "delete", "rejudge"]), max_size=14))
def test_whatever_happens_to_a_store_its_frames_are_those_of_its_files(tmp_path_factory, steps):
    store = Store(tmp_path_factory.mktemp("store"))
    for number, step in enumerate(steps):
        existing = list(store.paths())
        if step == "write":
            store.write(record(f"s{number % 2}", str(number), at(number)))
        elif step == "refresh":
            writing.refresh(store.folder)
        elif step == "compact":
            writing.compact(store.folder)
        elif existing and step == "delete":
            existing[number % len(existing)].unlink()
        elif existing:
            path = existing[number % len(existing)]
            run = codec.load(path.read_bytes())
            store.write(replace(run, judgements=run.judgements + run.judgements[:1]))
    runs = load(store.folder)
    same(runs, Runs([Run(codec.load(path.read_bytes()), str(path)) for path in ordered(store)]))


def ordered(store: Store) -> list[Path]:
    def key(path: Path) -> tuple[str, str]:
        run: RunRecord = codec.load(path.read_bytes())
        return run.started_at, str(path)

    return sorted(store.paths(), key=key)


# ---- looking after it ----------------------------------------------------------------------------------------


def test_verify_finds_what_is_wrong_and_nothing_in_a_good_store(tmp_path):
    store = filled(tmp_path, 4)
    store.write(failed())
    assert list(verify(store)) == []
    one, two, three, four, *_ = list(store.paths())
    one.write_bytes(one.read_bytes()[:100])
    two.write_bytes(two.read_bytes().replace(b'"startedAt": "2026', b'"startedAt": "2025'))
    shutil.copy(three, tmp_path / f"copy.{Run(codec.load(three.read_bytes())).id}.json")
    (tmp_path / ".s@1.abc.tmp").write_text("half")
    found = {(problem.code, Path(problem.file).name.split(".")[0]) for problem in verify(store)}
    assert {code for code, _ in found} == {
        "RECORD_UNREADABLE",
        "NAME_MISMATCH",
        "RUN_REPEATED",
        "LEFT_BEHIND",
    }
    four.write_bytes(four.read_bytes().replace(b'"Not sent."', b'"All fine."'))
    assert ("RECORD_EDITED", four.name.split(".")[0]) in {
        (problem.code, Path(problem.file).name.split(".")[0]) for problem in verify(store)
    }
    assert ("NAME_MISMATCH", two.name.split(".")[0]) in found


@pytest.mark.parametrize("kind", ["parquet", "csv", "csv.gz"])
def test_export_holds_every_frame(tmp_path, kind):
    filled(tmp_path / "runs")
    runs = load(tmp_path / "runs")
    written = export(runs, tmp_path / "out", kind)
    assert {path.name for path in written} == {*(f"{name}.{kind}" for name in GRAINS), "COLUMNS.md"}
    for name in GRAINS:
        path = tmp_path / "out" / f"{name}.{kind}"
        back = pd.read_parquet(path) if kind == "parquet" else pd.read_csv(path)
        assert list(back.columns) == [column.name for column in GRAINS[name].columns]
        assert len(back) == len(runs.frame(name))
    checks = (
        pd.read_parquet(path.with_name("checks.parquet"))
        if kind == "parquet"
        else pd.read_csv(path.with_name(f"checks.{kind}"))
    )
    assert list(checks["verdict"]) == list(runs.checks["verdict"])
    assert list(checks["summary"]) == list(runs.checks["summary"])


def test_export_of_nothing_has_the_columns(tmp_path):
    export(Runs([]), tmp_path, "csv")
    assert (tmp_path / "packs.csv").read_text().startswith("run_id,server,server_version,pack,status,grade")


def test_export_in_batches_writes_one_header(tmp_path, monkeypatch):
    from sealmark.store import export as module

    monkeypatch.setattr(sys.modules[module.__module__], "BATCH", 2)
    filled(tmp_path / "runs")
    export(load(tmp_path / "runs"), tmp_path / "out", "csv")
    assert (tmp_path / "out/runs.csv").read_text().count("run_id") == 1
    assert len(pd.read_csv(tmp_path / "out/runs.csv")) == 5


def test_export_lets_no_spreadsheet_compute_a_servers_text(tmp_path):
    Store(tmp_path / "runs").write(record("=HYPERLINK(1)"))
    export(load(tmp_path / "runs"), tmp_path / "out", "csv.gz")
    text = gzip.decompress((tmp_path / "out/runs.csv.gz").read_bytes()).decode()
    assert ",'=HYPERLINK(1)," in text
    assert ",=HYPERLINK" not in text


def test_export_bytes_are_the_same_for_the_same_runs(tmp_path):
    filled(tmp_path / "runs")
    for out in "ab":
        export(load(tmp_path / "runs"), tmp_path / out, "csv.gz")
    assert (tmp_path / "a/probes.csv.gz").read_bytes() == (tmp_path / "b/probes.csv.gz").read_bytes()


def test_export_of_an_unknown_format_is_refused(tmp_path):
    with pytest.raises(UsageError, match="parquet, csv"):
        export(Runs([]), tmp_path, "xlsx")
