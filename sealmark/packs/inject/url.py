"""Whether a value that a tool takes as text decides where a request goes.

Why: A host, a tenant, a region, a repository's name: tools paste such values into a URL. The value can then choose
another host, and the request, often with the server's own token, goes there.

How: Only with --active. Of each tool at most two arguments for text are tried that no other pack owns, those first
that are required or named like what ends in URLs (host, domain, server, endpoint …); tools that say that they destroy
are left alone, and at most twelve tools are tried. An ordinary value goes first. Then the value is the address of a
listener of the harness on loopback, in the forms of the corpus: a whole URL, a host with its port, a URL without a
scheme, and forms that turn what stands before the value into user information. Only a visit to the listener fails the
check, whatever the reply says.

When it can be wrong: Only loopback is tried, so a tool that refuses loopback and goes anywhere else passes. A host that
is put before a fixed port is not seen.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Group, Outcome, Rule, Seen, Target
from sealmark.packs.inject.values import asked, ranked, trying
from sealmark.packs.inject.verdicts import NO_CONTROL, SOME_UNJUDGED, settle
from sealmark.packs.net.urls import late, seen_as, visited
from sealmark.reading.words import table
from sealmark.record.model import Look, Probe, Verdict

TELLING = table("""
    host, hostname, domain, server, endpoint, base, origin, site, webhook, callback, source, link, image,
    feed, proxy, registry, instance, tenant, region, api, target, address, ip, service, uri
""")

RULES = (
    Rule(
        "reached",
        "fail",
        "A value decided where a request went: somebody came to the listener.",
        "Take only names from a list, or parse the finished URL and compare its host with the one that was meant.",
    ),
    SOME_UNJUDGED,
    NO_CONTROL,
    Rule("not-reached", "pass", "Ordinary values were used, and no value brought anybody to the listener."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each argument the ordinary value, then every form of the listener's address."""
    chosen, _ = ranked(target, TELLING)
    for aim in chosen:
        control = tuple(trying(target, aim, "control", "plain", [aim.plain], "an ordinary value"))
        yield from control
        for case in target.cases if control else ():
            yield from trying(target, aim, "attack", case.id, [case["value"]], case.why, Look("listener"))
    if chosen:
        yield late(target)


def judge(seen: Seen) -> Verdict:
    """Pick the rule: somebody came, or how much could be judged."""
    hits = Group((*visited(seen.attacks), *visited(seen.own.role("fact"))))
    if hits:
        cases = ", ".join(dict.fromkeys(outcome.probe.case for outcome in hits))
        tools = ", ".join(hits.tools or seen.attacks.tools)
        return seen.decide("reached", hits, f"{tools} went where a value sent it ({cases}).", line=_visit)
    chosen, left = ranked(seen.target, TELLING)
    return settle(seen, chosen, left, "not-reached")


def _visit(outcome: Outcome) -> str:
    return f"{asked(outcome)}: the listener saw {seen_as(outcome)}: {outcome.probe.why}"


CHECK = Check(
    id="inject-url",
    revision=1,
    title="Values do not choose a host",
    question="Does a value that is no URL decide where a request goes?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-918", "CWE-74"),
    owasp="MCP05:2025 Command Injection & Execution",
)
