"""What looks at the whole sandbox tell of one call: what changed by it, what before it, and what by itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sealmark.check import Outcome, Seen

Change = Mapping[str, Any]

_SAYS = {"modified": "changed", "came-and-went": "made and removed something in"}


def by_itself(seen: Seen) -> frozenset[str]:
    """The paths that changed while nothing was asked."""
    idle = seen.own.role("fact").case("idle")
    return frozenset(change["path"] for outcome in idle for change in _looked(outcome, -1))


def changed(outcome: Outcome, idle: frozenset[str]) -> list[Change]:
    """What changed from the look before the call to the look after it."""
    return [] if _fresh(outcome) else [change for change in _looked(outcome, -1) if change["path"] not in idle]


def before(outcome: Outcome, idle: frozenset[str]) -> list[Change]:
    """What changed between the last look of the probe before and the first one of this."""
    if outcome.probe.case == "idle" or _fresh(outcome):
        return []
    return [change for change in _looked(outcome, 0) if change["path"] not in idle]


def _looked(outcome: Outcome, which: int) -> list[Change]:
    looks = outcome.looked("tree")
    return list(looks[which]["changes"]) if looks else []


def _fresh(outcome: Outcome) -> bool:
    """Whether a new process of the server began while the probe ran: what it writes at its start is no tool's doing."""
    return len({seen.generation for seen in outcome.observations}) > 1


def in_words(changes: Iterable[Change]) -> str:
    """The first three changes."""
    return "; ".join(f"{_SAYS.get(one['change'], one['change'])} {one['path']}" for one in list(changes)[:3])
