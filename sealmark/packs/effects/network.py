"""Whom the calls of reading tools contact: names that are looked up, addresses and ports that are tried.

Why: A tool that is called on a file or a page and tells a third party about it leaks what it was given, or at least
that it was called. Nobody sees it from the reply.

How: This needs an isolated run (--isolate), in which the harness answers every lookup and sees every attempt to
connect, also where nobody listens; nothing leaves the machine. Every tool that claims readOnlyHint, or reads by its
name, is called as in effects-read-only. A tool that claims openWorldHint false and looks a name up, or tries an
address other than loopback, fails the check. A contact of a tool that takes no URL and claims nothing makes it part:
nothing in what it was given names whom it contacts. What the others contact is listed.

When it can be wrong: Contacts by means other than IP (a socket file) are not seen. What is contacted while nothing is
asked counts for no tool. A tool that needs a name to be answered before it goes on shows only the first step.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.effects.claims import asked
from sealmark.packs.effects.isolated import NO_CONTROL, NOT_ISOLATED, calls, idle, level, looked, not_isolated, worked
from sealmark.record.model import Probe, Verdict
from sealmark.surface import consent

RULES = (
    NOT_ISOLATED,
    Rule(
        "reached-out",
        "fail",
        "A tool that claims to reach nothing outside contacted somebody.",
        "Drop the contact, or set openWorldHint to true.",
    ),
    Rule(
        "unsaid",
        "part",
        "A tool that takes no URL contacted somebody, and no annotation says so.",
        "Say in the description whom it contacts and what for, and set openWorldHint to true.",
    ),
    NO_CONTROL,
    Rule("kept-to-itself", "pass", "Calls contacted nobody whom their tools do not speak of."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield the calls of reading tools."""
    if level(target) != "none":
        yield from calls(target, "contacts")


def judge(seen: Seen) -> Verdict:
    """Pick the rule: reached out against its claim, unsaid, or whether any call worked."""
    if level(seen.target) == "none":
        return not_isolated(seen)
    by_itself = frozenset(one for outcome in idle(seen) for one in contacted(outcome))
    tools = {tool.name: tool for tool in seen.target.surface_tools}
    takes_url = {tool.name for tool, _ in seen.target.taking("url", sure=False)}

    def shown(outcome: Outcome) -> str:
        return ", ".join([one for one in contacted(outcome) if one not in by_itself][:4])

    def line(outcome: Outcome) -> str:
        return f"{asked(outcome)} contacted {shown(outcome) or 'nobody'}"

    reaching = seen.own.role("coverage").where(lambda outcome: bool(shown(outcome)))
    closed = reaching.where(lambda outcome: consent.closed_world(tools[outcome.probe.tool]))
    if closed:
        return seen.decide("reached-out", closed, f"{', '.join(closed.tools)} contacted somebody.", line=line)
    unsaid = reaching.where(
        lambda o: "openWorldHint" not in tools[o.probe.tool].annotations and o.probe.tool not in takes_url
    )
    if unsaid:
        return seen.decide("unsaid", unsaid, f"{', '.join(unsaid.tools)} contacted somebody.", line=line)
    if not seen.own:
        return seen.decide("no-target")
    if not worked(seen):
        return seen.decide("no-control", seen.own.role("coverage"), line=line)
    return seen.decide("kept-to-itself", worked(seen), line=line)


def contacted(outcome: Outcome) -> list[str]:
    """Names looked up and addresses tried, loopback aside, as text."""
    found = []
    for look in looked(outcome, "contacts"):
        found += [f"the name {row['name']}" for row in look.get("lookups", ())]
        tried = [row for row in look.get("tried", ()) if not ip_address(row["address"]).is_loopback]
        found += [f"{row['address']} port {row['port']} ({row['protocol']})" for row in tried]
    return list(dict.fromkeys(found))


CHECK = Check(
    id="effects-network",
    revision=1,
    title="Calls contact nobody unsaid",
    question="Whom does a call of a reading tool contact?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-359", "CWE-684"),
)
