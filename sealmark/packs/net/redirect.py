"""Whether a tool looks again at where a redirect leads.

Why: A guard that checks the URL it was given and then lets the client follow redirects checks nothing: any page on the
web can answer with a redirect to loopback, and the tool fetches what it has just refused.

How: The check builds on net-loopback-ssrf: spellings that brought somebody to the listener are allowed, spellings that
were refused are not. At an allowed one the listener answers with a redirect: to another page of the same host, which
shows whether redirects are followed; to each spelling that was refused when it was given directly; and to a file URL
with a secret of its own. A visit to the refused spelling, or the secret in a reply, fails the check. A tool that
follows the first redirect and none to a refused spelling has looked again; one that follows no redirect passes too.

When it can be wrong: The harness owns nothing but its loopback listener, so a redirect from a public host is not tried.
A server that refuses all of loopback is not applicable here, and one that allows all of it has nothing that a redirect
could get round, so it is inconclusive.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sealmark import corpora
from sealmark.check import Check, Group, Outcome, Rule, Seen, Target
from sealmark.packs.net.replies import decline
from sealmark.packs.net.urls import aims, asked, asking, hits, label, page, visited
from sealmark.record.model import Probe, Verdict

DIRECT = "net-loopback-ssrf"
"""The check whose probes give the spellings directly."""

RULES = (
    Rule(
        "to-refused",
        "fail",
        "A redirect led the tool to an address that it refused when it was given directly.",
        "Follow redirects yourself, and check each target like the first URL.",
    ),
    Rule(
        "to-file",
        "fail",
        "A redirect made the tool show a local file.",
        "Follow redirects yourself, and allow http and https alone.",
    ),
    Rule(
        "nothing-refused",
        "inconclusive",
        "Redirects are followed, but no spelling of loopback is refused, so there is nothing that one could get round.",
        "Refuse loopback first (net-loopback-ssrf); then this check can tell whether redirects are looked at.",
    ),
    Rule("not-fetched", "na", "No tool fetched the listener, so no redirect could be served."),
    Rule("not-followed", "pass", "The tool follows no redirects."),
    Rule("revalidated", "pass", "The tool follows redirects, and refused each to an address that it refuses directly."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Nothing is known before the spellings were given directly."""
    yield from ()


def follow_up(target: Target, seen: Seen) -> Iterator[Probe]:
    """Yield for each URL argument that fetched the listener the redirects."""
    hosts = {case.id: case["host"] for case in corpora.cases(f"net/{DIRECT}") if case.get("hop")}
    why = {case.id: case.why for case in target.cases}
    for aim in aims(target):
        direct = seen.every.where(lambda o, aim=aim: o.probe.check == DIRECT and o.probe.tool == aim.tool.name)  # type: ignore[misc]
        by_case = {o.probe.case.removesuffix(aim.suffix): o for o in direct.role("attack")}
        known = {case: by_case[case] for case in hosts if case in by_case}
        allowed = [case for case, outcome in known.items() if hits(outcome)]
        if not allowed:
            continue
        start = page(aim, "", hosts[allowed[0]]).partition("/page/")[0]
        there = hosts[allowed[0]].strip("[]")
        yield from asking(
            target, "control", aim, "same-host", f"{start}/to/http/{there}/{label(aim, 'same-host')}", why["same-host"]
        )
        for case, outcome in known.items() if "to-refused" in why else ():
            if not hits(outcome) and outcome.answered:
                name = f"to-{case}"
                url = f"{start}/to/http/{hosts[case].strip('[]')}/{label(aim, name)}"
                yield from asking(target, "attack", aim, name, url, why["to-refused"])
        if target.facts.get("sandboxed") and "to-file" in why:
            yield from asking(target, "attack", aim, "to-file", f"{start}/file{{outside}}/hello.txt", why["to-file"])


def judge(seen: Seen) -> Verdict:
    """Pick the rule: a redirect got round, a file was shown, or whether redirects are followed at all."""
    to_file = seen.attacks.sighting("outside_secret")
    round_ = seen.attacks.where(lambda outcome: bool(_landed(outcome)))
    if round_:
        cases = ", ".join(outcome.probe.case.removeprefix("to-") for outcome in round_)
        return seen.decide(
            "to-refused", round_, f"{', '.join(round_.tools)} followed a redirect to {cases}.", line=_went
        )
    if to_file:
        return seen.decide("to-file", to_file, line=lambda outcome: f"{asked(outcome)}: the reply shows the file")
    if not seen.own:
        return seen.decide("not-fetched" if visited(_direct(seen)) or _direct(seen).answered else "none-answered")
    followed = seen.controls.where(lambda outcome: bool(_landed(outcome)))
    if not followed:
        return seen.decide("not-followed", seen.controls, line=lambda o: f"{asked(o)}: only the first page was fetched")
    tools = set(followed.tools)
    refused = seen.attacks.where(lambda outcome: outcome.probe.case != "to-file" and outcome.probe.tool in tools)
    said_no = [outcome for outcome in refused if _refused_directly(seen, outcome)]
    if not said_no:
        return seen.decide("nothing-refused", followed, line=_went)
    return seen.decide("revalidated", [*followed, *said_no], line=_went)


def _direct(seen: Seen) -> Group:
    return seen.every.where(lambda outcome: outcome.probe.check == DIRECT and outcome.probe.role == "attack")


def _refused_directly(seen: Seen, outcome: Outcome) -> bool:
    """Whether the target of a redirect was refused, rather than failed, when it was given directly."""
    case = outcome.probe.case.removeprefix("to-")
    same = (one for one in _direct(seen) if (one.probe.tool, one.probe.case) == (outcome.probe.tool, case))
    return any(decline(one).kind in ("refused", "plain") for one in same)


def _landed(outcome: Outcome) -> list[Mapping[str, Any]]:
    """Visits to the page that a redirect leads to."""
    return [hit for hit in hits(outcome) if "/page/" in hit.get("path", "")]


def _went(outcome: Outcome) -> str:
    landed = _landed(outcome)
    if landed:
        return f"{asked(outcome)}: the listener saw {landed[0]['path']} for {landed[0]['host']} after the redirect"
    return f"{asked(outcome)}: the redirect was not followed"


CHECK = Check(
    id="net-redirect",
    revision=1,
    title="Redirects are looked at",
    question="Does a redirect lead a tool where it refuses to go directly?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    follow_up=follow_up,
    reads="run",
    cwe=("CWE-918", "CWE-601"),
)
