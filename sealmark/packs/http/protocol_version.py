"""Looks whether the server refuses a protocol version that it does not speak, when a header names it.

Why: Client and server agree on a version once, and every later request says which one it means. A server that takes no
notice answers a client of another revision in a way that the client misreads, and nobody learns why.

How: In the legacy era (from 2025-06-18 on) a session of its own is opened, and a ping follows with the version that was
agreed on, which must be answered, with a version that never existed, and with a text that is none: both must get 400
(2025-11-25, basic/transports, protocol version header). In the modern era each request stands alone: a version that
does not exist, a header that contradicts the message in version or method, and no header at all must get 400
(2026-07-28, basic/transports). Serving any of them fails; a refusal with another status makes part.

When it can be wrong: A server that accepts any version on purpose is told that it does not check. The older SSE
transport and revisions before 2025-06-18 have no such header and are not judged.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Rule, Seen, Target
from sealmark.packs.core.protocol.messages import MODERN_VERSION
from sealmark.packs.http.asking import begun, case, got, in_session, modern, modern_request, older, served, status
from sealmark.record.model import Probe, Verdict

SINCE = "2025-06-18"

RULES = (
    Rule(
        "unknown-served",
        "fail",
        "A request that names a protocol version which does not exist was served.",
        "Answer 400 when MCP-Protocol-Version names a version that the server does not speak.",
    ),
    Rule(
        "mismatch-served",
        "fail",
        "A request whose headers contradict its message was served.",
        "Compare MCP-Protocol-Version and Mcp-Method with the message, and answer 400 with the code -32020.",
    ),
    Rule(
        "other-status",
        "part",
        "Such requests were refused, and not with 400.",
        "Answer 400: other statuses tell a client to authenticate, to start again, or to come back later.",
    ),
    Rule(
        "no-control",
        "inconclusive",
        "The same request with the right version was not served, so a refusal shows nothing.",
        "Look at the server's log for why it refused a ping.",
    ),
    Rule("refused", "pass", "Every request with a wrong version was refused with 400."),
)


def plan(target: Target) -> Iterator[Probe]:
    """One request with the right version, and one for each case of the era."""
    era = "modern" if modern(target) else "legacy"
    if older(target) or (era == "legacy" and target.gathered.surface.protocol_version < SINCE):
        return
    if era == "modern":
        yield target.probe(
            "control", "agreed", modern_request("server/discover"), why="The server speaks this version."
        )
    else:
        steps = (*begun(target), in_session(target, "ping"))
        yield target.probe("control", "agreed", *steps, why="The version that was agreed on.")
    for entry in target.cases:
        if entry["era"] != era:
            continue
        headers = entry.data.get("headers", {})
        if era == "modern":
            step = modern_request("server/discover", headers, entry.data.get("version", MODERN_VERSION))
            yield target.probe("attack", entry.id, step, why=entry.why)
        else:
            steps = (*begun(target), in_session(target, "ping", headers))
            yield target.probe("attack", entry.id, *steps, why=entry.why)


def judge(seen: Seen) -> Verdict:
    """Served, then refused with another status, then refused."""
    if not seen.own:
        return seen.decide("no-target", summary="The revision or transport that the server speaks has no such header.")
    control = case(seen.controls, "agreed")
    if control is not None and control.answered and not served(control):
        return seen.decide("no-control", [control], line=got)
    rules = {entry.id: entry["rule"] for entry in seen.target.cases}
    for rule in ("unknown-served", "mismatch-served"):
        open_to = seen.attacks.where(lambda o, rule=rule: served(o) and rules[o.probe.case] == rule)  # type: ignore[misc]
        if open_to:
            return seen.decide(rule, open_to, line=got)
    refused = seen.attacks.answered if served(control) else seen.attacks.case()
    others = refused.where(lambda outcome: status(outcome) != 400)
    return seen.decide("other-status" if others else "refused", others or refused, line=got)


CHECK = Check(
    id="http-protocol-version",
    revision=1,
    title="Versions that do not exist are refused",
    question="Does the server notice the protocol version that a request names?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-573",),
)
