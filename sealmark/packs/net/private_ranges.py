"""Whether a tool that takes a URL can be sent to private, link-local and metadata addresses.

Why: In a cloud, the link-local metadata address hands out credentials to whoever asks from the machine. In an office,
private ranges hold routers, printers, databases and admin pages. A tool that fetches any URL for an agent fetches
these too, for whoever wrote the page or the message that the agent reads.

How: This needs an isolated run (--isolate), in which every address is the harness's and nothing leaves the machine.
The tool must first fetch a page at an address of the open internet. Then it is sent to the metadata address, to each
private range, to carrier-grade NAT and to unique local IPv6 addresses: as plain addresses, as IPv4 inside IPv6, as
one number, by names that resolve to them, and at a port where nobody listens. An attempt to connect decides, whatever
the reply says, since the network shows each one.

When it can be wrong: A tool that fetches by means of a service elsewhere finds no such service here. One that takes
only https finds no page, and the check is inconclusive. Some servers are meant for a private network; for them the
finding is the purpose, and the check a candidate.
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
    name_of,
    not_isolated,
    page_at,
    probing,
    reached,
    unfetched,
)
from sealmark.record.model import Probe, Verdict

HINT = "Resolve the host, refuse every address that is not global, and connect to the address that was checked."

RULES = (
    NOT_ISOLATED,
    Rule("metadata", "fail", "A tool contacted a link-local address, where clouds hand out credentials.", HINT),
    Rule("private", "fail", "A tool contacted an address of a private network.", HINT),
    NO_CONTROL,
    Rule("kept-out", "pass", "A page of the open internet was fetched, and no private address was contacted."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each URL argument the control, then the addresses."""
    found = aims(target) if isolated(target) else ()
    for aim in found:
        yield from control(target, aim)
        for case in target.cases:
            if case.get("always") or aim is found[0]:
                host = case["host"].replace("NAME", f"{name_of(target, aim, case.id)}").replace("ZONE", ZONE)
                yield from probing(target, "attack", aim, case.id, page_at(aim, case.id, host), case.why)
    if found:
        yield late(target)


def judge(seen: Seen) -> Verdict:
    """Pick the rule: metadata, private, or whether anything was fetched at all."""
    if not isolated(seen.target):
        return not_isolated(seen)
    hit = reached(seen, loopback=False)
    if hit:
        link_local = hit.where(lambda outcome: "169.254." in came(outcome, loopback=False).partition("contacted")[2])
        cases = ", ".join(dict.fromkeys(outcome.probe.case for outcome in hit))
        summary = f"{', '.join(hit.tools or seen.attacks.tools)} contacted addresses inside ({cases})."
        rest = hit.where(lambda outcome: outcome not in link_local)
        line = lambda outcome: came(outcome, loopback=False)  # noqa: E731
        return seen.decide("metadata" if link_local else "private", [*link_local, *rest], summary, line=line)
    return unfetched(seen) or seen.decide("kept-out", [*seen.controls, *seen.attacks], line=came)


CHECK = Check(
    id="net-private-ranges",
    revision=1,
    title="URL tools stay out of private networks",
    question="Can a tool be sent to a cloud's metadata address or to a private network?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-918",),
)
