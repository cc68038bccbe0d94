"""How checks about SQL conclude when nothing was found: which tools could be judged, and on how many answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sealmark.check import Outcome, Rule, Seen
from sealmark.packs.sql.aims import Aim, reply_of, statement_of
from sealmark.record.model import Evidence, Verdict

SOME_UNJUDGED = Rule(
    "some-unjudged",
    "part",
    "Nothing was found, but some tools that take SQL could not be judged: an ordinary read did not work either.",
    "Give the tool's other arguments values that work: sql_tools: [{ tool: …, arg: …, args: { NAME: VALUE } }].",
)
NO_CONTROL = Rule(
    "no-control",
    "inconclusive",
    "No tool that takes SQL answered an ordinary read, so nothing follows from what it does with other statements.",
    "Give the tool's other arguments values that work: sql_tools: [{ tool: …, arg: …, args: { NAME: VALUE } }].",
)


def settle(
    seen: Seen,
    expected: Iterable[Aim],
    works: Callable[[Outcome], bool],
    passing: str,
    summary: Callable[[int, int], str],
    line: Callable[[Outcome], str],
    *,
    unit: Callable[[Outcome], str] = lambda outcome: outcome.probe.tool,
    units: Iterable[str] | None = None,
) -> Verdict:
    """The verdict when no attack succeeded.

    Args:
        seen: what the check saw.
        expected: the tools that must be judged.
        works: whether a control shows that its tool reads.
        passing: the rule that passes.
        summary: the sentence, from the number of answered attacks and of all.
        line: the evidence sentence for one answered attack.
        unit: what is judged by itself: the tool, unless a check divides further.
        units: what must be judged, when it is not the tools.
    """
    wanted = tuple(dict.fromkeys(units if units is not None else (aim.tool.name for aim in expected)))
    if not wanted:
        return seen.decide("no-target")
    working = {unit(outcome) for outcome in seen.controls if works(outcome)}
    if not working:
        if seen.controls and not seen.controls.answered:
            return seen.decide("none-answered", seen.controls)
        return seen.decide("no-control", unjudged(seen, wanted, unit))
    attacks = seen.attacks.where(lambda outcome: unit(outcome) in working)
    answered = attacks.answered
    left = [name for name in wanted if name not in {unit(outcome) for outcome in answered}]
    says = summary(len(answered), len(attacks))
    if left and answered:
        return seen.decide("some-unjudged", unjudged(seen, left, unit), f"{says} Not judged: {', '.join(left)}.")
    return seen.decide(passing, answered, says, line=line)


def changed(
    seen: Seen, changes: Callable[[Outcome], Sequence[object]], line: Callable[[Outcome], str], *, counted: bool = False
) -> Verdict | None:
    """The verdict when a statement changed the database; None when none did.

    Args:
        seen: what the check saw.
        changes: what a probe changed.
        line: the evidence sentence for one that changed something.
        counted: whether the summary says how many cases did, of how many.
    """
    hits = seen.attacks.where(lambda outcome: bool(changes(outcome)))
    if not hits:
        return None
    cases = ", ".join(dict.fromkeys(outcome.probe.case for outcome in hits))
    which = f" in {len(hits)} of {len(seen.attacks)} cases: {cases}." if counted else f" ({cases})."
    return seen.decide("changed", hits, f"{', '.join(hits.tools)} changed the database{which}", line=line)


def unjudged(
    seen: Seen, names: Iterable[str], unit: Callable[[Outcome], str] = lambda outcome: outcome.probe.tool
) -> list[Evidence]:
    """One line for each that could not be judged: what its controls brought."""
    found: list[Evidence] = []
    for name in names:
        controls = [outcome for outcome in seen.controls if unit(outcome) == name and outcome.sent]
        found += [outcome.evidence(f"{statement_of(outcome)} {reply_of(outcome)}") for outcome in controls]
        if not controls:
            found.append(Evidence(f"{name}: no valid arguments could be made from its schema"))
    return found
