"""Whether a redirect from a page of the open internet gets a tool to loopback, private or metadata addresses.

Why: Anybody can put up a page that answers with a redirect. A guard that checks the URL it was given and then lets
the client follow wherever it is sent checks nothing.

How: This needs an isolated run (--isolate), in which the harness has pages at addresses of the open internet. A
redirect from one of them to another shows whether redirects are followed. Then pages redirect to loopback, by address
and by name, to a private network, to the metadata address, and to a name that resolves to a private address. An
attempt to connect there decides, whatever the reply says.

When it can be wrong: Redirects in the body of a page (a refresh, a script) are not tried. A tool that fetches no page
of plain http is inconclusive.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.net.urls import aims, isolated, label
from sealmark.packs.net.world import (
    NO_CONTROL,
    NOT_ISOLATED,
    PUBLIC,
    ZONE,
    came,
    late,
    name_of,
    not_isolated,
    probing,
    reached,
    unfetched,
)
from sealmark.record.model import Probe, Role, Verdict

RULES = (
    NOT_ISOLATED,
    Rule(
        "led-inside",
        "fail",
        "A redirect from a page of the open internet led the tool to an address inside.",
        "Follow redirects yourself, and check each target like the first URL.",
    ),
    NO_CONTROL,
    Rule("not-followed", "pass", "The tool follows no redirects."),
    Rule("revalidated", "pass", "Redirects are followed, and none led to an address inside."),
)

THERE = "there"
"""First part of the name that the control's redirect leads to."""


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each URL argument a redirect to another public page, then those to addresses inside."""
    found = aims(target) if isolated(target) else ()
    for aim in found:
        there = f"{name_of(target, aim, THERE)}.{PUBLIC}"
        for case in target.cases:
            name = name_of(target, aim, case.id)
            host = case["to"].replace("THERE", there).replace("NAME", f"to-{name}").replace("ZONE", ZONE)
            url = f"http://{name}.{PUBLIC}/{{listener_token}}/to/http/{host}/{label(aim, case.id)}"
            role: Role = "control" if case.get("control") else "attack"
            yield from probing(target, role, aim, case.id, url, case.why)
    if found:
        yield late(target)


def judge(seen: Seen) -> Verdict:
    """Pick the rule: led inside, or whether redirects are followed at all."""
    if not isolated(seen.target):
        return not_isolated(seen)
    hit = reached(seen, loopback=True)
    if hit:
        cases = ", ".join(dict.fromkeys(outcome.probe.case for outcome in hit))
        summary = f"{', '.join(hit.tools or seen.attacks.tools)} followed a redirect inside ({cases})."
        return seen.decide("led-inside", hit, summary, line=came)
    if lacking := unfetched(seen):
        return lacking
    followed = seen.controls.where(_followed)
    if not followed:
        return seen.decide("not-followed", seen.controls, line=lambda o: f"{came(o)}; the redirect was not followed")
    return seen.decide("revalidated", [*followed, *seen.attacks], line=came)


def _followed(outcome: Outcome) -> bool:
    """Whether the page that the redirect leads to was visited."""
    visits = [visit for look in outcome.looked("contacts") for visit in look.get("visits", ())]
    return any(visit.get("host", "").startswith(THERE) for visit in visits)


CHECK = Check(
    id="net-public-redirect",
    revision=1,
    title="Redirects from the open internet are looked at",
    question="Does a redirect from a public page lead a tool to an address inside?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-918", "CWE-601"),
)
