"""Whether a caller's token stays out of replies and log lines.

Why: What a tool returns is read by a model and kept in conversations; what a server logs is read by people and programs
who are not the caller. A token in either is a password handed around.

How: The valid calls of the configuration (probes without a check) are made as both callers, and once more while the
backend answers 401 with the credential in its body, since errors are where tokens slip out. Every reply, every
notification and everything that the server wrote to stderr while the pack ran is looked through for both tokens, in
plain, percent, base64 and hex spelling.

When it can be wrong: A token that is cut or hashed is not found. Log files of the server's own are not read. A server
that was not started by the harness has no stderr that could be seen; then only its replies are judged.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Rule, Seen, Target
from sealmark.packs.upstream.calls import NO_CALLERS, NOT_REACHED, has_callers, requests_of, valid_calls, watched
from sealmark.record.model import Evidence, Probe, Verdict

TOKENS = ("bearer_a", "bearer_b")

ECHO = {"status": 401, "json": {"error": "invalid token", "received": "{credential}"}}

RULES = (
    Rule(
        "in-reply",
        "fail",
        "A reply or a notification held a caller's token.",
        "Build replies from what the caller asked for; never from a request, or an error that quotes one.",
    ),
    Rule(
        "in-log",
        "fail",
        "The server's log lines held a caller's token.",
        "Log no headers and no configuration; replace tokens before a line is written.",
    ),
    NOT_REACHED,
    NO_CALLERS,
    Rule("clean", "pass", "Neither a reply nor a log line held a caller's token."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each valid call an ordinary one of each caller and one that the backend refuses."""
    for name, call in valid_calls(target) if has_callers(target) else ():
        for who in ("a", "b"):
            yield watched(target, "attack", f"{name}.{who}", call, why="an ordinary call", session=f"bearer:{who}")
        refused = "a call that the backend refuses, quoting the credential"
        yield watched(target, "attack", f"{name}.refused", call, why=refused, session="bearer:a", told=ECHO)


def judge(seen: Seen) -> Verdict:
    """Pick the rule: in a reply, in a log, or nowhere."""
    if not has_callers(seen.target):
        return seen.decide("no-callers")
    pack = seen.target.pack
    replies = seen.every.where(lambda outcome: outcome.probe.pack == pack).sighting(*TOKENS)
    sessions = seen.gathered.sessions
    told = [s for s in sessions if any(found.name in TOKENS for found in s.notified_sightings)]
    if replies or told:
        lines = [Evidence(f"a notification in session {s.pack}/{s.name} held a caller's token") for s in told]
        shown = [outcome.evidence("the reply held a caller's token") for outcome in replies]
        return seen.decide("in-reply", [*shown, *lines])
    logged = [s for s in sessions if any(found.name in TOKENS for found in s.stderr_sightings)]
    if logged:
        return seen.decide(
            "in-log", [Evidence(f"stderr of session {s.pack}/{s.name} held a caller's token") for s in logged]
        )
    reached = seen.own.where(lambda outcome: bool(requests_of(outcome)))
    if not reached:
        return seen.decide("not-reached", seen.own)
    summary = f"{len(seen.own.answered)} replies and the stderr of {len(sessions)} processes hold no caller's token."
    return seen.decide("clean", seen.own.answered, summary)


CHECK = Check(
    id="upstream-token-leak",
    revision=1,
    title="Tokens stay out of replies and logs",
    question="Does a caller's token come back in a reply or end up in a log?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    reads="run",
    cwe=("CWE-532", "CWE-200"),
    owasp="MCP01",
)
