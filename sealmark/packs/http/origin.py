"""Looks whether a web page in somebody's browser can talk to the server.

Why: A server on loopback is open to every program of the machine, and a browser is one that runs other people's code.
A page can send requests to it, directly or after its own name was made to point at 127.0.0.1 (DNS rebinding), and so
use every tool of the server. The specification therefore demands that the Origin header is checked on all connections
(2025-11-25, basic/transports, security warning; 403 for an invalid one).

How: The request by which any client begins is sent as it is, which must be answered, and then again with headers that
only a foreign page can cause: a foreign Origin, origins that merely look local, the origin null of a sandboxed frame,
and a foreign Host with and without an Origin. Nothing is rebound: the requests carry the headers that a browser would
send after it. A refusal is any status from 300 or a JSON-RPC error. A foreign Origin that is served fails. A foreign
Host that is served although origins are checked makes part, since a browser sends an Origin with every POST. On another
machine than this one a foreign Origin makes part: a page gains nothing that its author could not send himself.

When it can be wrong: A proxy before the server may refuse what the server itself would serve. A server that trusts a
foreign origin on purpose and wants a token all the same is told that it does not check. No name is rebound for real, so
a check of the resolved address is not seen.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.http.asking import case, facts, got, opening, served
from sealmark.record.model import Probe, Verdict

CHECK_ORIGIN = (
    "Compare the Origin header with a list of your own and answer 403; most SDKs do it when they are told the host."
)

RULES = (
    Rule(
        "rebound",
        "fail",
        "A request with a foreign Host and Origin was served, as it comes after DNS rebinding.",
        CHECK_ORIGIN,
    ),
    Rule("foreign-origin", "fail", "A request with a foreign Origin was served.", CHECK_ORIGIN),
    Rule(
        "lookalike-origin",
        "fail",
        "A request with an Origin that only looks local was served.",
        "Compare the whole Origin, not a part of it.",
    ),
    Rule(
        "null-origin",
        "fail",
        "A request with the Origin null was served, which any page can send from a sandboxed frame.",
        "Leave null out of the allowed origins.",
    ),
    Rule(
        "remote-origin",
        "part",
        "A server on another machine served a request with a foreign Origin.",
        "Check the Origin header: the specification demands it of every server.",
    ),
    Rule(
        "host-unchecked",
        "part",
        "Origins are checked, and a foreign Host was served.",
        "Compare the Host header with the names of the server, too: a browser sends no Origin with a GET.",
    ),
    Rule(
        "no-control",
        "inconclusive",
        "The same request without foreign headers was not served, so a refusal shows nothing.",
        "Pass the server's credentials with --bearer-env, or look at its log.",
    ),
    Rule("guarded", "pass", "Every request that only a foreign page can cause was refused."),
)
STRONGEST = ("rebound", "foreign-origin", "lookalike-origin", "null-origin")


def plan(target: Target) -> Iterator[Probe]:
    """The plain request, and one for each case of the corpus."""
    yield target.probe("control", "plain", opening(target), why="What any client sends first.")
    for entry in target.cases:
        yield target.probe("attack", entry.id, opening(target, entry["headers"]), why=entry.why)


def judge(seen: Seen) -> Verdict:
    """Pick the strongest rule that a served request broke."""
    control = case(seen.controls, "plain")
    if control is not None and control.answered and not served(control):
        return seen.decide("no-control", [control], line=got)
    broken = {entry.id: entry["rule"] for entry in seen.target.cases}
    open_to = seen.attacks.where(served)
    rules = {broken[outcome.probe.case] for outcome in open_to}
    for rule in STRONGEST:
        if rule in rules and not facts(seen.target).get("loopback", True):
            return seen.decide("remote-origin", open_to, _summary(open_to), line=got)
        if rule in rules:
            return seen.decide(rule, open_to, _summary(open_to), line=got)
    if open_to:
        return seen.decide("host-unchecked", open_to, line=got)
    answered = seen.attacks.answered if served(control) else ()
    return seen.decide("guarded", answered, f"{len(seen.attacks.answered)} requests refused.", line=got)


def _summary(open_to: tuple[Outcome, ...]) -> str:
    return f"Served: {', '.join(outcome.probe.case for outcome in open_to)}."


CHECK = Check(
    id="http-origin",
    revision=1,
    title="Foreign pages are refused",
    question="Can a web page in a browser on this machine use the server?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-346", "CWE-350"),
    owasp="MCP07:2025 Insufficient Authentication & Authorization",
)
