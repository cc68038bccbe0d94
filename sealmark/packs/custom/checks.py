"""Checks made of the user's own probes: what the configuration expects, compiled into what every other check is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sealmark.check import Check, Rule, Seen, Target
from sealmark.packs.custom.expectations import Found, Kind, judge_call
from sealmark.packs.custom.own import COVERAGE, name_of, probes_of
from sealmark.record.model import Evidence, Probe, Severity, Verdict

RULES = (
    Rule(
        "crashed",
        "fail",
        "The server ended while it was asked.",
        "Look at the stderr of that session; a call must end in an answer.",
        "SERVER_CRASHED",
    ),
    Rule(
        "hung",
        "fail",
        "A call got no answer in time.",
        "Answer in time, or raise timeouts.call_sec if the work takes that long.",
        "SERVER_HUNG",
    ),
    Rule(
        "contract",
        "fail",
        "A call came to an end and was not as expected.",
        "Compare what was expected with what came back; mend the server, or the expectation under probes:.",
        "CONTRACT_ASSERTION_FAILED",
    ),
    Rule(
        "call-failed",
        "fail",
        "A call that must succeed was answered with an error that is about no login.",
        "Run the call by hand; mend the server, or the arguments under probes:.",
        "TOOL_CALL_FAILED",
    ),
    Rule(
        "needs-auth",
        "inconclusive",
        "A call reached authentication or permission handling, so what it would do is not known.",
        "Give the server a token that works without a browser (environment, headers, identities), then run again.",
        "TOOL_CALL_AUTH",
    ),
    Rule(
        "cannot-tell",
        "inconclusive",
        "Something that is expected could not be looked at.",
        "Expect less of what is not seen: log lines need a server that sealmark starts.",
    ),
    Rule("not-active", "na", "All of its probes change something, and the run has no --active."),
    Rule("met", "pass", "Every expectation held."),
)

_ORDER: tuple[Kind, ...] = ("crashed", "hung", "contract", "call-failed", "needs-auth", "cannot-tell")

PAGE = """Whether the server does what its owner wrote down for it.

Why: What a server promises to its callers is its own; only its owner knows it.

How: The calls stand under probes: in the configuration, with what is expected of each. Each is sent as it is written,
and what came back, what reached the backend and what was logged are held against what is expected.

When it can be wrong: As often as the expectation is.
"""


def compile_checks(probes: Sequence[Mapping[str, Any]]) -> tuple[Check, ...]:
    """One check for each name under `check:`, in the order of the configuration; probes of one name decide together."""
    named: dict[str, list[tuple[int, Mapping[str, Any]]]] = {}
    for at, probe in enumerate(probes):
        if probe.get("check"):
            named.setdefault(probe["check"], []).append((at, probe))
    return tuple(_check(check_id, entries) for check_id, entries in named.items())


def _check(check_id: str, entries: Sequence[tuple[int, Mapping[str, Any]]]) -> Check:
    def plan(target: Target) -> Iterator[Probe]:
        return probes_of(target, entries, check_id)

    def judge(seen: Seen) -> Verdict:
        return _judge(seen, entries)

    title = next((str(probe["title"]) for _, probe in entries if probe.get("title")), check_id)
    severity: Severity = next((probe["severity"] for _, probe in entries if probe.get("severity")), "scored")
    return Check(
        id=check_id,
        revision=1,
        title=title,
        question=f"{title}?" if title[-1:].isalnum() else title,
        page=PAGE,
        rules=RULES,
        plan=plan,
        judge=judge,
        severity=severity,
    )


def _judge(seen: Seen, entries: Sequence[tuple[int, Mapping[str, Any]]]) -> Verdict:
    """The worst that became of any call decides; all that became of it is shown."""
    by_name = {name_of(entry, at): entry for at, entry in entries}
    found: list[tuple[Found, Any]] = []
    for outcome in seen.own:
        entry = by_name[outcome.probe.case] if outcome.probe.case in by_name else _entry_of(outcome.probe.case, by_name)
        found.append((judge_call(outcome, entry.get("expect") or {}, seen), outcome))
    if not found:
        return seen.decide("not-active")
    for kind in _ORDER:
        lines = [outcome.evidence(line) for what, outcome in found if what.kind == kind for line in what.lines]
        if lines:
            return seen.decide(kind, lines, _summary(kind, lines, len(found)))
    met = [outcome for what, outcome in found if what.kind == "met"]
    if len(met) < len(found):
        left = [outcome for what, outcome in found if what.kind != "met"]
        return seen.decide("not-sent", left, line=lambda outcome: outcome.observations[0].reason or "not sent")
    calls = "the one call" if len(met) == 1 else f"all of {len(met)} calls"
    return seen.decide("met", met, f"Every expectation held in {calls}.")


def _entry_of(case: str, by_name: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    """The entry whose variant a case is: the longest name that it begins with."""
    name = max((name for name in by_name if case.startswith(f"{name}.")), key=len)
    return by_name[name]


def _summary(kind: str, lines: Sequence[Evidence], calls: int) -> str:
    wrong = len({line.probe for line in lines})
    first = lines[0].line
    return f"{wrong} of {calls} calls: {first[:1].upper()}{first[1:]}." if kind != "hung" else ""


def coverage(target: Target) -> Iterator[Probe]:
    """The user's probes that decide no check: they are sent, and what they exercised counts as covered."""
    entries = [(at, probe) for at, probe in enumerate(target.setting("probes") or ()) if not probe.get("check")]
    return probes_of(target, entries, COVERAGE)
