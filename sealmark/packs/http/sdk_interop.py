"""Looks whether the official client of the protocol gets along with the server.

Why: The harness has a client of its own, written to see everything and to forgive much. Most programs use the official
SDK, which forgives less: one tool with a malformed schema, or a version that it does not know, and none of the server's
tools can be used. A second client that was written by others also shows where the harness itself is wrong.

How: The client of the package mcp (release 2) connects to the same URL with the same headers, by its own transport and
its own choice of era, and lists the tools, resources and prompts that the server declares, page by page. It calls
nothing. The check fails when the client raises an error, and quotes it. Redirects are not followed and the size of a
body is bounded, as for every other request.

When it can be wrong: The client's own faults count against the server; its words are in the evidence. Without the
package (the extra oracle) nobody can be asked, and the check is not applicable. It says nothing about servers on stdio.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.http.asking import opening
from sealmark.record.model import Look, Probe, Verdict

RULES = (
    Rule(
        "gave-up",
        "fail",
        "The official client gave up on the server.",
        "Connect with the official SDK and read its error; a malformed tool or an unknown version is the usual cause.",
    ),
    Rule("accepted", "pass", "The official client connected and listed what the server declares."),
)


def plan(target: Target) -> Iterator[Probe]:
    """A request of the harness's own, and then the other client."""
    yield target.probe("control", "client", opening(target), Look("sdk"), why="Another client, written by others.")


def judge(seen: Seen) -> Verdict:
    """By whether the other client raised an error."""
    met = [look for outcome in seen.own for look in outcome.looked("sdk")]
    if not met:
        return seen.decide("none-answered", seen.own)
    if not met[-1]["installed"]:
        return seen.decide(
            "no-target", summary="The official client is not installed (pip install 'sealmark[oracle]')."
        )
    if not met[-1]["accepted"]:
        summary = f"It gave up at: {met[-1]['stage']}."
        return seen.decide("gave-up", seen.own, summary, line=_line)
    return seen.decide("accepted", seen.own, line=_line)


def _line(outcome: Outcome) -> str:
    met = outcome.looked("sdk")[-1]
    if met["error"]:
        return f"{met['stage']}: {met['error']}"
    listed = ", ".join(f"{count} {kind}" for kind, count in met["listed"].items())
    return f"protocol {met['protocolVersion']}; {listed or 'nothing to list'}"


CHECK = Check(
    id="sdk-interop",
    revision=1,
    title="The official client gets along",
    question="Can a program that uses the official SDK connect and list the tools?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-573",),
)
