"""What `config show` says before a run is what the run's report says: STANDARD or CUSTOM, the hash, each difference."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from sealmark.cli import root
from sealmark.errors import UsageError

SERVERS = Path(__file__).with_name("servers.py")
START = shlex.join([sys.executable, str(SERVERS), "modern_only"])


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))
    monkeypatch.delenv("CI", raising=False)


def sealmark(*line: str) -> Result:
    return CliRunner().invoke(root, list(line), standalone_mode=False)


def told(*flags: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The integrity that `config show` tells, and the one of the run's record."""
    shown = json.loads(sealmark("config", "show", "--json", *flags).stdout)["integrity"]
    record = json.loads(sealmark("run", "--format", "json", *flags).stdout)
    ran = record["judgements"][-1]["integrity"]
    return shown, {"standard": ran["standard"], "hash": ran["hash"], "diff": ran.get("differences", [])}


def same(shown: dict[str, Any], ran: dict[str, Any]) -> None:
    assert shown["standard"] == ran["standard"]
    assert shown["hash"] == ran["hash"]
    assert [(row["key"], row["effective"]) for row in shown["diff"]] == [
        (row["key"], row["effective"]) for row in ran["diff"]
    ]
    assert [row.get("origin", "") for row in shown["diff"]] == [row.get("origin", "") for row in ran["diff"]]


def test_a_standard_run_is_said_to_be_one_by_both() -> None:
    shown, ran = told("--start", START)
    assert shown["standard"]
    same(shown, ran)
    assert " STANDARD " in sealmark("run", "--start", START, "--verbosity", "quiet").stdout.splitlines()[0]


def test_differences_from_every_layer_are_told_by_both_with_their_origin(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("user/sealmark").mkdir(parents=True)
    Path("user/sealmark/config.yaml").write_text("tools: {exclude: [from_user]}\n")
    Path("sealmark.yaml").write_text(
        f"profile: mine\nprofiles: {{mine: {{limits: {{pages: 7}}}}}}\n"
        f"server: {{command: {sys.executable}, args: [{SERVERS}, modern_only], env: {{A_TOKEN: literal-token-1}}}}\n"
        "tools: {exclude: [from_project], overrides: {echo: {class: text}}}\n"
        "checks: {robust-input: {severity: advisory}, stderr-noise: {enabled: false}}\n"
        "packs: [core]\n"
    )
    Path("sealmark.local.yaml").write_text("tools: {exclude: [from_local]}\n")
    monkeypatch.setenv("SEALMARK_TIMEOUTS__CALL_SEC", "29")
    shown, ran = told("--timeout-probe", "9")
    assert not shown["standard"]
    assert {row["key"] for row in shown["diff"]} >= {
        "packs",
        "tools.exclude",
        "tools.overrides",
        "timeouts.call_sec",
        "timeouts.probe_sec",
        "limits.pages",
        "checks.robust-input.severity",
        "checks.stderr-noise.enabled",
    }
    same(shown, ran)
    first = sealmark("config", "show", "--timeout-probe", "9").stdout.splitlines()[0]
    assert first.startswith(f"# CUSTOM: {len(ran['diff'])} settings differ")
    header = sealmark("run", "--timeout-probe", "9", "--verbosity", "quiet").stdout.splitlines()[0]
    assert f"CUSTOM ({len(ran['diff'])} differences" in header


def test_in_a_pipeline_the_ci_profile_writes_reports_and_stays_standard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    result = sealmark("run", "--start", START)
    assert "note: variable CI: the profile ci is used" in result.stderr
    assert {path.name for path in Path("sealmark-report").iterdir()} == {
        "sealmark-report.junit.xml",
        "sealmark-report.json",
    }
    record = json.loads(Path("sealmark-report/sealmark-report.json").read_text())
    assert record["judgements"][-1]["integrity"]["standard"]
    assert "modern_only" in result.stdout

    result = sealmark("run", "--start", START, "--format", "text")
    assert "profile ci" not in result.stderr


def test_patterns_of_the_users_own_reach_the_judges() -> None:
    Path("toy.py").write_text(
        f"import sys; sys.path.insert(0, {str(SERVERS.parents[1] / 'corpora/_shared')!r})\n"
        "from toykit import Refused, Server\n"
        "server = Server('own', '.')\n"
        "server.instructions = 'Made with Acme Builder.'\n"
        "@server.tool('look', {'text': {'type': 'string', 'enum': ['a']}}, ['text'])\n"
        "def look(arguments):\n"
        "    return 'seen'\n"
        "server.problem = lambda schema, arguments: '' if arguments == {'text': 'a'} else 'Verboten: nimm frobnicate'\n"
        "server.serve()\n"
    )
    text = (
        "packs: [core]\nchecks:\n"
        "  instructions-hygiene: {deny: ['Acme \\w+']}\n  refusal-quality: {patterns: ['nimm']}\n"
    )
    verdicts = []
    for config in (text, "packs: [core]\n"):
        Path("sealmark.yaml").write_text(config)
        record = json.loads(sealmark("run", "--start", f"{sys.executable} toy.py", "--format", "json").stdout)
        verdicts.append({row["check"]: (row["tag"], row["rule"]) for row in record["judgements"][-1]["verdicts"]})
    own, plain = verdicts
    assert own["instructions-hygiene"][0] != "pass"
    assert plain["instructions-hygiene"][0] == "pass"
    assert own["refusal-quality"][0] == "pass"
    assert plain["refusal-quality"][0] != "pass"


def _report(name: str, *flags: str) -> dict[str, Any]:
    assert sealmark("run", "--start", START, "--format", "json", "--out", name, *flags).exception is None
    record: dict[str, Any] = json.loads(Path(name).read_text())
    return record


def test_a_replay_restores_what_decides_a_grade_and_gives_the_same_hash() -> None:
    Path("sealmark.yaml").write_text(
        "limits: {pages: 7}\ntools: {exclude: [one, two]}\nchecks: {robust-input: {severity: advisory}}\n"
    )
    first = _report("first.json")
    assert not first["judgements"][-1]["integrity"]["standard"]
    Path("sealmark.yaml").write_text("limits: {pages: 9}\ntools: {exclude: [other]}\n")
    again = _report("again.json", "--replay", "first.json")
    assert again["judgements"][-1]["integrity"]["hash"] == first["judgements"][-1]["integrity"]["hash"]
    settings = {row["key"]: row for row in again["gathered"]["settings"]}
    assert settings["limits.pages"]["value"] == 7
    assert settings["tools.exclude"]["value"] == ["one", "two"]
    assert settings["limits.pages"]["origin"] == "flag --replay first.json"
    verdicts = [
        [(row["check"], row["tag"], row["rule"]) for row in run["judgements"][-1]["verdicts"]] for run in (first, again)
    ]
    assert verdicts[0] == verdicts[1]


def test_a_replay_of_a_standard_report_is_standard_whatever_the_file_says() -> None:
    first = _report("first.json")
    Path("sealmark.yaml").write_text("checks: {robust-input: {enabled: false}}\n")
    again = _report("again.json", "--replay", "first.json")
    assert again["judgements"][-1]["integrity"]["standard"]
    assert again["judgements"][-1]["integrity"]["hash"] == first["judgements"][-1]["integrity"]["hash"]


def test_a_report_whose_settings_were_edited_is_not_replayed_and_nothing_starts() -> None:
    _report("first.json", "--timeout-probe", "3")
    text = Path("first.json").read_text()
    edited = json.loads(text)
    for row in edited["gathered"]["settings"]:
        if row["key"] == "timeouts.probe_sec":
            row["value"] = 4
    Path("first.json").write_text(json.dumps(edited))
    refused = sealmark("run", "--start", "no-such-program", "--replay", "first.json")
    assert isinstance(refused.exception, UsageError)
    assert "first.json: cannot be replayed: its settings do not give its configuration hash" in str(refused.exception)


def test_a_report_of_another_methodology_says_which() -> None:
    record = _report("first.json")
    record["judgements"][-1]["methodology"] = "0.2-draft"
    record["judgements"][-1]["integrity"]["hash"] = "0" * 64
    Path("first.json").write_text(json.dumps(record))
    refused = sealmark("run", "--start", START, "--replay", "first.json")
    assert "judged under methodology 0.2-draft, and this build has 0.3-draft" in str(refused.exception)


def test_a_flag_that_gives_what_a_replay_restores_is_refused() -> None:
    _report("first.json")
    refused = sealmark("run", "--start", START, "--replay", "first.json", "--timeout-probe", "3")
    assert "--replay restores timeouts.probe_sec, and a flag gives another value" in str(refused.exception)


def test_a_replay_names_what_has_to_be_declared_again() -> None:
    _report("first.json", "--active")
    noted = sealmark("run", "--start", START, "--replay", "first.json", "--format", "json", "--out", "again.json")
    assert "note: the report was made with --active; without it those packs and probes are left out" in noted.stderr


def test_of_a_report_of_several_runs_one_is_named() -> None:
    record = _report("first.json")
    both = [
        record,
        {**record, "gathered": {**record["gathered"], "server": {**record["gathered"]["server"], "name": "other"}}},
    ]
    Path("both.json").write_text(json.dumps({"schema": "sealmark.runs/1", "runs": both}))
    refused = sealmark("run", "--start", START, "--replay", "both.json")
    assert "both.json holds 2 runs" in str(refused.exception)
