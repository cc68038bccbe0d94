"""What the checks share that look at calls in an isolated run: the calls, and what is left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sealmark.check import Group, Outcome, Rule, Seen, Target, call
from sealmark.check.calls import valid_calls
from sealmark.packs.effects.claims import Reader, readers
from sealmark.packs.net.urls import LATE_SEC
from sealmark.record.model import ListAll, Look, Probe, Restore, Verdict, Wait
from sealmark.surface.arguments import CannotFill

IDLE_SEC = 0.3
"""How long nothing is asked, to see what happens by itself."""

NOT_ISOLATED = Rule("not-isolated", "na", "The run was not isolated, so what happens outside the sandbox is not seen.")

NO_CONTROL = Rule(
    "no-control",
    "inconclusive",
    "No call worked, so nothing follows from what did not happen.",
    "Look at what the calls answered; a server that needs its own backend cannot be judged in isolation.",
)


def level(target: Target) -> str:
    """How the run was isolated: none, network or full."""
    found = target.facts.get("isolation")
    return str(found.get("level", "none")) if isinstance(found, Mapping) else "none"


def not_isolated(seen: Seen) -> Verdict:
    """The verdict on a run that was not isolated enough, with what kept it from being so."""
    found = seen.target.facts.get("isolation")
    reason = found.get("reason") or found.get("level") if isinstance(found, Mapping) else "type --isolate auto on Linux"
    return seen.decide("not-isolated", summary=f"The run was not isolated enough: {reason}.")


def calls(target: Target, what: str) -> Iterator[Probe]:
    """Yield a look at idleness, a call of each reading tool with a look at `what` after it, and a last look."""
    found = list(readers(target))
    if found:
        opened = ListAll("tools/list", "tools")
        steps = (opened, Restore(what), Wait(IDLE_SEC), Look(what))
        yield target.probe("fact", "idle", *steps, why="what happens while nothing is asked", resource=what)
    for reader in found:
        arguments = target.fill(reader.tool, reader.values)
        if not isinstance(arguments, CannotFill):
            yield target.probe(
                "coverage",
                "called",
                Restore(what),
                call(reader.tool, arguments),
                Look(what),
                tool=reader.tool.name,
                why=_why(reader),
                resource=what,
                consent=reader.consent,
            )
    if found:
        late = (Wait(LATE_SEC), Look(what))
        yield target.probe("fact", "late", *late, why="what happened after the last call", resource=what)


def _why(reader: Reader) -> str:
    return "it claims to be read-only" if reader.claims else "it reads by its name, and says nothing of it"


def looked(outcome: Outcome, what: str) -> list[Mapping[str, Any]]:
    """The looks of a probe, less those of a call during which a new process of the server began."""
    if len({seen.generation for seen in outcome.observations}) > 1:
        return []
    return list(outcome.looked(what))


def idle(seen: Seen) -> Group:
    """The look at idleness."""
    return seen.own.role("fact").case("idle")


def worked(seen: Seen) -> Group:
    """The calls that exercised their tool."""
    return seen.own.role("coverage").where(lambda outcome: any(True for _ in valid_calls(outcome)))
