"""How much of a server a run exercised, and what it did not cover. Feeds labels only: no letter reads it."""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Group, Outcome
from sealmark.check.seen import succeeded
from sealmark.record.model import Call, Coverage, Gathered, Observation, Tool

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
        yield step, seen


def exercised_tools(every: Group) -> frozenset[str]:
    """Names of tools with at least one call that counts."""
    return frozenset(step.tool for outcome in every for step, _ in valid_calls(outcome))


def coverage_of(gathered: Gathered, every: Group) -> Coverage:
    """Counts of tools and probes, and the sentences of what is not covered."""
    exercised = exercised_tools(every)
    names = [tool.name for tool in gathered.surface.tools]
    sent = every.where(lambda outcome: outcome.sent)
    return Coverage(
        tools=len(names),
        exercised=sum(name in exercised for name in names),
        untested=tuple(name for name in names if name not in exercised),
        sent=len(sent),
        answered=len(sent.answered),
        failed=len(sent.unanswered),
        not_sent=len(every) - len(sent),
        not_covered=tuple(_not_covered(gathered)),
    )


def _not_covered(gathered: Gathered) -> Iterator[str]:
    by_name = {entry.tool: entry for entry in gathered.classified}
    for tool in gathered.surface.tools:
        entry = by_name.get(tool.name)
        for reason in _needs(tool):
            yield f'tool "{tool.name}" {reason}'
        if entry is not None and entry.confidence == "low":
            yield f'tool "{tool.name}" is covered by the core checks only: {entry.why}'
    yield (
        "tools that a server lists only to clients that declare roots, sampling or elicitation: "
        "the harness declares none, so they are not seen"
    )
    for limit in gathered.limits:
        yield f"beyond the bound {limit.name} ({limit.value}){f' in {limit.where}' if limit.where else ''}"
    if gathered.facts.get("sandboxed"):
        yield "writes outside the directories of the sandbox: it is a convention, not a security boundary"
    else:
        yield "file access of any kind: the run had no sandbox"
    yield from gathered.facts.get("not_covered_extra", ())


def _needs(tool: Tool) -> Iterator[str]:
    execution = tool.extra.get("execution")
    if isinstance(execution, dict) and execution.get("taskSupport") == "required":
        yield "needs task-based execution, which the harness does not use"
