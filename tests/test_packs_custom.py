"""The user's own probes: every expectation both ways, coverage, issue codes, mistakes with their place, offline."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sealmark import __version__
from sealmark.cli import root
from sealmark.conductor import Conductor
from sealmark.judging.regrade import regrade
from sealmark.packs.custom.own import expected, template, variants
from sealmark.record.codec import dump, load
from sealmark.record.model import RunRecord, Verdict
from sealmark.settings import Origin, Settings

SERVERS = str(Path(__file__).with_name("servers.py"))

ROWS = json.dumps({"rows": [{"n": n, "name": "x" * 30} for n in range(200)], "meta": {"source": "db"}})


def say(text: str, **expect: Any) -> dict[str, Any]:
    return {"tool": "say", "args": {"text": text}, "expect": expect}


def fails(text: str, **expect: Any) -> dict[str, Any]:
    return {"tool": "fail", "args": {"text": text}, "expect": expect}


def logs(text: str, **log: Any) -> dict[str, Any]:
    return {"tool": "log", "args": {"text": text}, "expect": {"log": log}}


TABLE: dict[str, tuple[dict[str, Any], str]] = {
    "works": (say("hello"), "met"),
    "says-nothing-of-it": ({"tool": "say", "args": {"text": "a"}}, "met"),
    "must-be-refused": (fails("WRITE_NOT_ALLOWED", status="fail"), "met"),
    "is-not-refused": (say("done", status="fail"), "contract"),
    "fails-unexpectedly": (fails("disk full"), "call-failed"),
    "fails-and-lacks": (fails("disk full", required_fields=["source"]), "contract"),
    "needs-a-login": (fails("401 Unauthorized"), "needs-auth"),
    "needs-a-login-as-expected": (fails("401 Unauthorized", status="warn"), "met"),
    "no-login-needed": (say("fine", status="warn"), "contract"),
    "refused-by-permission": (fails("403 Forbidden", status="fail"), "met"),
    "tolerated": (fails("E_QUOTA: come back later", tolerate=["E_QUOTA"]), "needs-auth"),
    "tolerated-wins-over-status": (fails("HTTP 403", status="pass", tolerate=[401, 403]), "needs-auth"),
    "not-tolerated": (fails("401 Unauthorized", tolerate=[403]), "call-failed"),
    "code": (fails('{"error": {"code": "WRITE_NOT_ALLOWED"}}', error_code="write_not_allowed"), "met"),
    "other-code": (fails("READ_ONLY", error_code="WRITE_NOT_ALLOWED"), "contract"),
    "code-in-a-success": (say("WRITE_NOT_ALLOWED", error_code="WRITE_NOT_ALLOWED"), "contract"),
    "fields": (say(ROWS, required_fields=["source", "name"]), "met"),
    "field-missing": (say(ROWS, required_fields=["freshness"]), "contract"),
    "rows": (say(ROWS, max_rows=200), "met"),
    "too-many-rows": (say(ROWS, max_rows=199), "contract"),
    "rows-untold": (say("done", max_rows=5), "contract"),
    "contains": (say("Hello World", contains=["hello world"]), "met"),
    "contains-not": (say("Hello", contains=["hello", "world"]), "contract"),
    "holds-none": (say("fine", not_contains=["DATABASE_URL", "stack"]), "met"),
    "holds-one-far-behind": (say("x" * 9000 + "stack", not_contains=["STACK"]), "contract"),
    "small": (say("x" * 100, response={"max_bytes": 400}), "met"),
    "large": (say("x" * 1000, response={"max_bytes": 400}), "contract"),
    "logged": (logs("audit: one read", contains=["AUDIT"], not_contains=["token"]), "met"),
    "not-logged": (logs("nothing", contains=["audit"]), "contract"),
    "logs-a-canary": (logs("{canary}", not_contains=["{canary}"]), "contract"),
    "crashes": ({"tool": "crash"}, "crashed"),
    "hangs": ({"tool": "hang"}, "hung"),
    "changes-something": ({"tool": "say", "args": {"text": "a"}, "active": True}, "not-active"),
    "wrong-type": ({"tool": "say", "args": {"text": 5}, "expect": {"status": "fail"}}, "met"),
}  # fmt: skip
"""Check -> (its probe, the rule that must decide)."""


def conduct(probes: list[dict[str, Any]], **settings: Any) -> RunRecord:
    given = {
        "server.command": sys.executable,
        "server.args": (SERVERS, "contract"),
        "packs": ("custom",),
        "timeouts.call_sec": 1,
        "probes": tuple(probes),
        **settings,
    }
    made = Settings.standard().replace(given, Origin("code"))
    return asyncio.run(Conductor(made, environ=os.environ, packs=()).run())


def verdicts(record: RunRecord) -> dict[str, Verdict]:
    assert record.judgement is not None, record.failure
    return {verdict.check: verdict for verdict in record.judgement.verdicts}


@pytest.fixture(scope="module")
def ran() -> RunRecord:
    own = [{**probe, "id": name, "check": name} for name, (probe, _) in TABLE.items()]
    coverage: list[dict[str, Any]] = [
        {"tool": "say", "args": {"text": "{token} {sandbox}"}},
        {"tool": "log", "args": {"text": "{matrix.word}"}, "matrix": {"word": ["a", "b"]}},
        {"tool": "fail", "args": {"text": "not allowed"}},
    ]
    return conduct([*own, *coverage])


@pytest.mark.parametrize("name", TABLE)
def test_each_expectation_decides(ran: RunRecord, name: str) -> None:
    verdict = verdicts(ran)[name]
    assert verdict.rule == TABLE[name][1], (verdict.summary, verdict.evidence)


def test_every_failure_has_its_code_and_a_hint(ran: RunRecord) -> None:
    found = verdicts(ran)
    wanted = {
        "is-not-refused": "CONTRACT_ASSERTION_FAILED",
        "fails-unexpectedly": "TOOL_CALL_FAILED",
        "needs-a-login": "TOOL_CALL_AUTH",
        "crashes": "SERVER_CRASHED",
        "hangs": "SERVER_HUNG",
    }
    assert {name: found[name].code for name in wanted} == wanted
    assert all(found[name].hint for name in wanted)


def test_probes_without_a_check_are_coverage_and_decide_nothing(ran: RunRecord) -> None:
    sent = [probe.id for probe in ran.gathered.probes if probe.check == "probes"]
    assert sent == [
        f"probes/{rest}" for rest in (
            f"say/probe-{len(TABLE) + 1}",
            f"log/probe-{len(TABLE) + 2}.word-1",
            f"log/probe-{len(TABLE) + 2}.word-2",
            f"fail/probe-{len(TABLE) + 3}",
        )
    ]  # fmt: skip
    assert "probes" not in verdicts(ran)
    assert ran.judgement is not None
    assert "log" not in ran.judgement.coverage.untested
    assert "fail" in ran.judgement.coverage.untested


def test_a_run_with_own_checks_is_custom_and_one_with_coverage_alone_is_not(ran: RunRecord) -> None:
    assert ran.judgement is not None
    assert not ran.judgement.integrity.standard
    record = conduct([{"tool": "say", "args": {"text": "a"}}], packs=Settings.standard()["packs"])
    assert record.judgement is not None
    assert not [row.key for row in record.judgement.integrity.differences if row.key == "probes"]
    (grade,) = record.judgement.grades
    assert (grade.pack, grade.status) == ("custom", "not-applicable")
    assert record.judgement.coverage.exercised == 1


def test_the_record_judges_again_without_the_configuration(ran: RunRecord) -> None:
    again = regrade(load(dump(ran), "stored"), tool_version=__version__)
    assert again.judgement is not None
    assert ran.judgement is not None
    assert again.judgement.verdicts == ran.judgement.verdicts
    assert again.judgement.grades == ran.judgement.grades


def test_severity_and_title_are_the_users(ran: RunRecord) -> None:
    record = conduct(
        [{**say("a", status="fail"), "check": "mine", "title": "Writes are refused", "severity": "critical"}]
    )
    assert record.judgement is not None
    (entry,) = record.judgement.catalogue
    assert (entry.title, entry.severity, entry.lifecycle) == ("Writes are refused", "critical", "custom")
    assert record.judgement.grades[-1].letter == "F"


def test_several_probes_of_one_check_decide_together() -> None:
    record = conduct([{**say("a"), "check": "mine"}, {**say("b", contains=["c"]), "check": "mine"}])
    verdict = verdicts(record)["mine"]
    assert (verdict.rule, verdict.probes, verdict.answered) == ("contract", 2, 2)
    assert verdict.summary.startswith("1 of 2 calls")


def test_variants_lay_cases_over_arguments_and_combine_the_matrix() -> None:
    probe = {
        "tool": "t",
        "args": {"n": "{matrix.n}", "text": "row {matrix.n} of {matrix.m}"},
        "cases": [{"text": "plain"}],
        "matrix": {"n": [1, 2], "m": ["x"]},
    }
    found = {variant.label: variant.arguments for variant in variants(probe)}
    assert found == {
        "n-1.m-1": {"n": 1, "text": "row 1 of x"},
        "n-2.m-1": {"n": 2, "text": "row 2 of x"},
        "case-1.n-1.m-1": {"n": 1, "text": "plain"},
        "case-1.n-2.m-1": {"n": 2, "text": "plain"},
    }
    assert [variant.arguments for variant in variants({"tool": "t", "cases": [{"a": 1}]})] == [{"a": 1}]


def test_only_what_is_filled_in_probes_stays_a_mark() -> None:
    assert template({"{sandbox}/a": ["{outside}", "{canary} {nothing} {repeat:A:9}"]}) == {
        "{sandbox}/a": ["{=outside}", "{canary} {nothing} {=repeat:A:9}"]
    }


def test_a_callers_token_is_a_mark_in_what_is_expected_alone() -> None:
    assert expected(["x {bearer}", "{bearer:b}"]) == ["x {bearer_a}", "{bearer_b}"]
    assert template("{bearer:b}") == "{=bearer:b}"


HEAD = f"server: {{command: {sys.executable}, args: [{SERVERS}, contract]}}\nprobes:\n"

WRONG = {
    "  - {tool: sya, args: {text: a}}": (
        "sealmark.yaml:3:5: probes[0].tool: the server lists no tool 'sya'; did you mean 'say'?"
    ),
    "  - {tool: say, args: {txt: a}}": "sealmark.yaml:3:5: probes[0].args: the tool's schema rejects them: ",
    "  - {tool: say, args: {text: 5}}": "sealmark.yaml:3:5: probes[0].args: the tool's schema rejects them: ",
    "  - {tool: say, args: {text: a}}\n  - {tool: say, args: {text: a}, matrix: {x: [1]}}": (
        "sealmark.yaml:4:5: probes[1].matrix.x is not used; write {matrix.x} into args"
    ),
    "  - {tool: say, args: {text: '{matrix.y}'}}": "sealmark.yaml:3:5: probes[0] has no matrix value 'y'",
    "  - {tool: say, args: {text: '${HOME}'}}": "sealmark.yaml:3:5: probes[0] cannot hold ${…}",
    "  - {tool: say, args: {text: a}, identity: b}": "sealmark.yaml:3:5: probes[0].identity: 'b' is nobody here",
    "  - {tool: say, args: {text: a}, check: a, expect: {upstream: {requests: none}}}": (
        "sealmark.yaml:3:5: probes[0].expect.upstream needs the stub"
    ),
    "  - {tool: say, args: {text: a}, check: fs-read-escape}": (
        "sealmark.yaml:3:5: probes[0].check: 'fs-read-escape' is a check of this build"
    ),
    "  - {id: a, tool: say, args: {text: a}}\n  - {id: a, tool: say, args: {text: a}}": (
        "sealmark.yaml:3:5: probes[0].id: 'a' is the id of 2 probes"
    ),
    "  - {tool: say, args: {text: a}, expect: {status: maybe}}": "sealmark.yaml:3:51: probes[0].expect.status must be ",
    "  - {tool: say, args: {text: a}}\ntools: {exclude: [say]}": "sealmark.yaml:3:5: probes[0].tool: 'say' is left out",
}  # fmt: skip


@pytest.mark.parametrize("probes", WRONG)
def test_wrong_definitions_are_refused_with_their_place(
    probes: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))
    Path("sealmark.yaml").write_text(f"{HEAD}{probes}\n")
    result = CliRunner().invoke(root, ["plan"])
    assert WRONG[probes] in str(result.exception), (result.output, result.exception)
    assert getattr(result.exception, "exit_code", None) == 2


def test_commands_about_checks_know_those_of_a_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))
    config = tmp_path / "sealmark.yaml"
    config.write_text(f"{HEAD}  - {{tool: say, args: {{text: a}}, check: ours, title: Ours, severity: critical}}\n")

    def sealmark(*words: str) -> str:
        return CliRunner().invoke(root, [*words, "--config", str(config)], catch_exceptions=False).stdout

    assert "custom   ours" in sealmark("list-checks")
    assert "ours · Ours\npack custom · critical · custom" in sealmark("explain", "ours")
    described = json.loads(sealmark("describe", "--json"))
    assert [row["check"] for row in described["checks"] if row["pack"] == "custom"] == ["ours"]
    assert "ours/say/probe-1  [attack, session custom/main]" in sealmark("plan")


def test_a_run_in_which_every_call_needs_a_login_says_so_once_and_is_not_green(ran: RunRecord) -> None:
    from sealmark.report import render
    from sealmark.report.gate import gate

    record = conduct([{"tool": "fail", "args": {"text": "401 Unauthorized"}}, {**fails("HTTP 403"), "check": "mine"}])
    found = gate([record])
    assert found.code == 3
    (said,) = [line for line in found.lines if "TOOL_CALL_AUTH" in line]
    assert said.startswith("TOOL_CALL_AUTH: every tool call (2 of 2)")
    assert render("text", [record]).count("TOOL_CALL_AUTH: every tool call") == 1
    assert not [line for line in gate([ran]).lines if line.startswith("TOOL_CALL_AUTH")]


def test_log_lines_that_this_session_does_not_see_decide_nothing() -> None:
    """Over HTTP one process serves every session and one session reports its log; to the others it is not empty."""
    probe = {**logs("token 1", not_contains=["token"]), "id": "quiet", "check": "quiet"}
    found = conduct(
        [probe],
        **{
            "server.args": (SERVERS, "contract", "{sandbox}", "{server_port}"),
            "server.url": "http://127.0.0.1:{server_port}/mcp",
            "timeouts.call_sec": 10,
        },
    )
    verdict = verdicts(found)["quiet"]
    assert (verdict.tag, verdict.rule) == ("inconclusive", "cannot-tell"), (verdict.summary, found.failure)
