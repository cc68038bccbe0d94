"""Valid calls: those that were schema-valid and that the server processed."""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check.seen import Group, Outcome, succeeded
from sealmark.record.model import Call, Observation

NOT_PROCESSED = frozenset({"validation", "upstream", "transport", "auth"})
"""Failure readings under which a call did not exercise the tool."""


def valid_calls(outcome: Outcome) -> Iterator[tuple[Call, Observation]]:
    """The probe's schema-valid tool calls that the server processed without an error."""
    for seen in outcome.replies:
        step = outcome.probe.steps[seen.step]
        if not isinstance(step, Call) or not step.valid or not succeeded(seen):
            continue
        if seen.readings is not None and seen.readings.failure in NOT_PROCESSED:
            continue
        if outcome.probe.role == "coverage" and seen.readings is not None and seen.readings.refusal:
            continue
        yield step, seen


def refused_calls(outcome: Outcome) -> Iterator[Call]:
    """The attack's schema-valid tool calls that the server refused for a reason: refusing is what was under test."""
    for seen in outcome.replies if outcome.probe.role == "attack" else ():
        step, read = outcome.probe.steps[seen.step], seen.readings
        if not isinstance(step, Call) or not step.valid or read is None:
            continue
        if read.refusal in ("rule", "target") and read.failure not in NOT_PROCESSED:
            yield step


def exercised_tools(every: Group) -> frozenset[str]:
    """Names of tools with at least one call that counts."""
    worked = (step.tool for outcome in every for step, _ in valid_calls(outcome))
    return frozenset(worked) | {step.tool for outcome in every for step in refused_calls(outcome)}
