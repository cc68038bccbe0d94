"""Whether a tool that takes a URL bounds how much it takes in, and how long it waits.

Why: Whoever owns a page decides how large it is and how slowly it comes. A tool without bounds of its own lets one
link fill the memory of the server, or keep an agent waiting until somebody gives up.

How: The listener offers a body of 64 MiB (checks.net-caps.body_mib) and counts what the server takes of it. More than
16 MiB (checks.net-caps.max_mib) fails, whatever part of it the reply shows: a bound on the reply alone comes too late.
A server that ends, or gives no answer, fails too. Then the listener sends a body in small pieces, a few each second,
for longer than the probe waits (timeouts.probe_sec): no time-out of a single read ever strikes. A tool that has not
answered by then makes the check part: every client gives up at some time, but that bound is the caller's.

When it can be wrong: What the system holds in its buffers counts as taken, so counts are rough below 8 MiB. A server
whose bound on the whole time of a fetch is longer than the probe's wait is told that it has none. Bodies that grow when
they are unpacked are not tried. A tool that does not fetch the listener is not judged, since the harness owns no other
URL.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.net.urls import aims, asked, asking, hits, page
from sealmark.record.model import Probe, Verdict

RULES = (
    Rule(
        "fell-over",
        "fail",
        "The server ended, or gave no answer, while it fetched a large body.",
        "Read the body in pieces, and stop at a bound of your own.",
    ),
    Rule(
        "over-limit",
        "fail",
        "The server took in more of a large body than the limit.",
        "Read the body in pieces and close the connection at a bound; Content-Length alone may lie.",
    ),
    Rule(
        "waits-on",
        "part",
        "A body that trickles kept the tool from answering for longer than the probe waits.",
        "Bound the whole time of a fetch, not only the time of one read.",
    ),
    Rule(
        "too-small",
        "inconclusive",
        "The large body is not larger than the limit, so nothing can be shown.",
        "Set checks.net-caps.body_mib above checks.net-caps.max_mib.",
    ),
    Rule("not-fetched", "na", "No tool fetched the listener, and the harness owns no other URL."),
    Rule("capped", "pass", "The server stopped taking in a large body, and gave up on a slow one."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each URL argument the large body, then for all of them the slow one."""
    patience = float(target.setting("timeouts.probe_sec", 10))
    for case in target.cases:
        for aim in aims(target):
            url = page(aim, case.id, "127.0.0.1").replace("/page/", f"/{case['path']}/", 1)
            timeout_sec = patience if case.id == "slow" else 0
            yield from asking(target, "attack", aim, case.id, url, case.why, timeout_sec=timeout_sec)


def judge(seen: Seen) -> Verdict:
    """Pick the rule: fell over, too much, too long, or how much was fetched at all."""
    limit, size = (
        seen.target.setting("checks.net-caps.max_mib", 16),
        seen.target.setting("checks.net-caps.body_mib", 64),
    )
    if seen.own and size <= limit:
        return seen.decide("too-small", summary=f"The large body has {size} MiB, the limit is {limit} MiB.")
    fetched = seen.attacks.where(lambda outcome: bool(_visits(outcome)))
    large = fetched.where(lambda outcome: outcome.probe.case.startswith("large"))
    fell = large.where(lambda outcome: outcome.crashed or outcome.hung)
    if fell:
        return seen.decide("fell-over", fell, line=lambda outcome: f"{asked(outcome)} was not answered")
    over = large.where(lambda outcome: any(_over(visit, limit) for visit in _visits(outcome)))
    if over:
        summary = f"{', '.join(over.tools)} took in more than {limit} MiB of a body of {size} MiB."
        return seen.decide("over-limit", over, summary, line=lambda outcome: _took(outcome, size))
    slow = fetched.where(lambda outcome: outcome.probe.case.startswith("slow") and (outcome.hung or outcome.crashed))
    if slow:
        return seen.decide("waits-on", slow, line=lambda outcome: f"{asked(outcome)} was not answered in time")
    if seen.own and not fetched:
        return seen.decide("not-fetched") if seen.attacks.answered else seen.decide("none-answered", seen.attacks)
    return seen.decide("capped" if fetched else "no-target", fetched, line=lambda outcome: _took(outcome, size))


def _visits(outcome: Outcome) -> list[Mapping[str, Any]]:
    """Visits to the very page of the probe."""
    return [hit for hit in hits(outcome) if f"/{outcome.probe.case.partition('@')[0]}/" in hit.get("path", "")]


def _over(visit: Mapping[str, Any], limit: int) -> bool:
    return bool(visit.get("whole")) or visit.get("over_mib", 0) >= limit


def _took(outcome: Outcome, size: int) -> str:
    visit = _visits(outcome)[-1]
    if "whole" not in visit:
        return f"{asked(outcome)} was answered while the body still came"
    over = f"over {visit['over_mib']} and " if visit["over_mib"] else ""
    took = f"all of {size} MiB" if visit["whole"] else f"{over}under {visit['under_mib']} of {size} MiB"
    return f"{asked(outcome)}: the listener was rid of {took}"


CHECK = Check(
    id="net-caps",
    revision=1,
    title="Fetches have bounds",
    question="Does a tool stop taking in a body that is too large or too slow?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-770", "CWE-400"),
    settings=("checks.net-caps.body_mib", "checks.net-caps.max_mib", "timeouts.probe_sec"),
)
