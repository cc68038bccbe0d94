"""Whether tools that say that they reach nothing outside keep to it.

Why: A client may let a tool with openWorldHint: false see what it lets no tool see that talks to the network, since
nothing can leave by it. A tool that fetches what stands in an argument can carry anything out in a URL.

How: Each tool that claims openWorldHint: false and takes text gets the address of a page of the harness's listener: in
its URL argument if it has one, else in the argument that is likeliest to be fetched from (a source, a link, a path).
Tools that take no URL are asked only if they also claim to be read-only. A visit to the listener fails the check,
whatever the reply says, and so does one that comes a little later.

When it can be wrong: One argument of each tool is tried, and only loopback: a tool that reaches fixed hosts of its own,
or refuses loopback, is not seen. A tool that passes the address on to a service elsewhere is not seen either.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Group, Outcome, Rule, Seen, Target, call, slug
from sealmark.packs.effects.claims import PAGE, asked, closed, visits
from sealmark.packs.net.urls import LATE_SEC, seen_as
from sealmark.record.model import Look, Probe, Verdict, Wait
from sealmark.surface.arguments import CannotFill

RULES = (
    Rule(
        "reached",
        "fail",
        "A tool that claims to reach nothing outside came to the harness's listener.",
        "Drop openWorldHint: false, or fetch nothing that an argument names.",
    ),
    Rule("not-reached", "pass", "Tools that claim to reach nothing outside did not come to the harness's listener."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each claim the call with the listener's address, and a last look."""
    asks = False
    for aim in closed(target) if "listener" in target.facts else ():
        arguments = target.fill(aim.tool, {aim.pointer: f"{PAGE}/closed/{slug(aim.tool.name)}"})
        if not isinstance(arguments, CannotFill):
            asks = True
            yield target.probe(
                "attack",
                "address",
                call(aim.tool, arguments),
                Look("listener"),
                tool=aim.tool.name,
                why="it claims to reach nothing outside",
                resource="listener",
            )
    if asks:
        why = "who came after the last answer"
        yield target.probe("fact", "late", Wait(LATE_SEC), Look("listener"), why=why, resource="listener")


def judge(seen: Seen) -> Verdict:
    """Pick the rule: somebody came, or nobody did."""
    if not seen.attacks:
        return seen.decide("no-target")
    reached = Group(outcome for outcome in seen.own if visits(outcome))
    if reached:
        tools = ", ".join(reached.tools or seen.attacks.tools)
        return seen.decide("reached", reached, f"{tools} came to the listener.", line=_came)
    summary = f"{len(seen.attacks.answered)} of {len(seen.attacks)} tools answered, and nobody came to the listener."
    return seen.decide("not-reached", seen.attacks, summary, line=lambda outcome: f"{asked(outcome)}: nobody came")


def _came(outcome: Outcome) -> str:
    return f"{asked(outcome)}: the listener saw {seen_as(outcome)}"


CHECK = Check(
    id="effects-open-world",
    revision=1,
    title="Closed-world tools reach nothing",
    question="Does a tool that says it reaches nothing outside fetch from an address?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-684",),
)
