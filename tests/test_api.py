"""The Python API as a script and as a notebook use it."""

import asyncio
import sys
from pathlib import Path

import pytest

import sealmark
from sealmark.errors import ConfigError, RecordError, ServerError, UsageError

SERVERS = str(Path(__file__).with_name("servers.py"))
START = f"{sys.executable} {SERVERS} modern_only {{sandbox}}"


@pytest.fixture(scope="module")
def run():
    return sealmark.run(START, packs=["core"])


def test_run_gives_tidy_frames(run):
    assert set(run.packs["pack"]) >= {"core"}
    assert {"pack", "check", "verdict", "rule", "summary"} <= set(run.checks.columns)
    assert {"probe", "role", "session", "sent", "got"} <= set(run.probes.columns)
    assert list(run.tools["tool"]) == ["echo"]
    assert len(run.observations) >= len(run.probes)


def test_run_works_inside_a_running_loop():
    async def cell():
        return sealmark.run(START, packs=["core"])

    assert asyncio.run(cell()).checks["verdict"].notna().all()


def test_arun_is_awaited():
    assert len(asyncio.run(sealmark.arun(START, packs=["core"])).packs) >= 1


def test_what_a_run_shows_is_escaped():
    from msgspec.structs import replace

    from sealmark.frames.run import Run

    record = sealmark.run(START, packs=["core"]).record
    server = replace(record.gathered.server, name="<script>alert(1)</script>\x1b[31m")
    shown = Run(replace(record, gathered=replace(record.gathered, server=server)))
    html = shown._repr_html_()
    assert "<script>alert" not in html
    assert "\x1b" not in html
    assert "\x1b" not in repr(shown)


def test_save_load_regrade_diff(run, tmp_path):
    path = tmp_path / "run.json"
    run.save(path)
    (tmp_path / "broken.json").write_text('{"schema": 1')
    runs = sealmark.load(tmp_path)
    assert len(runs) == 1
    assert len(runs.problems) == 1
    again = sealmark.regrade(runs[0], settings={"checks.protocol.severity": "advisory"})
    assert len(again.record.judgements) == 2
    assert again.record.gathered == run.record.gathered
    found = sealmark.diff(path, path)
    assert found.changes == ()
    assert found.drift == ()


def test_a_setting_that_gathering_reads_cannot_be_changed_afterwards(run):
    with pytest.raises(UsageError, match=r"timeouts\.call_sec"):
        sealmark.regrade(run, settings={"timeouts.call_sec": 1})


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: sealmark.run("no-such-program-of-ours"), ServerError),
        (lambda: sealmark.run(START, settings={"timeouts.cal_sec": 1}), ConfigError),
        (lambda: sealmark.run(START, packs=["cor"]), ConfigError),
        (lambda: sealmark.load("does-not-exist.json"), RecordError),
        (lambda: sealmark.no_such_name, AttributeError),
    ],
)
def test_mistakes_are_one_clear_error(call, error):
    with pytest.raises(error):
        call()
