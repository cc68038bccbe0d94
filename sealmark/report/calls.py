"""What the tool calls of a run have in common when none of them came to anything: a login, or rejected arguments."""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.reading.shown import line
from sealmark.record.model import Call, Gathered, Observation, Probe

AUTH = "TOOL_CALL_AUTH"
REJECTED = "AUTO_INPUT_REJECTED"

NAMED = 5
"""Tools that one line names."""


def valid_calls(gathered: Gathered) -> Iterator[tuple[Probe, Call, Observation]]:
    """Every answered call whose arguments the tool's own schema accepts."""
    listed = {tool.name for tool in gathered.surface.tools}
    probes = {probe.id: probe for probe in gathered.probes}
    for seen in gathered.observations:
        probe = probes.get(seen.probe)
        step = probe.steps[seen.step] if probe is not None and seen.step < len(probe.steps) else None
        answered = seen.outcome in ("result", "error")
        if probe is not None and isinstance(step, Call) and step.valid and answered and step.tool in listed:
            yield probe, step, seen


def failed_by(seen: Observation, kind: str) -> bool:
    """Whether a call was answered with an error of this kind."""
    error = seen.outcome == "error" or bool(seen.is_error)
    return error and seen.readings is not None and seen.readings.failure == kind


def only_logins(gathered: Gathered) -> str:
    """That every valid call was answered with an authentication error, in words; empty when one was not."""
    calls = [seen for _, _, seen in valid_calls(gathered)]
    if not calls or not all(failed_by(seen, "auth") for seen in calls):
        return ""
    return (
        f"{AUTH}: every tool call ({len(calls)} of {len(calls)}) was answered with an authentication error, so nothing "
        "that the tools do was tested; give the server a token that works without a browser, then run again"
    )


def only_rejected(gathered: Gathered) -> str:
    """That every call that the harness made up was rejected as invalid input, in words; empty when one was not."""
    calls = [(step.tool, seen) for probe, step, seen in valid_calls(gathered) if probe.pack != "custom"]
    if not calls or not all(failed_by(seen, "validation") for _, seen in calls):
        return ""
    tools = list(dict.fromkeys(tool for tool, _ in calls))
    more = f" and {len(tools) - NAMED} more" if len(tools) > NAMED else ""
    names = ", ".join(line(tool, 60) for tool in tools[:NAMED])
    return (
        f"{REJECTED}: arguments that the schema accepts were rejected by {names}{more}; write calls that work under "
        "probes: (sealmark init --probes prints a beginning)"
    )
