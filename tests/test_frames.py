"""Golden values of every frame, for a record made by hand; dtypes; empty input; hostile text."""

from __future__ import annotations

import subprocess
import sys

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import failed, record
from msgspec.structs import replace
from pandas.testing import assert_frame_equal

from sealmark.frames.columns import FIXED, ORDERED, PLAIN
from sealmark.frames.docs import render
from sealmark.frames.run import Run
from sealmark.frames.runs import Runs
from sealmark.frames.tables import GRAINS, PROBLEMS
from sealmark.frames.versions import version_key
from sealmark.record import codec
from sealmark.record.partial import Reader

ID = "f1962a960cdb"
KEY = {"run_id": ID, "server": "files", "server_version": "1.0.0"}
CONTROL, ATTACK, UNSENT = (
    "fs-read-escape/read_file/control:inside",
    "fs-read-escape/read_file/dotdot",
    "fs-size-cap/read_file/big",
)


def rows(frame: pd.DataFrame) -> list[dict[str, object]]:
    """Rows as plain values, missing ones left out."""
    return [{name: value for name, value in row.items() if not pd.isna(value)} for row in frame.to_dict("records")]


def test_runs_golden():
    (row,) = rows(Runs([Run(record(), "there.json")]).runs)
    assert row == KEY | {
        "started_at": pd.Timestamp("2026-11-01T10:00:00Z"),
        "duration_ms": 1500,
        "status": "complete",
        "transport": "stdio",
        "era": "legacy",
        "protocol_version": "2025-11-25",
        "package": "npm:files@1.0.0",
        "command": "npx -y files@1.0.0 {sandbox}",
        "invented": False,
        "methodology": "0.3",
        "standard": True,
        "integrity": "c0ffee",
        "differences": 0,
        "worst_grade": "D",
        "tools": 2,
        "exercised": 1,
        "sent": 2,
        "answered": 2,
        "failed": 0,
        "not_sent": 1,
        "badge": False,
        "tool_version": "0.1.0",
        "file": "there.json",
    }


def test_runs_of_a_failed_run_golden():
    (row,) = rows(Runs([Run(failed())]).runs)
    assert {name: row[name] for name in ("server", "server_version", "status", "failure_code", "failure")} == {
        "server": "broken",
        "server_version": "",
        "status": "failed",
        "failure_code": "TARGET_EXITED",
        "failure": "the server exited with code 1",
    }
    assert not {"standard", "worst_grade", "methodology", "tools"} & row.keys()


def test_packs_golden():
    core, fs = rows(Run(record()).packs)
    common = {"provisional": False, "hygiene_only": False, "candidate": False, "standard": True, "methodology": "0.3"}
    assert core == KEY | common | {
        "pack": "core",
        "status": "not-applicable",
        "points": 0.0,
        "scored": 0,
        "checks": 0,
        "reason": "not selected",
    }
    assert fs == KEY | common | {
        "pack": "fs",
        "status": "graded",
        "grade": "D",
        "raw_grade": "B",
        "points": 1.5,
        "scored": 2,
        "percent": 75.0,
        "capped_by": "fs-read-escape",
        "checks": 3,
    }


def test_checks_golden():
    escape, cap = rows(Run(record()).checks)
    assert escape == KEY | {
        "pack": "fs",
        "check": "fs-read-escape",
        "title": "Reads stay inside the root",
        "severity": "critical",
        "lifecycle": "standard",
        "verdict": "fail",
        "rule": "outside-read",
        "summary": "The secret came back.",
        "code": "FS_READ_ESCAPE_OUTSIDE_READ",
        "hint": "Resolve the path first.",
        "probes": 2,
        "answered": 2,
        "revision": 3,
        "says": "A reply held the secret planted outside.",
        "cwe": "CWE-22, CWE-23",
        "owasp": "MCP05",
    }
    assert cap == KEY | {
        "pack": "fs",
        "check": "fs-size-cap",
        "title": "Large files are refused",
        "severity": "scored",
        "lifecycle": "standard",
        "verdict": "inconclusive",
        "rule": "not-sent",
        "summary": "Not sent.",
        "code": "NOT_SENT",
        "hint": "Raise it.",
        "probes": 1,
        "answered": 0,
        "revision": 1,
    }


def test_probes_golden():
    control, attack, unsent = rows(Run(record()).probes)
    common = KEY | {"pack": "fs", "tool": "read_file"}
    assert control == common | {
        "check": "fs-read-escape",
        "probe": CONTROL,
        "role": "control",
        "session": "main",
        "case": "inside",
        "kind": "result",
        "sent": 'read_file {"path": "{sandbox}/a.txt"}',
        "got": "hello",
        "elapsed_ms": 3.5,
        "answered": True,
    }
    assert attack == common | {
        "check": "fs-read-escape",
        "probe": ATTACK,
        "role": "attack",
        "session": "fs",
        "case": "dotdot",
        "kind": "result",
        "decided": "outside-read",
        "sent": 'read_file {"path": "{outside}/secret.txt"}',
        "got": "{outside_secret} · holds {outside_secret}",
        "elapsed_ms": 7.5,
        "answered": True,
        "sightings": "outside_secret",
        "changed": "created: new.txt",
    }
    assert unsent == common | {
        "check": "fs-size-cap",
        "probe": UNSENT,
        "role": "attack",
        "session": "main",
        "case": "big",
        "kind": "unsent",
        "sent": 'read_file {"path": "{sandbox}/big"}',
        "got": "not sent: budget: 0 calls left",
        "answered": False,
    }


def test_probes_tell_a_refusal_from_a_result():
    attack = rows(Run(record(leaks=False)).probes)[1]
    assert (attack["kind"], attack["refusal"], attack["decided"]) == ("tool-error", "target", "refused")
    assert attack["got"] == "tool error: Access denied"


def test_observations_golden():
    control, reply, look, unsent = rows(Run(record()).observations)
    common = KEY | {"pack": "fs", "check": "fs-read-escape", "tool": "read_file", "generation": 1}
    assert control == common | {
        "probe": CONTROL,
        "step": 0,
        "action": "call",
        "outcome": "result",
        "is_error": False,
        "elapsed_ms": 3.5,
        "text": "hello",
        "text_length": 5,
        "rows": 1,
        "body": "b1",
        "body_bytes": 60,
        "body_sha256": "11" * 32,
        "body_cut": False,
    }
    assert reply == common | {
        "probe": ATTACK,
        "step": 0,
        "action": "call",
        "outcome": "result",
        "is_error": False,
        "elapsed_ms": 7.5,
        "text": "{outside_secret}",
        "text_length": 16,
        "shape": "content[text]",
        "sightings": "outside_secret plain in text",
        "body": "b2",
        "body_bytes": 4000,
        "body_sha256": "22" * 32,
        "body_cut": True,
    }
    assert look == common | {
        "probe": ATTACK,
        "step": 1,
        "action": "look",
        "outcome": "look",
        "elapsed_ms": 0.0,
        "facts": '{"created":["new.txt"],"changed":[]}',
    }
    assert unsent == common | {
        "check": "fs-size-cap",
        "probe": UNSENT,
        "step": 0,
        "action": "call",
        "outcome": "unsent",
        "reason": "budget: 0 calls left",
    }


def test_evidence_golden():
    assert rows(Run(record()).evidence) == [
        KEY
        | {
            "pack": "fs",
            "check": "fs-read-escape",
            "verdict": "fail",
            "rule": "outside-read",
            "position": 0,
            "line": "read it",
            "probe": ATTACK,
            "steps": "0, 1",
        }
    ]


def test_tools_golden():
    read, echo = rows(Run(record()).tools)
    assert read == KEY | {
        "tool": "read_file",
        "title": "Read",
        "description": "Reads a file.\nOne per call.",
        "class": "path",
        "confidence": "high",
        "why": "an argument called path",
        "exercised": True,
        "parameters": 2,
        "required": 1,
        "schema_bytes": 84,
        "output_schema": False,
        "read_only": True,
        "open_world": False,
        "sha256": "aa11",
    }
    assert echo == KEY | {
        "tool": "echo",
        "description": "Says it again.",
        "exercised": False,
        "parameters": 0,
        "required": 0,
        "schema_bytes": 0,
        "output_schema": True,
        "sha256": "bb22",
    }


@pytest.mark.parametrize("grain", [*GRAINS.values(), PROBLEMS], ids=lambda grain: grain.name)
def test_an_empty_input_has_the_columns_and_dtypes_of_the_table(grain):
    empty = Runs([]).problems if grain is PROBLEMS else Runs([]).frame(grain.name)
    assert len(empty) == 0
    assert list(empty.columns) == [column.name for column in grain.columns]
    for column in grain.columns:
        found = empty[column.name].dtype
        if column.kind in ORDERED or column.kind in FIXED:
            assert list(found.categories) == list(column.categories)
            assert found.ordered == (column.kind in ORDERED)
        else:
            assert str(found) == PLAIN[column.kind]


@pytest.mark.parametrize("name", GRAINS)
def test_dtypes_do_not_depend_on_the_rows(name):
    empty, full = Runs([]).frame(name), Runs([Run(record()), Run(failed())]).frame(name)
    assert [str(dtype) for dtype in empty.dtypes] == [str(dtype) for dtype in full.dtypes]
    assert not [c for c in full.columns if full[c].dtype == object]


def test_order_of_letters_and_verdicts():
    packs = Runs([Run(record()), Run(record(leaks=False, started="2026-11-02T00:00:00Z"))]).packs
    graded = packs[packs["pack"] == "fs"]
    assert list(graded[graded["grade"] < "B"]["grade"]) == ["D"]
    assert Run(record()).checks["verdict"].min() == "fail"


def test_only_limits_rows_and_columns():
    runs = Runs([Run(record("a")), Run(record("b"))])
    assert list(runs.only(servers="b").checks["server"].unique()) == ["b"]
    assert len(runs.only(servers="b")) == 1
    assert list(runs.only(checks=["fs-size-cap"]).probes["probe"]) == [UNSENT, UNSENT]
    assert list(runs.only(packs="core").packs["pack"]) == ["core", "core"]
    assert list(runs.frame("probes", columns=["kind", "server"]).columns) == ["server", "kind"]
    with pytest.raises(KeyError, match="nonsense"):
        runs.frame("probes", columns=["nonsense"])
    assert runs.only(servers="a").only(servers="b").runs.empty


def test_sequence_of_runs():
    runs = Runs([Run(record("a")), Run(record("b")), Run(record("c"))])
    assert [run.server for run in runs] == ["a", "b", "c"]
    assert isinstance(runs[-1], Run)
    assert [run.server for run in runs[1:]] == ["b", "c"]


@pytest.mark.parametrize("name", GRAINS)
@pytest.mark.parametrize(
    "run", [record(), record(leaks=False, standard=False), failed()], ids=["leaks", "clean", "failed"]
)
def test_a_record_read_in_part_gives_the_same_rows(name, run):
    """`reads` of each table names everything that its rows touch."""
    part = Reader(GRAINS[name].reads).read(codec.dump(run))
    assert_frame_equal(Run(part).frame(name), Run(run).frame(name))


@given(text=st.text(max_size=40))
def test_no_cell_drives_a_terminal(text):
    run = record()
    tool = replace(run.gathered.surface.tools[0], name=text, description=text)
    surface = replace(run.gathered.surface, tools=(tool,))
    cells = Run(replace(run, gathered=replace(run.gathered, surface=surface))).tools
    for shown in (cells["tool"].iloc[0], cells["description"].iloc[0]):
        if not pd.isna(shown):
            assert not any((ord(c) < 32 and c not in "\n\t") or c in "\x7f\x9b\u202e\u200b" for c in shown)


def test_reprs_are_inert():
    evil = "<img src=x onerror=alert(1)>\x1b[31m`$x$`"
    run = record(evil, evil)
    verdict = replace(run.judgements[0].verdicts[0], summary=evil)
    judged = replace(run.judgements[0], verdicts=(verdict,))
    for shown in (
        Run(replace(run, judgements=(judged,)))._repr_html_(),
        Runs([Run(run)])._repr_html_(),
        Run(failed(evil))._repr_html_(),
    ):
        assert "<img" not in shown
        assert "\x1b" not in shown
        assert "$" not in shown
        assert "&lt;img" in shown
    assert "\x1b" not in repr(Run(run))


def test_repr_names_letters_and_limits():
    assert repr(Run(record())) == f"<Run {ID} of files 1.0.0: fs D (complete)>"
    assert repr(Runs([Run(record()), Run(failed())])) == "<Runs: 2 runs of 2 servers, 0 problems>"
    assert "capped by fs-read-escape" in Run(record())._repr_html_()
    assert "not graded" not in Run(record())._repr_html_()


def test_json_round_trip(tmp_path):
    path = Run(record()).save(tmp_path / "one.json")
    assert codec.load(path.read_bytes()) == record()
    assert Run(record()).to_json() == path.read_text()


@given(st.lists(st.integers(0, 300), min_size=1, max_size=4), st.lists(st.integers(0, 300), min_size=1, max_size=4))
def test_versions_compare_as_numbers(one, other):
    keys = [version_key(".".join(map(str, parts))) for parts in (one, other)]
    assert (keys[0] < keys[1]) == (one < other)


def test_versions_in_order():
    wanted = ["0.5.0", "0.6.2", "0.6.10", "1.0.0-rc.1", "1.0.0-rc.2", "1.0.0", "1.0.1", "2025.3.28", "2025.12.18"]
    assert sorted(sorted(wanted), key=version_key) == wanted


def test_docs_are_fresh():
    from sealmark.dev import ROOT

    assert (ROOT / "docs/frames.md").read_text("utf-8") == render()


def test_importing_sealmark_and_frames_loads_no_pandas():
    code = "import sys, sealmark, sealmark.frames.files; sealmark.load; print({'pandas', 'pyarrow'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
