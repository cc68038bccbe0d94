"""Surveys on real servers: expansion of files, the same results however they are run, resuming, crashes, signals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sealmark
from sealmark.errors import ConfigError, UsageError
from sealmark.frames.files import load
from sealmark.record import codec
from sealmark.settings.document import Document, parse
from sealmark.surveys.executors import executor_of
from sealmark.surveys.jobs import LOST, run_job
from sealmark.surveys.packages import DEADLINE_SEC, expand

TOYS = str(Path(__file__).with_name("survey_servers.py"))
QUICK = {"server.protocol": "legacy", "timeouts.connect_sec": 20}


def entry(toy: str, name: str = "", **more: object) -> dict[str, object]:
    return {"name": name or toy, "command": sys.executable, "args": [TOYS, toy, "{sandbox}"], **more}


def verdicts(runs: sealmark.Runs) -> list[tuple[str, ...]]:
    checks = runs.checks[["server", "check", "verdict", "rule", "summary"]]
    return sorted(tuple(map(str, row)) for row in checks.to_numpy())


# ---- files ---------------------------------------------------------------------------------------------------


def expanded(text: str) -> Document:
    return expand(parse(text, "survey.yaml"))


def test_a_package_with_versions_becomes_a_server_per_version():
    found = expanded("""
        packages:
          - npm: "@modelcontextprotocol/server-filesystem"
            versions: [2025.3.28, 1.10]
            args: ["{sandbox}"]
            env: {DEBUG: "1"}
    """)
    assert found.problems == ()
    assert found.data["servers"] == {
        "server-filesystem@2025.3.28": {
            "name": "server-filesystem",
            "version": "2025.3.28",
            "command": "npx",
            "args": ["-y", "@modelcontextprotocol/server-filesystem@2025.3.28", "{sandbox}"],
            "env": {"DEBUG": "1"},
        },
        "server-filesystem@1.10": {
            "name": "server-filesystem",
            "version": "1.10",
            "command": "npx",
            "args": ["-y", "@modelcontextprotocol/server-filesystem@1.10", "{sandbox}"],
            "env": {"DEBUG": "1"},
        },
    }


@pytest.mark.parametrize(
    ("package", "words"),
    [
        ({"pypi": "mcp-server-time"}, "uvx mcp-server-time"),
        ({"pypi": "mcp-server-git", "versions": ["2025.7.1"]}, "uvx mcp-server-git==2025.7.1"),
        (
            {"pypi": "mcp-server-git", "versions": ["2025.7.1"], "with": ["mcp<2"], "args": ["-v"]},
            "uvx --from mcp-server-git==2025.7.1 --with mcp<2 mcp-server-git -v",
        ),
        ({"pypi": "tool[extra]", "versions": ["1"], "bin": "run-it"}, "uvx --from tool[extra]==1 run-it"),
        ({"npm": "thing", "versions": ["1"], "bin": "other"}, "npx -y --package=thing@1 other"),
    ],
)
def test_how_packages_are_started(package, words):
    found = expand(Document("s", "", {"packages": [package]}))
    assert found.problems == ()
    (body,) = found.data["servers"].values()
    assert [body["command"], *body["args"]] == words.split()


def test_every_run_of_a_survey_has_a_deadline_and_a_name():
    found = expanded("servers: {a: {command: x}, b: {command: y, name: other}}")
    assert found.data["timeouts"] == {"deadline_sec": DEADLINE_SEC}
    assert [body["name"] for body in found.data["servers"].values()] == ["a", "other"]
    assert expanded("timeouts: {deadline_sec: 5}\nservers: {}").data["timeouts"] == {"deadline_sec": 5}


MISTAKES = """\
servers:
  thing: {command: x}
packages:
  - npm: thing
  - npm: "not a name"
  - {npm: a, pypi: b}
  - pypl: b
  - npm: c
    versions: ["1 2"]
  - npm: d
    versions: 3
  - npm: e
    versions: ["1"]
    comand: f
  - just a text
"""


def test_every_mistake_has_its_place(tmp_path):
    (tmp_path / "s.yaml").write_text(MISTAKES)
    with pytest.raises(ConfigError) as error:
        sealmark.survey(tmp_path / "s.yaml", store=tmp_path / "runs")
    lines = [line.partition("s.yaml:")[2] for line in error.value.problems]
    assert [line.split(":")[0] for line in lines] == ["4", "5", "6", "7", "9", "11", "14", "15"]
    assert "is there already" in lines[0]
    assert "did you mean 'pypi'" in lines[3]
    assert "not a version" in lines[4]
    assert "did you mean 'command'" in lines[6]
    assert not (tmp_path / "runs").exists()


KEYS = st.sampled_from(["npm", "pypi", "versions", "with", "args", "bin", "name", "x"])
ANY = st.recursive(
    st.none() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(ANY)
def test_nothing_in_a_survey_file_raises(packages):
    found = expand(Document("s", "", {"packages": packages, "servers": {}}))
    assert isinstance(found.problems, tuple)
    assert isinstance(found.data["servers"], dict)


def test_lists_are_checked_before_anything_starts(tmp_path):
    with pytest.raises(ConfigError, match="has no name"):
        sealmark.survey([{"command": "x"}], store=tmp_path / "runs")
    with pytest.raises(ConfigError, match="is there already"):
        sealmark.survey([entry("plain"), entry("plain")], store=tmp_path / "runs")
    with pytest.raises(UsageError, match="no survey file"):
        sealmark.survey(tmp_path / "none.yaml")
    both = {"servers": {"a": entry("plain", "x"), "b": entry("plain", "x")}}
    (tmp_path / "s.yaml").write_text(json.dumps(both))
    with pytest.raises(UsageError, match="same server with the same configuration"):
        sealmark.survey(tmp_path / "s.yaml", store=tmp_path / "runs")


# ---- running -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def alone(tmp_path_factory) -> sealmark.Runs:
    """The small survey, one at a time."""
    return sealmark.survey(SMALL, store=tmp_path_factory.mktemp("alone"), jobs=1, settings=QUICK)


SMALL = [entry("plain"), entry("dies"), entry("leaky"), entry("plain", "plain-again")]


def test_one_that_crashes_costs_only_itself(alone):
    table = alone.runs.set_index("server")
    assert list(table.index) == ["plain", "dies", "leaky", "plain-again"]
    assert table["status"].astype(str).to_dict() == {
        "plain": "complete",
        "dies": "failed",
        "leaky": "complete",
        "plain-again": "complete",
    }
    assert table.loc["dies", "failure_code"] == "TARGET_EXITED"
    letters = alone.packs.query("pack == 'core'").set_index("server")["grade"].astype(str).to_dict()
    assert letters == {"plain": "A", "leaky": "D", "plain-again": "A"}


def test_one_and_several_jobs_give_the_same(alone, tmp_path):
    runs = sealmark.survey(SMALL, store=tmp_path, jobs=4, settings=QUICK)
    assert verdicts(runs) == verdicts(alone)
    assert list(runs.runs["server"]) == list(alone.runs["server"])


def test_processes_give_the_same(alone, tmp_path):
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        runs = sealmark.survey(SMALL, store=tmp_path, executor=pool, settings=QUICK)
        assert pool.submit(int, "1").result() == 1, "an executor that was given is left open"
    assert verdicts(runs) == verdicts(alone)


def test_two_workers_of_a_dask_cluster_give_the_same(alone, tmp_path):
    with executor_of("dask", 2) as pool:
        runs = sealmark.survey(SMALL, store=tmp_path, executor=pool, settings=QUICK)
    assert verdicts(runs) == verdicts(alone)


def test_progress_counts_and_guesses(tmp_path):
    seen = []
    sealmark.survey([entry("plain"), entry("dies")], store=tmp_path, jobs=1, settings=QUICK, on_progress=seen.append)
    assert [(p.entry, p.done, p.total, p.failed) for p in seen] == [
        ("", 0, 2, 0),
        ("plain", 1, 2, 0),
        ("dies", 2, 2, 1),
    ]
    assert seen[0].left_sec is None
    assert seen[1].left_sec > 0
    assert seen[2].left_sec == 0
    assert seen[1].run.gathered.server.name == "plain"


def test_a_silent_server_costs_its_time_only(tmp_path):
    runs = sealmark.survey(
        [entry("silent"), entry("plain")], store=tmp_path, jobs=2, settings={**QUICK, "timeouts.connect_sec": 2}
    )
    assert list(runs.runs["failure_code"].fillna("")) == ["HANDSHAKE_TIMEOUT", ""]


def test_a_survey_of_nothing(tmp_path):
    runs = sealmark.survey([], store=tmp_path)
    assert len(runs) == 0
    assert runs.checks.empty
    (tmp_path / "empty.yaml").write_text("packs: [core]")
    with pytest.raises(UsageError, match="names no server"):
        sealmark.survey(tmp_path / "empty.yaml", store=tmp_path)


def test_secrets_stay_out_of_stored_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("THE_SECRET", "s3cr3t-v4lue-of-mine")
    sealmark.survey([entry("leaky", env={"TOKEN": "${THE_SECRET}"})], store=tmp_path, settings=QUICK)
    (path,) = tmp_path.glob("*.json")
    assert "s3cr3t" not in path.read_text()
    assert "${THE_SECRET}" in path.read_text()


# ---- resuming ------------------------------------------------------------------------------------------------


class Loses(Executor):
    """Runs jobs at once, but for one whose worker dies."""

    def __init__(self, lost: str) -> None:
        self.lost = lost

    def submit(self, fn, /, job):  # type: ignore[override]
        future: Future[bytes] = Future()
        if job.entry == self.lost:
            future.set_exception(BrokenProcessPool("a worker died"))
        else:
            future.set_result(fn(job))
        return future


def test_a_lost_worker_gives_a_failed_record_that_resuming_does_again(tmp_path):
    servers = [entry("plain"), entry("leaky")]
    runs = sealmark.survey(servers, store=tmp_path, executor=Loses("leaky"), settings=QUICK)
    assert list(runs.runs["failure_code"].fillna("")) == ["", LOST]
    kept = Path(runs.runs["file"][0])
    before = kept.stat().st_mtime_ns
    again = sealmark.survey(servers, store=tmp_path, resume=True, settings=QUICK)
    assert list(again.runs["status"].astype(str)) == ["complete", "complete"]
    assert Path(again.runs["file"][0]) == kept
    assert kept.stat().st_mtime_ns == before


def test_resuming_what_is_finished_runs_nothing_and_a_new_round_runs_all(tmp_path):
    servers = [entry("dies")]
    first = sealmark.survey(servers, store=tmp_path, settings=QUICK)
    seen = []
    again = sealmark.survey(servers, store=tmp_path, resume=True, settings=QUICK, on_progress=seen.append)
    assert [p.done for p in seen] == [1]
    assert list(again.runs["run_id"]) == list(first.runs["run_id"])
    fresh = sealmark.survey(servers, store=tmp_path, settings=QUICK)
    assert list(fresh.runs["run_id"]) != list(first.runs["run_id"])
    assert len(load(tmp_path)) == 2


def test_resuming_with_another_configuration_runs_it(tmp_path):
    sealmark.survey([entry("dies")], store=tmp_path, settings=QUICK)
    changed = sealmark.survey([entry("dies", env={"A": "1"})], store=tmp_path, resume=True, settings=QUICK)
    assert len(changed) == 1
    assert len(load(tmp_path)) == 2


def test_resuming_nothing_is_one_clear_error(tmp_path):
    with pytest.raises(UsageError, match="Start it without --resume"):
        sealmark.survey([entry("dies")], store=tmp_path, resume=True)


def file_of(folder: Path, servers: list[dict[str, object]]) -> Path:
    path = folder / "servers.yaml"
    timeouts = {"connect_sec": 60}
    entries = {str(server["name"]): {**server, "protocol": "legacy"} for server in servers}
    path.write_text(json.dumps({"timeouts": timeouts, "servers": entries}))
    return path


def command(path: Path, store: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "sealmark", "survey", str(path), "--store", str(store), *more]


def until_done(process: subprocess.Popen[str], count: int) -> None:
    """Read progress until so many runs are done."""
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith(f"{count} of"):
            return
    raise AssertionError("it ended before")


def test_a_killed_survey_resumes_without_repeating_or_losing_a_run(tmp_path):
    starts, store = tmp_path / "starts", tmp_path / "runs"
    names = [f"s{number}" for number in range(5)]
    path = file_of(tmp_path, [entry("counted", name, env={"STARTS": f"{starts}-{name}"}) for name in names])
    with subprocess.Popen(command(path, store, "--jobs", "2"), stderr=subprocess.PIPE, text=True) as process:
        until_done(process, 2)
        process.send_signal(signal.SIGKILL)
    kept = {file: file.stat().st_mtime_ns for file in store.glob("*.json")}
    assert 2 <= len(kept) < 5
    finished = {codec.load(file.read_bytes()).gathered.server.name for file in kept}
    started = {name: Path(f"{starts}-{name}").read_text() for name in finished}
    done = subprocess.run(command(path, store, "--resume"), capture_output=True, text=True, check=True)
    assert f"{len(kept)} of 5" in done.stderr.splitlines()[0]
    runs = load(store)
    assert sorted(runs.runs["server"]) == names
    assert set(runs.runs["status"].astype(str)) == {"complete"}
    assert {file: file.stat().st_mtime_ns for file in kept} == kept
    assert {name: Path(f"{starts}-{name}").read_text() for name in finished} == started
    assert [line.split()[0] for line in done.stdout.splitlines()[1:]] == names


@pytest.mark.parametrize(("signum", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stopped_survey_keeps_what_had_ended(tmp_path, signum, code):
    store = tmp_path / "runs"
    path = file_of(tmp_path, [entry("plain"), entry("silent"), entry("leaky")])
    with subprocess.Popen(command(path, store, "--jobs", "2"), stderr=subprocess.PIPE, text=True) as process:
        until_done(process, 2)
        process.send_signal(signum)
        assert process.stderr is not None
        last = process.stderr.read().splitlines()
        assert process.wait(30) == code
    assert last[-1].startswith(f"sealmark exit {code}")
    assert "--resume" in last[-2]
    assert sorted(load(store).runs["server"]) == ["leaky", "plain"]
    assert not [pid for pid in os.listdir("/proc") if pid.isdigit() and _runs(pid, "silent")]


def _runs(pid: str, toy: str) -> bool:
    try:
        words = Path("/proc", pid, "cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return TOYS.encode() in words and toy.encode() in words


def test_a_job_survives_the_way_to_another_machine(tmp_path):
    import pickle

    from sealmark.configfile import load as configuration
    from sealmark.surveys.jobs import jobs_of

    document = expand(Document("s", "", {"servers": {"dies": entry("dies")}}))
    (job,) = jobs_of(configuration(None, environ={}, project=document, look=False))
    there = pickle.loads(pickle.dumps(job))
    assert there.identity == job.identity
    record = msgspec.json.decode(run_job(there))
    assert record["status"] == "failed"


def test_unknown_executors_are_refused():
    with pytest.raises(UsageError, match="threads, processes, dask"), executor_of("ray", 1):
        pass
    with pytest.raises(UsageError, match="--executor dask"), executor_of("threads", 1, "tcp://x"):
        pass
