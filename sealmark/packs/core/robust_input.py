"""Sends input that a server must refuse, and sees whether it refuses it cleanly.

Why: Agents send wrong arguments all the time, and strangers send worse. A server that dies of one takes every other
call with it; one that answers with a stack trace shows its inside; one that uses what its own schema rejects does
things that nobody asked for. The specification says that servers MUST validate all tool inputs.

How: To each tool go a few sets of arguments that its own schema rejects: a required one missing, one of a wrong type,
null, sixty-four arrays in one another, a text that is not on a list, a wrong value one level down. With many tools
each gets fewer, taken in turn, and at least one, as long as there are no more than 200 tools. A tool without
arguments gets a text in place of them, and only if it is annotated read-only. Then an unknown tool is called; and in
a process of its own an unknown tool with an argument of 1 MiB, one with a name of 64 KiB, and a message of ten
thousand arrays in one another, after which the server must still answer. Nothing that a schema accepts is sent. An
input that gets no answer is sent again with more time; only when that stays unanswered too the server counts as hung.

When it can be wrong: Leniency gives part, not a failure, since nothing was shown to break: that is a success for
input that the schema rejects (the rule of the specification is broken all the same), and an error that came only
after the value was used, such as a failed request to somewhere else. A crash is a process or connection that ended;
over HTTP it counts only when the harness started the process and saw it end. A server that takes very long for
everything is not hung.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.core.answers import accepted, crashed, in_words, leak, used_first
from sealmark.packs.core.bad_input import bad_arguments, kind_of, raw_message, turned
from sealmark.record.model import Call, Probe, Verdict

CALLS = 34
"""Calls of tools in all, as long as each tool gets one."""
MAX_TOOLS = 200
"""Tools that get any; of more, every second, third … in the order of the listing."""
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
    timeout = float(target.setting("timeouts.probe_sec", 10))
    reasons = {case.id: case.why for case in target.cases if case.get("of") == "tool"}
    share = max(1, min(PER_TOOL, CALLS // max(1, len(target.surface_tools))))
    tools = target.surface_tools[:: 1 + max(0, len(target.surface_tools) - 1) // MAX_TOOLS]
    for number, tool in enumerate(tools):
        bad = {case: value for case, value in bad_arguments(tool).items() if kind_of(case) in reasons}
        for name, arguments in turned(bad, number, share):
            step = Call(tool.name, arguments, False, timeout)
            yield target.probe("attack", name, step, tool=tool.name, why=reasons[kind_of(name)])
    for case in target.cases:
        if case.get("of") == "server":
            raw, session = case.get("raw"), case.get("session", "main")
            asks = (
                raw_message(target, raw, timeout) if raw else (Call(case["name"], case["arguments"], False, timeout),)
            )
            yield target.probe("attack", case.id, *asks, why=case.why, session=session)


def follow_up(target: Target, seen: Seen) -> Iterable[Probe]:
    """Send again, with more time, what got no answer."""
    timeout = 2 * float(target.setting("timeouts.probe_sec", 10))
    for outcome in seen.attacks.where(lambda outcome: outcome.hung)[:AGAIN]:
        old = outcome.probe
        steps = (*old.steps[:-1], msgspec.structs.replace(old.steps[-1], timeout_sec=timeout))
        yield target.probe("twin", old.case, *steps, tool=old.tool, session=old.session, why="it got no answer")


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
        summary += f" {untouched} tools got none: their schemas reject nothing, or there are more than {MAX_TOOLS}."
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
