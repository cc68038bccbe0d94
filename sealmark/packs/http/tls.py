"""Looks whether what leaves this machine is encrypted.

Why: Tool calls carry tokens, queries and documents. On the way to another machine everybody on the path can read and
change them unless the connection is encrypted and the server's certificate is checked.

How: The scheme of the configured URL is looked at, and the request by which any client begins is sent over it, with
the certificate checked against the system's authorities (or those of --ca-file). Plain HTTP to this machine itself
(localhost, 127.0.0.0/8, ::1) leaves nobody anything to read on the way and is not applicable. Plain HTTP to any other
address fails.

When it can be wrong: A tunnel or a mesh may encrypt what looks plain from here. Nothing is said about the ciphers
beyond the version of TLS, or about another port of the server that speaks plainly.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.http.asking import facts, got, last, opening
from sealmark.record.model import Probe, Verdict

RULES = (
    Rule(
        "plain",
        "fail",
        "A server on another address than loopback is spoken to without encryption.",
        "Serve it over https://, or bind it to 127.0.0.1.",
    ),
    Rule("loopback", "na", "Plain HTTP to this machine itself passes nobody."),
    Rule("encrypted", "pass", "The connection is encrypted, and the certificate is one that this machine trusts."),
)


def plan(target: Target) -> Iterator[Probe]:
    """One request, where there is something to see."""
    if facts(target).get("scheme") == "https" or not facts(target).get("loopback", True):
        yield target.probe("control", "plain", opening(target), why="What any client sends first.")


def judge(seen: Seen) -> Verdict:
    """By the scheme and the address of the URL."""
    url = facts(seen.target)
    if url.get("scheme") == "https":
        return seen.decide("encrypted", seen.own.answered, line=_version)
    if url.get("loopback", True):
        return seen.decide("loopback")
    return seen.decide("plain", seen.own, line=got)


def _version(outcome: Outcome) -> str:
    seen = last(outcome)
    version = seen.facts.get("tls", "") if seen is not None and seen.facts else ""
    return f"{got(outcome)} over {version or 'TLS'}"


CHECK = Check(
    id="http-tls",
    revision=1,
    title="Encrypted off this machine",
    question="Can somebody on the way read or change what is sent?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-319",),
)
