"""What replies and looks tell: whether a tool works on its repository, and what it did to others."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sealmark.check import Outcome, Rule, Seen
from sealmark.record.model import Call, Evidence, Verdict

INSIDE = ("repo_inside", "repo_inside_id")
OTHERS = ("repo_outside", "repo_outside_id", "repo_sibling", "repo_sibling_id")
"""Values that only the one repository holds, and those that only the others hold."""

SOME_UNJUDGED = Rule(
    "some-unjudged",
    "part",
    "Nothing got through, but some tools could not be judged: they did not work on the server's own repository either.",
    "Give these tools what they need to work on the sandbox's repository, or exclude them.",
)
NO_CONTROL = Rule(
    "no-control",
    "inconclusive",
    "No tool could be shown to work on the server's own repository, so nothing follows from what else it does.",
    "Check that the server's repository is {sandbox}, or set server.rootless if it takes none.",
)


def changes(outcome: Outcome) -> Iterator[dict[str, Any]]:
    """Every change that the probe's looks saw."""
    for look in outcome.looked("git"):
        yield from look["changes"]


def told(change: dict[str, Any]) -> str:
    """One change in words."""
    where = f"the {change['repository']} repository's " if change["what"] != "file" else ""
    what = "index: " if change["what"] == "index" else ""
    return f"{change['change']} {where}{what}{change['path']}"


def works(outcome: Outcome) -> bool:
    """Whether a control shows that its tool works: its reply is of the repository, or the repository changed."""
    shown = outcome.worked and bool(outcome.sightings(*INSIDE))
    return shown or any(change["repository"] == "inside" for change in changes(outcome))


def asked(outcome: Outcome, limit: int = 200) -> str:
    """What was asked, in one line: the tool and its arguments."""
    step = next(step for step in outcome.probe.steps if isinstance(step, Call))
    text = json.dumps(step.arguments)
    return f"{outcome.probe.tool} {text if len(text) <= limit else text[:limit] + '…'}"


def shows(outcome: Outcome, *names: str) -> str:
    """Which of these values a reply held."""
    return ", ".join(dict.fromkeys(f"{{{sighting.name}}}" for sighting in outcome.sightings(*names)))


def spread(lines: Sequence[Sequence[Evidence]]) -> list[Evidence]:
    """The lines of several findings in turns, so that the few that are kept tell of all of them."""
    longest = max(map(len, lines), default=0)
    return [found[at] for at in range(longest) for found in lines if at < len(found)]


def settle(
    seen: Seen, expected: Sequence[str], passing: str, noun: str, worked: Callable[[Outcome], bool] = works
) -> Verdict:
    """The verdict when nothing got through: how much could be judged.

    Args:
        seen: what the check saw.
        expected: names of the tools that must be judged.
        passing: the rule that passes.
        noun: what the attacks are called.
        worked: whether a control shows that its tool works.
    """
    if not seen.own:
        return seen.decide("no-target")
    working = {outcome.probe.tool for outcome in seen.controls if worked(outcome)}
    if not working:
        if not seen.controls.answered:
            return seen.decide("none-answered", seen.controls)
        return seen.decide("no-control", seen.controls.where(lambda outcome: outcome.sent), line=_failed)
    attacks = seen.attacks.where(lambda outcome: outcome.probe.tool in working)
    answered = attacks.answered
    left = [tool for tool in expected if tool not in answered.tools]
    summary = f"{len(answered)} of {len(attacks)} {noun} were answered, and none got through."
    if left and answered:
        by: list[Outcome | Evidence] = []
        for tool in left:
            tried = seen.controls.where(lambda outcome, tool=tool: outcome.sent and outcome.probe.tool == tool)  # type: ignore[misc]
            by += [outcome.evidence(_failed(outcome)) for outcome in tried]
            by += [] if tried else [Evidence(f"{tool}: no valid arguments could be made from its schema")]
        return seen.decide("some-unjudged", by, f"{summary} Not judged: {', '.join(left)}.")
    return seen.decide(passing, answered, summary, line=lambda outcome: f"{asked(outcome)} did not get through")


def _failed(outcome: Outcome) -> str:
    last = outcome.last
    if last is None:
        return f"{asked(outcome)} was not answered"
    said = last.readings.text if last.readings is not None else ""
    return f"{asked(outcome)} did not show or change the repository" + (f": {said[:120]}" if said else "")
