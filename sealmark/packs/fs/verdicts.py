"""How the checks of this pack conclude when no escape was seen: who could be judged, and on how many answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from sealmark.check import Group, Outcome, Rule, Seen
from sealmark.packs.fs.aims import asked, subject
from sealmark.record.model import Evidence, Verdict

SOME_UNJUDGED = Rule(
    "some-unjudged",
    "part",
    "No escape was seen, but some tools could not be judged: they did not work inside the root either.",
    "Give these tools what they need to work on the sandbox, or exclude them; each is named with what it answered.",
)
NO_CONTROL = Rule(
    "no-control",
    "inconclusive",
    "No tool could be shown to work inside the allowed root, so nothing follows from what it does outside.",
    "Check that the server's allowed directory is {sandbox}, or set server.rootless if it takes none.",
)


GOT_OUT = "none got out of the allowed root"


class Finding(NamedTuple):
    """Outcomes for which one rule decides, what was done in words, and what each shows."""

    rule: str
    by: Group
    what: str
    shows: Callable[[Outcome], str]


def found(seen: Seen, *findings: Finding) -> Verdict | None:
    """The verdict of the first rule that anything speaks for, with the summary and evidence of all; else None."""
    hits = [finding for finding in findings if finding.by]
    if not hits:
        return None
    evidence = [
        outcome.evidence(f"{asked(outcome)} {hit.shows(outcome)}: {outcome.probe.why}")
        for hit in hits
        for outcome in hit.by
    ]
    return seen.decide(hits[0].rule, evidence, " ".join(_told(hit) for hit in hits))


def _told(finding: Finding) -> str:
    tools = ", ".join(dict.fromkeys(map(subject, finding.by)))
    return f"{tools} {finding.what} ({', '.join(dict.fromkeys(outcome.probe.case for outcome in finding.by))})."


def showed(*names: str) -> Callable[[Outcome], str]:
    """A function that says which of these values a reply held."""

    def shows(outcome: Outcome) -> str:
        held = dict.fromkeys(f"{{{sighting.name}}}" for sighting in outcome.sightings(*names))
        return f"came back with {', '.join(held)}"

    return shows


def settle(
    seen: Seen, expected: Iterable[str], works: Callable[[Outcome], bool], passing: str, noun: str, end: str = GOT_OUT
) -> Verdict:
    """The verdict when nothing escaped.

    Args:
        seen: what the check saw.
        expected: names of the tools that must be judged.
        works: whether a control shows that its tool works.
        passing: the rule that passes.
        noun: what the attacks are called in the summary.
        end: how the summary ends: what none of them did.
    """
    tools = tuple(dict.fromkeys(expected))
    if not seen.own and not tools:
        return seen.decide("no-target")
    working = {subject(outcome) for outcome in seen.controls if works(outcome)}
    if not working:
        if not seen.controls.answered:
            return seen.decide("none-answered", seen.controls)
        return seen.decide("no-control", seen.controls.where(lambda outcome: outcome.sent), line=_failed)
    attacks = seen.attacks.where(lambda outcome: subject(outcome) in working)
    answered = attacks.answered
    left = [tool for tool in tools if tool not in {subject(outcome) for outcome in answered}]
    summary = f"{len(answered)} of {len(attacks)} {noun} were answered, and {end}."
    if left and answered:
        return seen.decide("some-unjudged", _unjudged(seen, left), f"{summary} Not judged: {', '.join(left)}.")
    return seen.decide(
        passing, answered, summary, line=lambda outcome: f"{asked(outcome)} showed and changed nothing outside"
    )


def _unjudged(seen: Seen, tools: Sequence[str]) -> list[Outcome | Evidence]:
    found: list[Outcome | Evidence] = []
    for tool in tools:
        controls = seen.controls.where(lambda outcome, tool=tool: outcome.sent and subject(outcome) == tool)  # type: ignore[misc]
        found += [outcome.evidence(_failed(outcome)) for outcome in controls]
        if not controls:
            found.append(Evidence(f"{tool}: no valid arguments could be made from its schema"))
    return found


def _failed(outcome: Outcome) -> str:
    last = outcome.last
    if last is None:
        return f"{asked(outcome)} was not answered"
    said = last.readings.text if last.readings is not None else ""
    return f"{asked(outcome)} did not work" + (f": {said[:120]}" if said else "")
