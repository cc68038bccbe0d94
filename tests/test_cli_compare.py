"""The commands that read stored runs: report, diff, verify, baseline. Nothing is started."""

from __future__ import annotations

import json

import pytest
import yaml
from click.testing import CliRunner
from msgspec.structs import replace

from sealmark.cli import root
from sealmark.compare.accepted import acceptances, check
from sealmark.compare.fingerprint import stamp
from sealmark.errors import RecordError, UsageError
from sealmark.record.codec import dump, load
from tests import runs


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("clean", "escapes", "broken"):
        (tmp_path / f"{name}.json").write_bytes(dump(stamp(_judged_by_another_build(getattr(runs, name)()))))
    (tmp_path / "listing.json").write_text(json.dumps({"tools": [{"name": "read_file"}]}))
    return tmp_path


def _judged_by_another_build(run):
    """The run, whose made-up verdicts this build would contradict if it were asked to judge again."""
    return replace(run, judgements=tuple(replace(judgement, tool_version="0.0.1") for judgement in run.judgements))


def call(*words):
    result = CliRunner().invoke(root, words, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.return_value or 0, result.stdout


def test_diff_prints_and_exits_1_on_a_regression(folder):
    code, out = call("diff", "clean.json", "escapes.json")
    assert code == 1
    assert "regression: fs-read-escape in fs: pass → fail" in out
    assert call("diff", "escapes.json", "clean.json")[0] == 0
    assert call("diff", "clean.json", "clean.json") == (0, "no change\n")


def test_diff_as_json(folder):
    code, out = call("diff", "clean.json", "escapes.json", "--json")
    document = json.loads(out)
    assert (code, document["exitCode"], document["format"]) == (1, 1, "sealmark.diff/1")


def test_diff_with_a_saved_listing_shows_drift(folder):
    code, out = call("diff", "listing.json", "clean.json")
    assert code == 1
    assert "drift: notable: tool write_file added" in out


def test_a_saved_listing_is_judged_offline_as_custom(folder):
    (folder / "listing.json").write_text(json.dumps({"tools": [{"name": "a", "description": "Ends \x1b[31m"}]}))
    code, out = call("regrade", "listing.json", "--format", "json")
    judged = load(out.encode()).judgement
    poisoned = next(verdict for verdict in judged.verdicts if verdict.check == "tool-poisoning")
    assert (code, poisoned.tag) == (0, "fail")
    assert not judged.integrity.standard
    assert {v.tag for v in judged.verdicts if v.check == "robust-input"} == {"inconclusive"}
    assert "NOT JUDGED" in call("report", "listing.json")[1].splitlines()[0]
    assert "run again" not in call("report", "listing.json")[1]


@pytest.mark.parametrize("content", [None, b"", b"{}", b"[1,", b'{"schema": 999}', b"\xff"])
@pytest.mark.parametrize("command", ["diff", "verify", "report"])
def test_an_unreadable_file_is_a_record_error(folder, command, content):
    if content is not None:
        (folder / "bad.json").write_bytes(content)
    words = [command, "bad.json"] + (["clean.json"] if command == "diff" else [])
    with pytest.raises(RecordError) as caught:
        call(*words)
    assert caught.value.exit_code == 2
    assert "bad.json" in caught.value.message


def test_verify_finds_edits(folder):
    code, out = call("verify", "clean.json", "escapes.json", "broken.json")
    assert code == 0
    assert out.count("unedited") == 3
    text = (folder / "escapes.json").read_text().replace("A file appeared outside the root.", "Nothing happened.")
    (folder / "edited.json").write_text(text)
    code, out = call("verify", "clean.json", "edited.json")
    assert code == 1
    assert "edited.json: files: verdicts: verdicts does not have its fingerprint" in out
    (folder / "bare.json").write_bytes(dump(runs.clean()))
    assert call("verify", "bare.json")[0] == 1


def test_report_renders_any_format_to_stdout_or_files(folder):
    assert call("report", "escapes.json")[1].startswith("sealmark 0.0.1 · methodology")
    assert call("report", "clean.json", "broken.json")[1].count("Matrix:") == 1
    call("report", "escapes.json", "--format", "markdown,sarif", "--format", "junit", "--out-dir", "out")
    assert sorted(path.name for path in (folder / "out").iterdir()) == [
        "sealmark-report.junit.xml",
        "sealmark-report.md",
        "sealmark-report.sarif",
    ]
    (folder / "t.j2").write_text("{{ header.label }}!")
    assert "STANDARD!" in call("report", "clean.json", "--template", "t.j2")[1]
    with pytest.raises(UsageError):
        call("report", "clean.json", "--format", "pdf")


def test_baseline_prints_entries_that_the_configuration_takes(folder):
    words = ["--accept", "fs-read-escape", "--accept", "robust-input", "--reason", "known", "--expires", "2030-01-31"]
    _, out = call("baseline", "escapes.json", *words)
    rows = yaml.safe_load(out)["output"]["accepted"]
    given = acceptances(rows)
    assert [one.check for one in given] == ["fs-read-escape", "robust-input"]
    check(given, {"files": "python server.py {sandbox}"}, "2030-01-31")
    with pytest.raises(UsageError, match="no finding of 'protocol'"):
        call("baseline", "escapes.json", "--accept", "protocol", "--reason", "r", "--expires", "2030-01-31")


def test_baseline_needs_one_server(folder):
    other = runs.but(runs.escapes(), server=replace(runs.SERVER, name="other"))
    two = {"runs": [json.loads(dump(record)) for record in (runs.escapes(), other)]}
    (folder / "two.json").write_text(json.dumps(two))
    words = ["--accept", "fs-read-escape", "--reason", "r", "--expires", "2030-01-31"]
    with pytest.raises(UsageError, match="2 runs match"):
        call("baseline", "two.json", *words)
    assert "server: other" in call("baseline", "two.json", "--server", "other", *words)[1]
