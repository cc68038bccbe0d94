"""Which probes a call budget leaves out: decided from the plan alone, before anything is sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from sealmark.record.model import Call, Probe


def over_budget(
    probes: Iterable[Probe], *, per_tool: int | None, per_run: int | None, spent: Counter[str] | None = None
) -> Mapping[str, str]:
    """Probe id -> the reason it is not sent. Probes are counted in plan order; controls count too.

    Args:
        probes: the plan.
        per_tool: most calls of one tool; None for no bound.
        per_run: most calls in all.
        spent: calls already made, by tool; it is added to.
    """
    counts = Counter() if spent is None else spent
    cut: dict[str, str] = {}
    for probe in probes:
        calls = Counter(step.tool for step in probe.steps if isinstance(step, Call))
        if not calls:
            continue
        full = [tool for tool, number in calls.items() if per_tool is not None and counts[tool] + number > per_tool]
        if full:
            cut[probe.id] = f"budget: {per_tool} calls of the tool {full[0]}"
        elif per_run is not None and counts.total() + calls.total() > per_run:
            cut[probe.id] = f"budget: {per_run} calls in all"
        else:
            counts.update(calls)
    return cut
