"""Looks for the values of planted environment variables in everything that the server sends back.

Why: A server gets its credentials through its environment, and an agent repeats what it reads. A tool that shows
the environment, or an error that prints it, hands every secret of the server to whatever the agent talks to next.

How: When the harness starts the server, it plants two variables with values that exist nowhere else, one of them
shaped like an API key. Each tool that is annotated read-only and takes no arguments is called once with {}; a tool
without the annotation is not, since nothing says that calling it is harmless. Then every reply of the whole run
(results, errors, listings, bodies of resources, decoded blobs) and what the server sent unasked is searched for
both values as they are, percent-encoded, in base64, in hex, and escaped. The standard error stream does not count
here; see stderr-noise.

When it can be wrong: A value in a spelling that is not searched for (compressed, encrypted, split) is not seen, and
a tool that needs arguments is only seen through the valid calls of other packs. A pass names how many tools were
called.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from sealmark.check import Check, Outcome, Rule, Seen, Target, call
from sealmark.check.calls import exercised_tools
from sealmark.record import marks
from sealmark.record.model import Evidence, Probe, Tool, Verdict
from sealmark.surface.consent import no_arguments, read_only, task_only

PLANTED = ("canary", "fake_api_key")
MAX_CALLS = 20
"""Tools without arguments that are called; the rest is named under "not covered"."""

RULES = (
    Rule(
        "echoed",
        "fail",
        "The value of a planted environment variable came back in a reply.",
        "Do not return the environment; return the few values that a caller needs, and never one that may be a secret.",
        "SECRET_ECHOED",
    ),
    Rule(
        "volunteered",
        "fail",
        "The server sent the value of a planted environment variable without being asked.",
        "Keep the environment out of log messages, progress and other notifications.",
        "SECRET_ECHOED",
    ),
    Rule("clean", "pass", "No reply of the run held the value of a planted variable."),
)


def plan(target: Target) -> Iterable[Probe]:
    """Call each read-only tool without arguments once."""
    for tool in [tool for tool in target.surface_tools if harmless(tool)][:MAX_CALLS]:
        why = "it is annotated read-only and takes no arguments"
        yield target.probe("coverage", "no-arguments", call(tool, {}), tool=tool.name, why=why)


def harmless(tool: Tool) -> bool:
    """Whether a tool is annotated read-only, takes no arguments and needs no task."""
    return read_only(tool) and no_arguments(tool) and not task_only(tool)


def judge(seen: Seen) -> Verdict:
    """Search all that came back."""
    if not seen.target.facts.get("canaries"):
        return seen.decide("no-target", summary="The harness did not start the server, so nothing could be planted.")
    hits = seen.every.where(lambda outcome: bool(outcome.sightings(*PLANTED)) and not _sends_it(outcome.probe))
    if hits:
        tools = ", ".join(hits.tools)
        summary = f"Replies that held a planted value: {len(hits)}{f' (tools: {tools})' if tools else ''}."
        return seen.decide("echoed", hits, summary, line=_where)
    unasked = tuple(_unasked(seen))
    if unasked:
        return seen.decide("volunteered", unasked)
    answered = seen.every.answered
    called, offered = len(exercised_tools(seen.every)), len(seen.gathered.surface.tools)
    summary = f"Replies searched: {len(answered)}. Tools that answered a valid call: {called} of {offered}."
    worked = seen.own.where(lambda outcome: outcome.worked)
    return seen.decide("clean", worked or answered, summary, line="answered without a planted value")


def _where(outcome: Outcome) -> str:
    found = outcome.sightings(*PLANTED)
    what = {"canary": "the canary variable", "fake_api_key": "the variable shaped like an API key"}
    named = "; ".join(dict.fromkeys(f"{what[s.name]} ({s.spelling} spelling, in the {s.place})" for s in found))
    return f'tool "{outcome.probe.tool}": {named}' if outcome.probe.tool else f"{outcome.probe.id}: {named}"


def _sends_it(probe: Probe) -> bool:
    """Whether the probe itself sends a planted value, so that its echo says nothing."""
    return bool(marks.names_in(msgspec.to_builtins(probe.steps)) & set(PLANTED))


def _unasked(seen: Seen) -> Iterator[Evidence]:
    for session in seen.gathered.sessions:
        for stray in session.strays:
            if marks.names_in(stray.head) & set(PLANTED):
                named = stray.method or stray.kind
                yield Evidence(f"session {session.pack}/{session.name}: {named} held a planted value")
        for sighting in session.notified_sightings:
            if sighting.name in PLANTED:
                yield Evidence(f"session {session.pack}/{session.name}: a notification held a planted value")


CHECK = Check(
    id="secret-echo",
    revision=1,
    title="Secrets in the environment stay there",
    question="Does any reply hand out the server's environment?",
    page=__doc__,
    rules=RULES,
    plan=plan,
    judge=judge,
    reads="run",
    cwe=("CWE-200", "CWE-497"),
    owasp="MCP01:2025 Token Mismanagement & Secret Exposure",
)
