"""Looks whether a local server listens to other machines, too.

Why: A server that is meant for the programs of one machine and binds to all addresses is open to everybody on the same
network. The specification asks local servers to bind to localhost only (2025-11-25, basic/transports, security).

How: For a URL on this machine the table of listening sockets is read after the server has answered, and nothing else is
sent. A socket on the port that is bound to every address, or to one that is not loopback, fails; the check is advisory.
A server that the harness itself started is not examined: its address stands in the command line that the user gave.

When it can be wrong: A firewall may close what the table shows as open. A server in a container is seen with the
address of the program that forwards to it. Where the table cannot be read (another system than Linux) nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Rule, Seen, Target
from sealmark.packs.http.asking import facts, got, opening
from sealmark.record.model import Look, Probe, Verdict

RULES = (
    Rule(
        "other-machines",
        "fail",
        "The server listens to other machines, too.",
        "Bind to 127.0.0.1 (often --host 127.0.0.1) unless other machines are meant to reach it.",
    ),
    Rule("not-examined", "na", "There is nothing to examine here."),
    Rule("loopback", "pass", "The server listens on loopback only."),
)


def plan(target: Target) -> Iterator[Probe]:
    """A request, to see that it is the server, and a look at the table of sockets."""
    if facts(target).get("loopback") and not facts(target).get("started"):
        yield target.probe("control", "bound", opening(target), Look("bind"), why="Where the port is bound.")


def judge(seen: Seen) -> Verdict:
    """By the addresses that the port is bound to."""
    if not seen.own:
        where = "The harness started the server" if facts(seen.target).get("started") else "It is on another machine"
        return seen.decide("not-examined", summary=f"{where}, so its address is not examined.")
    looked = [look for outcome in seen.own for look in outcome.looked("bind")]
    reach = sorted({each for look in looked for each in look["reach"]})
    if not looked or not reach:
        return seen.decide(
            "not-examined" if looked else "none-answered", summary="The table of sockets shows no such port."
        )
    if reach != ["loopback"]:
        return seen.decide("other-machines", seen.own, f"Bound to: {', '.join(reach)}.", line=got)
    return seen.decide("loopback", seen.own, line=got)


CHECK = Check(
    id="http-bind",
    revision=1,
    title="Local servers stay local",
    question="Can other machines reach a server that is meant for this one?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-1327",),
)
