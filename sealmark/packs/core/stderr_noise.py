"""Looks at what the server wrote to its standard error stream: secrets, and stack traces.

Why: Clients keep the standard error of a server in log files, often for long and readable by many. A secret there
has left the server as surely as one in a reply; a stack trace says that something was not handled, and shows the
inside.

How: Nothing is sent. The standard error of every process of the run is read: for the values of the planted
environment variables, for text that is shaped like a credential, and for stack traces.

When it can be wrong: The beginning and the end of a long stream are read, not its middle. A trace that a server
logs for an error that it answered cleanly counts as part all the same: ordinary bad input, of which this run sends
much, needs no trace. A server that the harness did not start has no stream to read.
"""

from __future__ import annotations

from collections.abc import Iterable

from sealmark.check import Check, Rule, Seen, Target
from sealmark.record.model import Evidence, Probe, SessionFacts, Verdict

PLANTED = ("canary", "fake_api_key")

RULES = (
    Rule(
        "secret",
        "fail",
        "A planted variable's value, or text shaped like a credential, stands on standard error.",
        "Log names and lengths of credentials, never values; do not log the environment.",
    ),
    Rule(
        "trace",
        "part",
        "Stack traces stand on standard error.",
        "Answer bad input with an error, and log one line for it.",
    ),
    Rule("clean", "pass", "Standard error holds no secret and no stack trace."),
)


def plan(target: Target) -> Iterable[Probe]:
    """Nothing: the streams of all sessions are read."""
    return ()


def judge(seen: Seen) -> Verdict:
    """Read the streams."""
    server = seen.gathered.server
    if server.transport != "stdio" and not server.command:
        return seen.decide("no-target", summary="The harness did not start the server, so there is no stream to read.")
    sessions = seen.gathered.sessions
    secrets = [_line(s, _secrets(s)) for s in sessions if _secrets(s)]
    if secrets:
        return seen.decide(
            "secret", secrets, f"Processes with secrets on standard error: {len(secrets)} of {len(sessions)}."
        )
    traces = [_line(s, s.stderr_internals) for s in sessions if s.stderr_internals]
    if traces:
        return seen.decide(
            "trace", traces, f"Processes with traces on standard error: {len(traces)} of {len(sessions)}."
        )
    opened = seen.every.where(lambda outcome: outcome.probe.id == "surface/fact:open")
    return seen.decide("clean", opened, line=f"the streams of {len(sessions)} processes read")


def _secrets(session: SessionFacts) -> tuple[str, ...]:
    planted = [f"planted:{s.name}" for s in session.stderr_sightings if s.name in PLANTED]
    return (*dict.fromkeys(planted), *session.stderr_secrets)


def _line(session: SessionFacts, kinds: Iterable[str]) -> Evidence:
    name = f"{session.pack}/{session.name}, process {session.generation}"
    return Evidence(f"session {name}: {', '.join(kinds)}")


CHECK = Check(
    id="stderr-noise",
    revision=1,
    title="Standard error keeps secrets and stack traces out",
    question="Does the server log secrets or stack traces?",
    page=__doc__,
    rules=RULES,
    plan=plan,
    judge=judge,
    reads="run",
    cwe=("CWE-532", "CWE-209"),
    owasp="MCP01:2025 Token Mismanagement & Secret Exposure",
)
