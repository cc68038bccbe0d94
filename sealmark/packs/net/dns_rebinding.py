"""Whether a name that changes its address gets a tool to loopback.

Why: A guard that looks a name up, likes the address and then lets the client look it up again checks nothing: whoever
owns the name answers with a public address first and with loopback after that. A page that an agent reads needs to
hold only such a link.

How: This needs an isolated run (--isolate), in which the harness answers for every name. The tool must first fetch a
page at an address of the open internet. Then it gets six names: the first turns to loopback after one answer, the
next after two, up to six, since tools look a name up once for each check, each hop and each connection. Each name is
used once, and its answers may be kept for no time. A request to loopback under such a name fails the check, shown in
the reply or not: the service there was reached either way. A connection that is given up before anything is said does
not.

When it can be wrong: A tool that looks names up more than seven times a call, or keeps answers longer than they may
be kept, is not caught. Guards that the system has (a resolver that drops such answers, a firewall) are not in the
isolated world. Some servers say in their documentation that they do not protect against this.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Rule, Seen, Target
from sealmark.packs.net.urls import aims, isolated
from sealmark.packs.net.world import (
    NO_CONTROL,
    NOT_ISOLATED,
    ZONE,
    came,
    control,
    late,
    lookups,
    name_of,
    not_isolated,
    page_at,
    probing,
    spoken,
    unfetched,
)
from sealmark.record.model import Probe, Verdict

HINT = "Look the name up once, check the address, and connect to that very address; do so for every redirect."

RULES = (
    NOT_ISOLATED,
    Rule("content", "fail", "A page of loopback was shown under a name that was public when it was checked.", HINT),
    Rule("blind", "fail", "Loopback was contacted under a name that was public when it was checked.", HINT),
    NO_CONTROL,
    Rule(
        "not-looked-up",
        "inconclusive",
        "None of the changing names was looked up, so nothing shows what would come of one.",
        "Look at the replies: the tool may take only hosts that it knows.",
    ),
    Rule("pinned", "pass", "Changing names were looked up, and loopback was not contacted under any of them."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each URL argument the control, then a name for each number of public answers."""
    found = aims(target) if isolated(target) else ()
    for aim in found:
        yield from control(target, aim)
        for case in target.cases:
            host = f"{name_of(target, aim, case.id)}.then{case['answers']}-127-0-0-1.{ZONE}"
            yield from probing(target, "attack", aim, case.id, page_at(aim, case.id, host), case.why)
    if found:
        yield late(target)


def judge(seen: Seen) -> Verdict:
    """Pick the rule: content, blind, or how much was tried."""
    if not isolated(seen.target):
        return not_isolated(seen)
    hit = seen.own.role("attack", "fact").where(lambda outcome: bool(spoken(outcome)))
    if hit:
        shown = hit.sighting("listener_secret")
        cases = ", ".join(dict.fromkeys(outcome.probe.case for outcome in hit))
        summary = f"{', '.join(hit.tools or seen.attacks.tools)} reached loopback ({cases})."
        rest = hit.where(lambda outcome: outcome not in shown)
        return seen.decide("content" if shown else "blind", [*shown, *rest], summary, line=came)
    if lacking := unfetched(seen):
        return lacking
    asked = seen.attacks.where(lambda outcome: any(".then" in name for name in lookups(outcome)))
    return seen.decide("pinned", asked, line=came) if asked else seen.decide("not-looked-up", seen.attacks, line=came)


CHECK = Check(
    id="net-dns-rebinding",
    revision=1,
    title="Names are looked up once",
    question="Does a name that changes its address get a tool to loopback?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-350", "CWE-367", "CWE-918"),
)
