"""Every rule that makes an exit code, as a table, and the lines that go with it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from sealmark.compare.changes import Change, Diff, Drift
from sealmark.errors import UsageError
from sealmark.record.model import Coverage
from sealmark.report.gate import Policy, gate, grade_line, policy
from tests import runs

A = runs.simple({"protocol": "pass", "fs-read-escape": "pass"})
B = runs.simple({"protocol": "pass", "robust-input": "part"})  # 1.5 of 2: 75 %
C = runs.simple({"tool-poisoning": "pass", "protocol": "part", "robust-input": "part"})  # 2 of 3
CAPPED = runs.simple({"fs-read-escape": "fail", "fs-write-escape": "pass", "fs-size-cap": "pass"})  # raw C, D
F = runs.simple({"protocol": "fail"})
STARRED = runs.simple({"protocol": "pass", "tool-poisoning": "inconclusive"})
STARRED_B = runs.simple({"protocol": "pass", "robust-input": "part", "tool-poisoning": "inconclusive"})
UNDECIDED = runs.simple({"protocol": "pass", "fs-read-escape": "inconclusive"})
ADVISORY = runs.simple({"protocol": "pass", "refusal-quality": "fail"})
NOTHING = runs.simple({"fs-size-cap": "na"})
BROKEN = runs.broken()
NO_TOOLS = runs.judged(A, coverage=Coverage())
UNTOUCHED = runs.judged(A, coverage=Coverage(tools=3, exercised=0))
OTHER = runs.but(A, server=replace(runs.SERVER, name="other"))

REGRESSED = Diff("files", changes=(Change("regression", "fs-read-escape: pass → fail"),))
DRIFTED = Diff("files", drift=(Drift("notable", "tool-added", "tool x added"),))
BROKE = Diff("files", drift=(Drift("breaking", "tool-removed", "tool x removed"),))
STEERED = Diff("files", drift=(Drift("suspicious", "description", "description changed"),))
INFORMED = Diff("files", drift=(Drift("info", "version", "server version changed"),))
IMPROVED = Diff("files", changes=(Change("improvement", "protocol: fail → pass"),))

CASES = {
    "every pack meets A": ([A], {}, 0),
    "below the default gate": ([B], {}, 1),
    "meets a relaxed gate": ([B], {"fail_under": "B"}, 0),
    "below a relaxed gate": ([C], {"fail_under": "B"}, 1),
    "capped by a critical fail": ([CAPPED], {"fail_under": "C"}, 1),
    "a cap still meets its own letter": ([CAPPED], {"fail_under": "D"}, 0),
    "an F meets F": ([F], {"fail_under": "F"}, 0),
    "an F is below D": ([F], {"fail_under": "D"}, 1),
    "provisional A misses A": ([STARRED], {}, 1),
    "provisional A meets B": ([STARRED], {"fail_under": "B"}, 0),
    "provisional B meets B": ([STARRED_B], {"fail_under": "B"}, 0),
    "advisory never counts": ([ADVISORY], {}, 0),
    "gate off": ([F], {"fail_under": "none"}, 0),
    "soft-fail softens a miss": ([F], {"soft_fail": True}, 0),
    "inconclusive pack warns": ([UNDECIDED], {}, 0),
    "inconclusive pack counts as failing": ([UNDECIDED], {"treat_inconclusive_as": "fail"}, 1),
    "soft-fail softens an inconclusive pack": ([UNDECIDED], {"treat_inconclusive_as": "fail", "soft_fail": True}, 0),
    "inconclusive pack with the gate off": ([UNDECIDED], {"treat_inconclusive_as": "fail", "fail_under": "none"}, 0),
    "nothing graded": ([NOTHING], {}, 3),
    "nothing graded with the gate off": ([NOTHING], {"fail_under": "none"}, 3),
    "nothing graded is not softened": ([NOTHING], {"soft_fail": True}, 3),
    "no tool is never green": ([NO_TOOLS], {"fail_under": "none"}, 3),
    "nothing exercised is never green": ([UNTOUCHED], {"soft_fail": True}, 3),
    "a server that did not start": ([BROKEN], {}, 4),
    "a failed start is not softened": ([BROKEN], {"soft_fail": True, "fail_under": "none"}, 4),
    "a failed start does not hide behind a good server": ([A, BROKEN], {}, 4),
    "worst of several: 3 over 1": ([F, NOTHING], {}, 3),
    "worst of several: 4 over 3": ([NOTHING, BROKEN, A], {}, 4),
    "critical fail with a code of its own": ([CAPPED], {"critical_fail": 7, "fail_under": "D"}, 7),
    "critical fail over a miss": ([CAPPED], {"critical_fail": 7}, 7),
    "critical fail is not softened": ([CAPPED], {"critical_fail": 7, "soft_fail": True}, 7),
    "critical fail of 1 is softened": ([CAPPED], {"critical_fail": 1, "soft_fail": True}, 0),
    "critical fail with the gate off": ([CAPPED], {"critical_fail": 7, "fail_under": "none"}, 7),
    "a critical part is no critical fail": (
        [runs.simple({"fs-read-escape": "part", "fs-write-escape": "pass"})],
        {"critical_fail": 7, "fail_under": "B"},
        0,
    ),
}


@pytest.mark.parametrize(("records", "chosen", "code"), CASES.values(), ids=CASES)
def test_exit_code(records, chosen, code):
    made, _ = policy(**chosen)
    assert gate(records, made).code == code


COMPARED = {
    "a regression fails": ([A], REGRESSED, {}, 1),
    "a regression fails with the gate off": ([A], REGRESSED, {"fail_under": "none"}, 1),
    "soft-fail softens a regression": ([A], REGRESSED, {"soft_fail": True}, 0),
    "an improvement is no regression": ([A], IMPROVED, {}, 0),
    "only regressions: an F is held": ([F], IMPROVED, {"fail_on": ["regressions"]}, 0),
    "only regressions: a regression fails": ([F], REGRESSED, {"fail_on": ["regressions"]}, 1),
    "only regressions: a critical fail of its own is held too": (
        [CAPPED],
        IMPROVED,
        {"fail_on": ["regressions"], "critical_fail": 7},
        0,
    ),
    "only regressions: nothing graded stays 3": ([NOTHING], IMPROVED, {"fail_on": ["regressions"]}, 3),
    "drift only prints": ([A], BROKE, {}, 0),
    "drift alone turns the gate off": ([F], INFORMED, {"fail_on": ["drift"]}, 0),
    "drift alone does not count a regression": ([A], REGRESSED, {"fail_on": ["drift"]}, 0),
    "breaking drift fails": ([A], BROKE, {"fail_on": ["drift"]}, 1),
    "notable drift fails": ([A], DRIFTED, {"fail_on": ["drift"]}, 1),
    "suspicious drift fails": ([A], STEERED, {"fail_on": ["drift"]}, 1),
    "info drift never fails": ([A], INFORMED, {"fail_on": ["drift"]}, 0),
    "soft-fail softens drift": ([A], BROKE, {"fail_on": ["drift"], "soft_fail": True}, 0),
    "regressions and drift: regression": ([F], REGRESSED, {"fail_on": ["regressions", "drift"]}, 1),
    "regressions and drift: drift": ([F], DRIFTED, {"fail_on": ["regressions", "drift"]}, 1),
    "regressions and drift: neither": ([F], INFORMED, {"fail_on": ["regressions", "drift"]}, 0),
    "any and drift keeps the gate": ([F], INFORMED, {"fail_on": ["any", "drift"]}, 1),
    "any and drift: drift": ([A], DRIFTED, {"fail_on": ["any", "drift"]}, 1),
}


@pytest.mark.parametrize(("records", "found", "chosen", "code"), COMPARED.values(), ids=COMPARED)
def test_exit_code_with_a_baseline(records, found, chosen, code):
    made, _ = policy(**chosen, has_baseline=True)
    assert gate(records, made, comparisons=[found]).code == code


@pytest.mark.parametrize(
    ("signum", "code", "word"), [(1, 129, "stopped"), (2, 130, "interrupted"), (15, 143, "stopped")]
)
def test_a_signal_decides_and_says_so_last(signum, code, word):
    outcome = gate([replace(F, status="interrupted")], signum=signum)
    assert outcome.code == code
    assert outcome.lines[-1] == f"sealmark exit {code}: {word}"


def test_lines_name_pack_letter_and_gate():
    assert gate([B]).lines == ("pack core graded B, which does not meet --fail-under A",)
    assert "pack core graded A* (provisional: a critical check was inconclusive)" in gate([STARRED]).lines[0]
    assert gate([F], Policy(soft_fail=True)).lines[0].startswith("soft-fail: warning: pack core graded F")
    assert gate([A], Policy(fail_under="none")).lines[0].startswith("the gate is off (--fail-under none)")
    assert "warning: pack fs was inconclusive" in gate([UNDECIDED]).lines[0]


def test_an_inconclusive_pack_with_the_gate_off_warns_and_says_that_it_does_not_count():
    lines = gate([UNDECIDED], Policy(fail_under="none", treat_inconclusive_as="fail")).lines
    assert any(line.startswith("warning: pack fs") for line in lines)
    assert any("does not affect the exit code while the gate is off" in line for line in lines)


def test_drift_lines_carry_the_level_and_a_note_when_they_do_not_count():
    lines = gate([A], comparisons=[STEERED]).lines
    assert lines[0] == "drift: notable-suspicious: description changed"
    assert lines[1].startswith("note: drift does not affect the exit code")
    counted = gate([A], policy(fail_on=["drift"], has_baseline=True)[0], comparisons=[STEERED]).lines
    assert not any(line.startswith("note:") for line in counted)


def test_several_servers_are_named():
    lines = gate([OTHER, F]).lines
    assert lines == ("files: pack core graded F, which does not meet --fail-under A",)


def test_reasons_stand_beside_nothing_graded():
    lines = gate([NOTHING]).lines
    assert lines[0] == "no pack was graded"
    assert lines[1].strip().startswith("fs: ")


def test_an_accepted_finding_is_not_held_against_the_exit_code_and_stays_an_f():
    accepted = {"files": {("fs-read-escape", "went-wrong")}}
    outcome = gate([CAPPED], accepted=accepted)
    assert outcome.code == 0
    assert outcome.lines[0].startswith("accepted: pack fs graded D")
    other_rule = gate([CAPPED], accepted={"files": {("fs-read-escape", "another")}})
    assert other_rule.code == 1
    other_server = gate([CAPPED], accepted={"elsewhere": {("fs-read-escape", "went-wrong")}})
    assert other_server.code == 1


def test_one_accepted_finding_does_not_excuse_another():
    both = runs.simple({"fs-read-escape": "fail", "fs-write-escape": "part"})
    assert gate([both], accepted={"files": {("fs-read-escape", "went-wrong")}}).code == 1


@pytest.mark.parametrize(
    "chosen",
    [
        {"fail_under": "E"},
        {"fail_under": ""},
        {"fail_on": ["all"], "has_baseline": True},
        {"fail_on": ["drift"]},
        {"fail_on": ["any", "regressions"]},
        {"critical_fail": 256},
    ],
)
def test_a_policy_that_cannot_be_used_is_a_usage_error(chosen):
    with pytest.raises(UsageError) as caught:
        policy(**chosen)
    assert caught.value.exit_code == 2
    assert caught.value.hint


def test_a_lower_case_letter_is_read_as_upper_case_and_said():
    chosen, notes = policy(fail_under="b")
    assert chosen.fail_under == "B"
    assert notes == ("note: --fail-under b is read as B",)
    assert policy(fail_under="NONE")[0].fail_under == "none"


def test_grade_line_names_critical_fails_whether_or_not_they_cap():
    assert grade_line(CAPPED) == "fs D capped: critical fail: fs-read-escape"
    deep = runs.simple({"fs-read-escape": "fail", "fs-write-escape": "part"})
    assert grade_line(deep) == "fs F critical fail: fs-read-escape critical part: fs-write-escape"
    assert grade_line(BROKEN, named=True) == "files: not graded: TARGET_EXITED"
    assert grade_line(STARRED) == "core A*"
