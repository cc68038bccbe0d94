"""Asks whether the server offers the same tools and prompts whenever it is asked.

Why: People review a tool list once and approve it. A server that shows another list, or other words under the same
name, the second time it is asked or to the next session has replaced what was approved.

How: Tools and prompts are listed when the server is met, once more in the same session after the other probes of
this pack, and once in a session of another process. Each item is reduced to its name and a hash of all that was
sent for it, so a change in a description or a schema shows. Items are compared whatever their order; an order that
changes alone gives part, since clients cache what they list.

When it can be wrong: A server may rightly offer more after a call, to another user, or at another hour. This check
sees two processes a few seconds apart, with the same identity, and calls that change nothing; it cannot see a
replacement that waits for a day. Lists of resources follow the data and are not compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.reading.visible import visible
from sealmark.record.model import ListAll, Probe, Verdict

LISTINGS = (("tools", "tools/list"), ("prompts", "prompts/list"))

RULES = (
    Rule(
        "changed-in-session",
        "fail",
        "One session lists different items, or other content under the same name, the second time.",
        "List the same items with the same content until something has changed, and announce the change.",
        "SURFACE_CHANGED",
    ),
    Rule(
        "differs-between-sessions",
        "fail",
        "Two sessions list different items, or other content under the same name.",
        "Keep per-session values, times and random parts out of names, descriptions and schemas.",
        "SURFACE_CHANGED",
    ),
    Rule(
        "order-differs",
        "part",
        "Two listings hold the same items in different orders.",
        "List in a fixed order.",
        "SURFACE_ORDER",
    ),
    Rule(
        "not-compared",
        "inconclusive",
        "A listing was not answered, so there was nothing to compare with.",
        "Raise --connect-timeout, or look at why the server stopped answering.",
    ),
    Rule("stable", "pass", "All listings hold the same items with the same content in the same order."),
)


def plan(target: Target) -> Iterable[Probe]:
    """List again in the main session and in another process."""
    for name, method in LISTINGS:
        if name == "tools" or name in target.gathered.surface.capabilities:
            yield target.probe("attack", f"again:{name}", ListAll(method, name))
            yield target.probe("attack", f"elsewhere:{name}", ListAll(method, name), session="second")


def judge(seen: Seen) -> Verdict:
    """Compare each listing with the one of the meeting."""
    found: dict[str, list[tuple[Outcome, str]]] = {}
    for outcome in seen.own:
        where, _, name = outcome.probe.case.partition(":")
        first = seen.outcome(f"surface/fact:{name}")
        rule, line = _compare(first, outcome, where)
        found.setdefault(rule, []).append((outcome, line))
    for rule in ("changed-in-session", "differs-between-sessions", "order-differs", "not-compared"):
        if rule in found:
            return seen.decide(rule, [outcome.evidence(line) for outcome, line in found[rule]])
    return seen.decide("stable", seen.own, line=lambda outcome: f"{outcome.probe.case}: the same as at first")


def _compare(first: Outcome | None, later: Outcome, where: str) -> tuple[str, str]:
    """The rule that one later listing falls under, and a line that says why."""
    one, two = _items(first), _items(later)
    if one is None or two is None:
        return "not-compared", f"{later.probe.case}: a listing was not answered to its end"
    if one == two:
        return "stable", ""
    if sorted(one) == sorted(two):
        return "order-differs", f"{later.probe.case}: {len(two)} items in another order"
    rule = "changed-in-session" if where == "again" else "differs-between-sessions"
    return rule, f"{later.probe.case}: {'; '.join(_changes(dict(one), dict(two)))}"


def _items(outcome: Outcome | None) -> list[tuple[str, str]] | None:
    """Name and hash of each item of a listing; None when it was not listed to its end."""
    if outcome is None or not outcome.observations:
        return None
    last = outcome.observations[-1]
    if last.outcome == "error":
        return []
    facts: Mapping[str, Any] = last.facts or {}
    if last.outcome != "listing" or facts.get("stoppedBy"):
        return None
    return [(str(name), str(digest)) for name, digest in facts.get("digests", ())]


def _changes(one: Mapping[str, str], two: Mapping[str, str]) -> Iterator[str]:
    for words, names in (
        ("gone", one.keys() - two.keys()),
        ("new", two.keys() - one.keys()),
        ("content changed", {name for name in one.keys() & two.keys() if one[name] != two[name]}),
    ):
        if names:
            shown = ", ".join(visible(name, newlines="escape", limit=60) for name in sorted(names)[:5])
            yield f"{words}: {shown}{f' and {len(names) - 5} more' if len(names) > 5 else ''}"


CHECK = Check(
    id="surface-stability",
    revision=1,
    title="The same tools, whenever asked",
    question="Do two listings, and two sessions, agree?",
    page=__doc__,
    rules=RULES,
    plan=plan,
    judge=judge,
    reads="run",
    owasp="MCP03:2025 Tool Poisoning",
)
