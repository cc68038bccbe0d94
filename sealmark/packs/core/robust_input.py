"""Sends input that a server must refuse, and sees whether it refuses it cleanly.

Why: Agents send wrong arguments all the time, and strangers send worse. A server that dies of one takes every other
call with it; one that answers with a stack trace shows its inside; one that uses what its own schema rejects does
things that nobody asked for. The specification says that servers MUST validate all tool inputs.

How: To each tool go a few sets of arguments that its own schema rejects: a required one missing, one of a wrong
type, one that is null, one of sixty-four arrays in one another. With many tools each gets fewer, taken in turn, and
at least one. A tool without arguments gets a text in place of them, and only if it is annotated read-only. Then an
unknown tool is called; and in a process of its own an unknown tool with an argument of 1 MiB, one with a name of 64
KiB, and a message of ten thousand arrays in one another, after which the server must still answer. Nothing that a
schema accepts is sent. An input that gets no answer is sent again with more time; only when that stays unanswered
too the server counts as hung.

When it can be wrong: Leniency gives part, not a failure, since nothing was shown to break: that is a success for
input that the schema rejects (the rule of the specification is broken all the same), and an error that came only
after the value was used, such as a failed request to somewhere else. A crash is a process or connection that ended;
over HTTP it counts only when the harness started the process and saw it end. A server that takes very long for
everything is not hung.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import msgspec

from sealmark.check import Check, Outcome, Rule, Seen, Target, call
from sealmark.packs.core.answers import accepted, crashed, in_words, leak, used_first
from sealmark.record.model import Call, Probe, Raw, Step, Tool, Verdict
from sealmark.surface.arguments import CannotFill
from sealmark.surface.consent import no_arguments, read_only, task_only
from sealmark.surface.invalid import invalid_arguments

CALLS = 34
"""Calls of tools in all, as long as each tool gets one."""
PER_TOOL = 4
AGAIN = 3
"""Unanswered inputs that are sent once more."""

RULES = (
    Rule(
        "crashed",
        "fail",
        "The server ended when it got input that it should have refused.",
        "Catch what goes wrong with one request, and answer it with an error.",
        "SERVER_CRASHED",
    ),
    Rule(
        "hung",
        "fail",
        "An input got no answer, and none when it was sent again with more time.",
        "Answer every request, and bound what one may cost.",
        "SERVER_HUNG",
    ),
    Rule(
        "leaks-internals",
        "part",
        "An answer to bad input shows a stack trace or an unhandled runtime error.",
        "Check arguments against the schema before use, and answer with what is wrong with them.",
    ),
    Rule(
        "accepted-invalid",
        "part",
        "A tool answered with a success to input that its own schema rejects.",
        "Check arguments against the schema, or correct the schema.",
    ),
    Rule(
        "lenient",
        "part",
        "A tool used input that its own schema rejects before it reported an error.",
        "Check arguments against the schema before they are used.",
    ),
    Rule("clean", "pass", "Every bad input was refused with a clean error."),
)


def plan(target: Target) -> Iterable[Probe]:
    """A share of the cases for each tool, then those for the server as a whole."""
    timeout = target.setting("timeouts.probe_sec", 10)
    kinds = {case.id: case for case in target.cases if case.get("of") == "tool"}
    share = max(1, min(PER_TOOL, CALLS // max(1, len(target.surface_tools))))
    for number, tool in enumerate(target.surface_tools):
        found = [(kind, step) for kind, step in _bad_calls(target, tool) if kind in kinds]
        turn = number % len(found) if found else 0
        for kind, step in (found[turn:] + found[:turn])[:share]:
            yield target.probe("attack", kind, step, tool=tool.name, why=kinds[kind].why)
    for case in target.cases:
        if case.get("of") == "server":
            step = (
                Call(case["name"], case["arguments"], valid=False) if "name" in case.data else _raw(target, case["raw"])
            )
            yield target.probe("attack", case.id, step, why=case.why, session=case.get("session", "main"))


def _bad_calls(target: Target, tool: Tool) -> Iterator[tuple[str, Step]]:
    timeout = target.setting("timeouts.probe_sec", 10)
    if no_arguments(tool) and read_only(tool) and not task_only(tool):
        yield "wrong-type", call(tool, "sealmark-wrong-type", valid=False, timeout_sec=timeout)
    valid = target.fill(tool, {})
    for bad in invalid_arguments(tool.input_schema, None if isinstance(valid, CannotFill) else valid):
        yield bad.kind, call(tool, bad.arguments, valid=False, timeout_sec=timeout)


def _raw(target: Target, text: str) -> Raw:
    """The message and, on a stream, a ping after it: a server may drop the one, and must answer the other."""
    timeout = target.setting("timeouts.probe_sec", 10)
    if target.gathered.server.transport != "stdio":
        return Raw(text, any_reply=True, timeout_sec=timeout)
    modern = target.gathered.surface.era == "modern"
    ping = {"jsonrpc": "2.0", "id": "sealmark-alive", "method": "server/discover" if modern else "ping"}
    return Raw(f"{text}\n{json.dumps(ping)}", expect="sealmark-alive", timeout_sec=timeout)


def follow_up(target: Target, seen: Seen) -> Iterable[Probe]:
    """Send again, with more time, what got no answer."""
    timeout = 2 * target.setting("timeouts.probe_sec", 10)
    for outcome in seen.attacks.where(lambda outcome: outcome.hung)[:AGAIN]:
        step = msgspec.structs.replace(outcome.probe.steps[0], timeout_sec=timeout)
        old = outcome.probe
        yield target.probe("twin", old.case, step, tool=old.tool, session=old.session, why="it got no answer")


def judge(seen: Seen) -> Verdict:
    """The worst that one input did."""
    stdio = seen.gathered.server.transport == "stdio"
    for rule, holds in (
        ("crashed", lambda outcome: crashed(outcome, stdio)),
        ("hung", lambda outcome: _hung(seen, outcome)),
        ("leaks-internals", lambda outcome: bool(leak(outcome))),
        ("accepted-invalid", lambda outcome: bool(outcome.probe.tool) and accepted(outcome)),
        ("lenient", lambda outcome: bool(outcome.probe.tool) and used_first(outcome)),
    ):
        found = seen.own.where(holds)
        if found:
            summary = f"{seen.check.rule(rule).says} ({len(found)} of {len(seen.own)} inputs)"
            return seen.decide(rule, found, summary, line=in_words)
    answered = seen.own.answered
    untouched = len(seen.target.surface_tools) - len(seen.own.tools)
    summary = f"{len(answered)} of {len(seen.own)} bad inputs answered, each with a clean error."
    if untouched:
        summary += f" {untouched} tools got none: their schemas reject nothing."
    return seen.decide("clean", answered, summary, line=in_words)


def _hung(seen: Seen, outcome: Outcome) -> bool:
    """Whether an input got no answer twice, or its tool is not called any more because it never answers."""
    same = seen.twins.of_tool(outcome.probe.tool).case(outcome.probe.case)
    return outcome.hung and any(twin.hung or twin.observations[0].reason.startswith("tool-hung") for twin in same)


CHECK = Check(
    id="robust-input",
    revision=1,
    title="Bad input is refused cleanly",
    question="What does the server do with input that it must refuse?",
    page=__doc__,
    rules=RULES,
    plan=plan,
    judge=judge,
    follow_up=follow_up,
    cwe=("CWE-20", "CWE-248", "CWE-209"),
)
