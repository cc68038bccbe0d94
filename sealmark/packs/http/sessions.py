"""Looks whether a session can be guessed, made up, or used after its end.

Why: A session id stands for one client's state at the server. Who has it can read what was meant for that client and
send messages in its name, so it must be as hard to guess as a password, and end when it is ended.

How: In the legacy era four sessions are opened, and their ids compared: ids that repeat, that count, that hold little
but the time, or that carry less than 64 bits fail, and so do ids with characters that a header cannot hold. Then a ping
is sent with an id that was made up, without an id in a session, and after DELETE (which must get 404; a server may also
refuse DELETE with 405, and is not asked further). Being served with a made-up or an ended id fails; being served
without one makes part, since the specification only says that a server should refuse it (2025-11-25, basic/transports,
session management). A server that gives out no id has no sessions, and neither has the modern era.

When it can be wrong: Four ids show a pattern only when it is a plain one; an id that is a hash of a counter looks
random. The ids themselves are compared during the run and never kept.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.http.asking import SESSION, begun, case, got, in_session, last, modern, older, opening, served
from sealmark.record.model import Http, Probe, Verdict

IDS = 4

RULES = (
    Rule(
        "guessable",
        "fail",
        "Session ids can be guessed.",
        "Make ids of at least 128 bits from a cryptographic source of random numbers, such as a version 4 UUID.",
    ),
    Rule(
        "invisible",
        "fail",
        "A session id holds characters outside visible ASCII.",
        "Use the characters 0x21 to 0x7E only.",
    ),
    Rule(
        "made-up-served",
        "fail",
        "A session id that was made up was accepted.",
        "Answer 404 to an id that the server did not give out, or has forgotten.",
    ),
    Rule(
        "survives-end",
        "fail",
        "A session was served after it had been ended with DELETE.",
        "Forget the session when it is ended, and answer 404 to its id from then on.",
    ),
    Rule(
        "not-required",
        "part",
        "A request without a session id was served, although the server gave one out.",
        "Answer 400 to a request without an id, other than the handshake.",
    ),
    Rule(
        "no-control",
        "inconclusive",
        "A ping in a session of its own was not served, so a refusal shows nothing.",
        "Look at the server's log for why it refused a ping.",
    ),
    Rule("no-sessions", "na", "The server gives out no session ids."),
    Rule("kept", "pass", "Ids are hard to guess, required, and worth nothing once the session has ended."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Ids to compare, and pings that must be refused."""
    if modern(target) or older(target):
        return
    first, initialized = begun(target)
    yield target.probe("control", "ids", *[opening(target) for _ in range(IDS)], why="Ids are compared, not kept.")
    yield target.probe("control", "ping", first, initialized, in_session(target, "ping"), why="A session that works.")
    without = in_session(target, "ping", {SESSION: ""})
    yield target.probe("attack", "without-id", first, initialized, without, why="The server gave out an id.")
    for entry in target.cases:
        step = in_session(target, "ping", {SESSION: entry["given"]})
        yield target.probe("attack", entry.id, step, why=entry.why)
    end = Http(method="DELETE", headers=in_session(target, "ping").headers)
    steps = (first, initialized, end, in_session(target, "ping"))
    yield target.probe("attack", "after-delete", *steps, why="What was ended is over.")


def judge(seen: Seen) -> Verdict:
    """No sessions, bad ids, then what was served."""
    if not seen.own:
        return seen.decide("no-target", summary="The era or the transport of the server has no session ids.")
    ids, ping = case(seen.controls, "ids"), case(seen.controls, "ping")
    found = _session(ids)
    if ids is not None and ids.worked and not found:
        return seen.decide("no-sessions", [ids], line=got)
    if ids is not None and found and (found["guessable"] or not found["visible"]):
        why = f"{found['count']} ids of {found['length']} characters: {found['guessable'] or 'not visible ASCII'}"
        return seen.decide("guessable" if found["guessable"] else "invisible", [ids], f"{why}.", line=why)
    if ping is not None and ping.answered and not served(ping):
        return seen.decide("no-control", [ping], line=got)
    ended = case(seen.attacks, "after-delete")
    made_up = seen.attacks.where(lambda o: o.probe.case not in ("after-delete", "without-id") and served(o))
    without = case(seen.attacks, "without-id")
    if made_up:
        return seen.decide("made-up-served", made_up, line=got)
    if ended is not None and served(ended) and _ended(ended):
        return seen.decide("survives-end", [ended], line=got)
    if without is not None and served(without):
        return seen.decide("not-required", [without], line=got)
    return seen.decide("kept", seen.attacks.answered if served(ping) else (), line=got)


def _session(outcome: Outcome | None) -> dict[str, object]:
    seen = last(outcome)
    return dict(seen.facts.get("session", {})) if seen is not None and seen.facts else {}


def _ended(outcome: Outcome) -> bool:
    """Whether the server took the DELETE; it may refuse to be told."""
    return any(seen.step == 2 and seen.outcome == "result" for seen in outcome.observations)


CHECK = Check(
    id="http-sessions",
    revision=1,
    title="Sessions belong to who opened them",
    question="Can a session be guessed, made up, or used after its end?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-330", "CWE-384", "CWE-613"),
    owasp="MCP07:2025 Insufficient Authentication & Authorization",
)
