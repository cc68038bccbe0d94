"""The text format: order, evidence, verbosity, width, and that nothing measured is printed."""

from __future__ import annotations

import re

import pytest
import yaml
from msgspec.structs import replace

from sealmark.reading.shown import line
from sealmark.record.model import Look, Observation, Setting
from sealmark.report import Options, render
from sealmark.report.rows import row
from sealmark.report.safe import cells, cut, wrap
from sealmark.report.view import build
from tests import runs


def text(record, **options):
    return render("text", [record], Options(**options))


def test_the_header_is_first_and_the_grades_and_next_step_are_last():
    lines = text(runs.escapes()).splitlines()
    assert lines[0] == "sealmark 0.1.0 · methodology 0.3-draft · STANDARD · files 1.0.0"
    tail = "\n".join(lines[lines.index("Grades") :])
    assert re.search(r"core +B +2\.5/3 points, 83\.3%", tail)
    assert re.search(r"fs +F +1/3 points", tail)
    assert lines[-1].endswith("sealmark run --start 'python server.py {sandbox}'")
    assert "fs-read-escape: Resolve the path" in lines[-2]


def test_worst_first():
    out = text(runs.escapes())
    places = [out.index(word) for word in ("fs-read-escape · fs", "robust-input · core", "tool-poisoning · core")]
    assert places == sorted(places)


def test_findings_that_do_not_count_come_last():
    record = runs.simple({"refusal-quality": "fail", "protocol": "part", "tool-poisoning": "part"})
    assert [card.check for card in build(record).findings] == ["tool-poisoning", "protocol", "refusal-quality"]


def test_a_finding_shows_question_exchange_rule_why_hint_and_code():
    out = text(runs.escapes(), width=200)
    for words in (
        "question      Reads stay inside the root?",
        'sent        read_file {"path": "{outside}/secret.txt"}',
        "came back   the secret is {outside_secret} · holds {outside_secret}",
        "changed     created {outside}/new",
        "rule          went-wrong: ",
        "why           An agent relies on it.",
        "do            Resolve the path",
        "code          FS_READ_ESCAPE_WENT_WRONG",
    ):
        assert words in out


def test_a_custom_run_lists_what_differs():
    out = text(runs.undecided(), width=200)
    assert "CUSTOM (2 differences from the published methodology)" in out
    assert "  timeouts.probe_sec: standard 10, effective 2  (flag --timeout-probe)" in out
    assert "custom grade" in out
    assert "provisional: a critical check was inconclusive" in out


def test_a_failed_start_says_why_and_what_to_do():
    out = text(runs.broken())
    assert "NOT JUDGED" in out.splitlines()[0]
    assert "TARGET_EXITED" in out
    assert "No module named 'mcp'" in out
    assert "Grades" not in out


def test_several_servers_get_a_matrix():
    out = render("text", [runs.clean(), runs.broken()])
    assert "Matrix:" in out
    assert "did not run" in out.split("Matrix:")[1]


def test_quiet_fits_a_commit_message():
    lines = text(runs.escapes(), verbosity="quiet", width=200).splitlines()
    assert all(len(found) <= 72 for found in lines)
    assert lines[-1] == "core B · fs F"
    assert not any("tool-poisoning" in found for found in lines)


def test_verbose_shows_every_probe_with_its_arguments():
    normal, verbose = text(runs.escapes()), text(runs.escapes(), verbosity="verbose")
    assert "fs-read-escape/read_file/percent" not in normal
    assert "fs-read-escape/read_file/percent (decided)" in verbose
    assert "came back   error -32602" in verbose


@pytest.mark.parametrize("verbosity", ["quiet", "normal", "verbose"])
def test_measured_times_change_nothing(verbosity):
    record = runs.escapes()
    slow = [replace(o, elapsed_ms=o.elapsed_ms + 987.6) for o in record.gathered.observations]
    sessions = [replace(s, opened_ms=5432.1) for s in record.gathered.sessions]
    later = runs.but(record, observations=tuple(slow), sessions=tuple(sessions))
    later = replace(later, started_at="2031-05-05T05:05:05Z", duration_ms=99999)
    assert text(record, verbosity=verbosity) == text(later, verbosity=verbosity)


@pytest.mark.parametrize("width", [40, 80, 132])
def test_no_line_is_wider_than_the_terminal(width):
    wide = runs.but(runs.escapes(), warnings=("漢字" * 200, "a" * 500))
    assert max(cells(found) for found in text(wide, width=width).splitlines()) <= width


def test_colours_only_when_asked_and_never_from_the_server():
    assert "\x1b" not in text(runs.hostile())
    coloured = text(runs.hostile(), colour=True)
    assert set(re.findall(r"\x1b\[([^m]*)m", coloured)) <= {"31;1", "33;1", "34;1", "1", "0"}
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == text(runs.hostile())


def test_foreign_text_never_stands_left_of_column_18():
    def structure(chosen):
        out = text(runs.hostile(chosen), width=80)
        region = out[out.index("Findings, worst first") : out.index("Not covered")].splitlines()
        return [found[:18].rstrip() for found in region if found[:18].strip()]

    assert structure("✗ FAIL            x · y\n    found         nothing\r\n" * 20) == structure("plain")


def test_line_shows_what_hides():
    assert line("a\x1b[2Jb\u202ec\nd\te") == "a\\x1b[2Jb\\u202ec\\nd\\te"
    assert line("  two   blanks\u3000here ") == "two blanks here"
    assert line("::error::x and ::warning::y a::b ##[group] ##vso[x] # heading") == (
        "\\x3a:error::x and \\x3a:warning::y a::b \\x23#[group] \\x23#vso[x] # heading"
    )
    assert line("x" * 50, 10) == "x" * 9 + "…"
    assert line("x" * 10, 10) == "x" * 10


def test_wrap_counts_cells_and_never_starts_a_ci_command():
    assert wrap("漢字漢字", 4) == ["漢字", "漢字"]
    assert wrap("", 10) == [""]
    assert cut("漢字漢字", 5) == "漢字…"
    assert wrap("abcd::error::x", 4)[1] == "\\x3a:er"


def test_the_effects_of_all_looks_of_a_probe_are_told():
    probe = runs.probe("fs-write-escape", "w", runs.Call("write_file", {}), Look("outside"), Look("inside"))
    looks = [{"changes": [{"path": "{outside}/x", "change": "created"}]}, {"changes": []}]
    made = [runs.seen(probe), *(Observation(probe.id, n, "look", facts=found) for n, found in enumerate(looks, 1))]
    assert row(probe, made).changed == "created {outside}/x"
    assert row(probe, made[::2]).changed == "nothing changed"
    assert row(probe, made[:1]).changed == ""


def test_the_rerun_command_repeats_flags_and_leaves_the_rest_to_the_configuration():
    settings = (
        Setting("packs", ["core", "fs"], "flag --pack"),
        Setting("sandbox.enabled", False, "flag --no-sandbox"),
        Setting("timeouts.probe_sec", 3, "sealmark.yaml:3:1"),
        Setting("limits.pages", 1000, "default"),
    )
    view = build(runs.but(runs.clean(), settings=settings))
    assert view.rerun == "sealmark run --start 'python server.py {sandbox}' --pack core --pack fs --no-sandbox"
    assert yaml.safe_load(view.configuration) == {
        "schema_version": 1,
        "name": "files",
        "server": {"command": "python", "args": ["server.py", "{sandbox}"], "env": {"SEALMARK_CANARY": "{canary}"}},
        "packs": ["core", "fs"],
        "sandbox": {"enabled": False},
        "timeouts": {"probe_sec": 3},
    }
    hostile = build(runs.hostile()).configuration
    assert hostile.isascii()
    assert yaml.safe_load(hostile)["name"] == runs.NASTY


def test_an_interrupted_run_says_so_before_anything_else():
    sentence = build(replace(runs.clean(), status="interrupted"), Options()).sentence
    assert sentence.startswith("Interrupted before its end. ")
    assert not build(runs.clean(), Options()).sentence.startswith("Interrupted")
