"""Measured times of a run: start-up and the latency of each tool. Nothing else in a view is measured."""

from __future__ import annotations

from collections.abc import Sequence

from sealmark.reading.shown import line
from sealmark.record.model import Call, Gathered, RunRecord
from sealmark.report.parts import Latency, Timing


def timing(run: RunRecord) -> Timing:
    """Start-up of the first session that opened, and p50 and p95 of the answered calls of each tool."""
    opened = [session.opened_ms for session in run.gathered.sessions if session.opened_ms > 0]
    return Timing(run.duration_ms, rounded(opened[0]) if opened else None, tuple(latencies(run.gathered)))


def latencies(gathered: Gathered) -> list[Latency]:
    """One entry per tool that answered a call, in the order of the listing, then by name."""
    steps = {probe.id: probe.steps for probe in gathered.probes}
    times: dict[str, list[float]] = {}
    for seen in gathered.observations:
        known = steps.get(seen.probe, ())
        step = known[seen.step] if seen.step < len(known) else None
        if isinstance(step, Call) and seen.outcome in ("result", "error"):
            times.setdefault(step.tool, []).append(seen.elapsed_ms)
    order = {tool.name: index for index, tool in enumerate(gathered.surface.tools)}
    names = sorted(times, key=lambda name: (order.get(name, len(order)), name))
    return [Latency(line(n, 80), len(times[n]), percentile(times[n], 50), percentile(times[n], 95)) for n in names]


def percentile(values: Sequence[float], percent: int) -> float:
    """The nearest-rank percentile of at least one value, rounded."""
    ordered = sorted(values)
    return rounded(ordered[max(0, -(-percent * len(ordered) // 100) - 1)])


def rounded(milliseconds: float) -> float:
    """Milliseconds with two significant digits below 10, and whole above."""
    return round(milliseconds, 1) if milliseconds < 10 else float(round(milliseconds))
