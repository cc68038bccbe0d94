"""Whether an error of the backend is passed on with what it holds.

Why: An error page of a backend quotes requests, headers, queries and stack traces, for people who run that backend. A
server that returns it as it is gives them to a model, and to whoever reads the conversation.

How: The valid calls of the configuration (probes without a check) are made while the stub answers 500 and 401 with a
body that quotes the credential that it was sent, a stack trace and a worthless secret of the backend's. A reply with
the credential fails. A reply with the backend's secret, but without the credential, is part: the body was relayed.

When it can be wrong: The body is made up. A server may recognise the errors of its real backend and pass on only those;
what it does with one that it does not know is what is judged here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sealmark.check import Check, Rule, Seen, Target
from sealmark.packs.upstream.calls import NOT_REACHED, has_callers, requests_of, valid_calls, watched
from sealmark.record.model import Probe, Verdict

TRACE = "Traceback (most recent call last): backend/handler.py line 214 key {upstream_secret}"

ANSWERS: Mapping[str, tuple[Mapping[str, Any], str]] = {
    "500-json": (
        {"status": 500, "json": {"error": "internal", "request": {"authorization": "{credential}"}, "trace": TRACE}},
        "an internal error as JSON that quotes the request",
    ),
    "401-text": (
        {"status": 401, "body": "token rejected: {credential}\n" + TRACE},
        "a rejection as text that quotes the token",
    ),
}

RULES = (
    Rule(
        "relays-credential",
        "fail",
        "A reply held the credential that the backend's error quoted.",
        "Answer with a sentence of your own for each kind of error; log the backend's body with tokens replaced.",
    ),
    Rule(
        "relays-body",
        "part",
        "A reply held the body of the backend's error, though not the credential.",
        "Answer with a sentence of your own and a status; keep the backend's body for the log.",
    ),
    NOT_REACHED,
    Rule("kept", "pass", "No reply held anything of the backend's error bodies."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each valid call one for each kind of error."""
    session = "bearer:a" if has_callers(target) else "main"
    for name, call in valid_calls(target):
        for case, (told, why) in ANSWERS.items():
            yield watched(target, "attack", f"{name}.{case}", call, why=why, session=session, told=told)


def judge(seen: Seen) -> Verdict:
    """Pick the rule: with the credential, with the body, or with neither."""
    leaking = seen.own.sighting("bearer_a", "bearer_b")
    if leaking:
        return seen.decide("relays-credential", leaking, line="the reply held the token that the error quoted")
    relaying = seen.own.sighting("upstream_secret")
    if relaying:
        return seen.decide("relays-body", relaying, line="the reply held the secret of the backend's error page")
    reached = seen.own.where(lambda outcome: bool(requests_of(outcome)))
    if not reached:
        return seen.decide("not-reached", seen.own)
    return seen.decide("kept", reached.answered)


CHECK = Check(
    id="upstream-error-relay",
    revision=1,
    title="Errors of the backend are not passed on",
    question="Does an error of the backend come back with the credential that it quotes?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-209", "CWE-200"),
    owasp="MCP10",
)
