"""How much of a server a run exercised, and what it did not cover. Feeds labels only: no letter reads it."""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Group
from sealmark.check.calls import exercised_tools
from sealmark.record.model import Coverage, Gathered, Tool

NAMED = 12
"""Tools that one line names; the classification lists all."""


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
    for tool in gathered.surface.tools:
        for reason in _needs(tool):
            yield f'tool "{tool.name}" {reason}'
    unsure: dict[str, list[str]] = {}
    for entry in gathered.classified:
        if entry.confidence == "low":
            unsure.setdefault(entry.why, []).append(f'"{entry.tool}"')
    for why, names in unsure.items():
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        yield f"covered by the core checks only, since {why}: {', '.join(names[:NAMED])}{more}"
    yield (
        "tools that a server lists only to clients that declare roots, sampling or elicitation: "
        "the harness declares none, so they are not seen"
    )
    for limit in gathered.limits:
        value, where = f" ({limit.value})" if limit.value else "", f" in {limit.where}" if limit.where else ""
        yield f"beyond the bound {limit.name}{value}{where}"
    if gathered.facts.get("sandboxed"):
        yield "writes outside the directories of the sandbox: it is a convention, not a security boundary"
    else:
        yield "file access of any kind: the run had no sandbox"
    yield from gathered.facts.get("not_covered_extra", ())


def _needs(tool: Tool) -> Iterator[str]:
    execution = tool.extra.get("execution")
    if isinstance(execution, dict) and execution.get("taskSupport") == "required":
        yield "needs task-based execution, which the harness does not use"
