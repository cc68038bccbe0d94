"""Whether a tool can be made to serve an identifier outside the scope that was declared for the server.

Why: A server that may serve one schema, one bucket or one project is as safe as its comparison of names. Comparisons
fail in known ways: a prefix without its separator, other case, quotes, an encoded separator that the backend decodes.

How: scope.tools names the argument that holds an identifier, scope.allow and scope.deny what may be served. From them
come identifiers outside: siblings, containers, partial names, glued prefixes, other case, quoted, encoded, lists,
traversal, and what is denied, in several spellings. Each tool is first asked for one inside. Where a stub stands in
for the backend, what reaches it decides: an identifier from outside that arrives fails, whatever came back. Without a
stub the reply decides: an answer that is no error and refuses nothing fails.

When it can be wrong: Without a stub, an empty answer about an object that does not exist looks like one that was
served. A backend that takes a glued or encoded name for an object of the allowed group makes this check too strict;
name such an object under scope.allow. Partial names are taken as outside, though a server may complete them within.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.check.seen import succeeded
from sealmark.packs.custom.own import variants
from sealmark.packs.scope.names import Scope, outside
from sealmark.packs.upstream.calls import naming, requests_of, shown, stubbed, watched, with_word
from sealmark.record.model import Call, Probe, Role, Tool, Verdict
from sealmark.surface.arguments import CannotFill

MOST_CONTROLS = 4
"""Identifiers inside that are tried before a tool is given up."""

RULES = (
    Rule(
        "reached",
        "fail",
        "A call with an identifier outside the scope was sent on to the backend.",
        "Decode and normalise first, then compare whole parts with what is allowed, then send what was compared.",
    ),
    Rule(
        "served",
        "fail",
        "A call with an identifier outside the scope was answered as if it were inside.",
        "Decode and normalise first, then compare whole parts with what is allowed; refuse everything else.",
    ),
    Rule(
        "not-refused",
        "part",
        "A call with an identifier outside the scope was not refused, though nothing reached the backend.",
        "Answer with an error that says what may be asked for.",
    ),
    Rule(
        "some-unjudged",
        "part",
        "Nothing was found, but some of the tools could not be judged: a call inside the scope did not work either.",
        "Name an identifier that exists under scope.allow, or a working call under probes:.",
    ),
    Rule(
        "no-control",
        "inconclusive",
        "No tool answered a call inside the scope, so nothing follows from what it refuses.",
        "Name an identifier that exists under scope.allow, or a working call under probes:.",
    ),
    Rule("refused", "pass", "Every identifier outside the scope was refused."),
)


def aims(target: Target) -> Iterator[tuple[Tool, str]]:
    """The declared tools and their arguments."""
    by_name = {tool.name: tool for tool in target.surface_tools}
    for entry in target.setting("scope.tools") or ():
        if entry["tool"] in by_name:
            yield by_name[entry["tool"]], entry["param"]


def _inside(target: Target, scope: Scope, tool: str, param: str) -> Sequence[str]:
    """Identifiers inside to try: those of the user's own calls of the tool, then those that the scope gives."""
    own = [
        variant.arguments.get(param)
        for entry in target.setting("probes") or ()
        if entry["tool"] == tool
        for variant in variants(entry)
    ]
    known = [name for name in own if isinstance(name, str) and scope.holds(name)]
    return list(dict.fromkeys([*known, *scope.inside()]))[:MOST_CONTROLS]


def _asking(target: Target, tool: Tool, param: str, name: str) -> Call | None:
    arguments = target.fill(tool, {param: name})
    return None if isinstance(arguments, CannotFill) else Call(tool=tool.name, arguments=arguments)


def _probe(target: Target, role: Role, case: str, call: Call, *, why: str, requires: str = "") -> Probe:
    if stubbed(target):
        return watched(target, role, case, call, why=why, requires=requires)
    return target.probe(role, case, call, tool=call.tool, why=why, requires=requires)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each tool calls inside the scope, then one for each identifier outside."""
    scope = Scope.of(target.setting)
    reasons = {case.id: case.why for case in target.cases}
    for tool, param in aims(target):
        controls: list[str] = []
        for number, name in enumerate(_inside(target, scope, tool.name, param), 1):
            call = _asking(target, tool, param, name)
            if call is not None:
                probe = _probe(target, "control", f"inside-{number}", call, why="an identifier inside the scope")
                controls.append(probe.id)
                yield probe
        for case, name in outside(scope).items() if controls else ():
            call = _asking(target, tool, param, name)
            why = reasons.get(re.sub(r"^denied-\d+", "denied", case), "an identifier outside the scope")
            if call is not None:
                yield _probe(target, "attack", case, call, why=why, requires="|".join(controls))


def _name(outcome: Outcome, params: dict[str, str]) -> str:
    """The identifier that a probe asked for."""
    call = next(step for step in outcome.probe.steps if isinstance(step, Call))
    value: Any = call.arguments
    for part in params.get(call.tool, "").split("/"):
        value = value.get(part, "") if isinstance(value, dict) else ""
    return str(value)


def _reaching(outcome: Outcome, name: str) -> list[str]:
    """The requests by which an identifier reached the backend, in short."""
    words = re.findall(r"sm_[a-z0-9_]+", name.lower())
    found = list(with_word(outcome, words[-1])) if words else list(naming(outcome, name))
    return [shown(request) for request in found]


def declined(outcome: Outcome) -> bool:
    """Whether a call was answered with an error or a refusal."""
    last = outcome.last
    if last is None or not succeeded(last):
        return last is not None
    return last.readings is not None and bool(last.readings.refusal or last.readings.failure)


def judge(seen: Seen) -> Verdict:
    """Pick the rule: sent on, served, not refused, or how much could be judged."""
    params = {tool.name: param for tool, param in aims(seen.target)}
    stub = stubbed(seen.target)
    working = {o.probe.tool for o in seen.controls if o.worked and not (stub and not requests_of(o))}
    if not working:
        return seen.decide("no-control" if seen.controls.answered else "none-answered", seen.controls)
    attacks = seen.attacks.where(lambda outcome: outcome.probe.tool in working)
    reached = {o.probe.id: _reaching(o, _name(o, params)) for o in attacks}
    sent_on = attacks.where(lambda outcome: bool(reached[outcome.probe.id]))

    def asked(outcome: Outcome) -> str:
        return f"{outcome.probe.tool} was asked for {_name(outcome, params)!r}"

    if sent_on:
        names = ", ".join(repr(_name(o, params)) for o in sent_on[:3])
        summary = f"{len(sent_on)} of {len(attacks)} identifiers outside the scope reached the backend: {names}."
        return seen.decide("reached", sent_on, summary, line=lambda o: f"{asked(o)}; sent on: {reached[o.probe.id][0]}")
    open_ones = attacks.answered.where(lambda outcome: not declined(outcome))
    if open_ones:
        return seen.decide("not-refused" if stub else "served", open_ones, line=asked)
    left = [tool for tool in params if tool not in working]
    if left and attacks.answered:
        return seen.decide("some-unjudged", seen.controls.where(lambda o: o.probe.tool in left))
    return seen.decide("refused", attacks.answered, line=lambda o: f"{asked(o)} and refused")


CHECK = Check(
    id="scope-escape",
    revision=1,
    title="Nothing outside the declared scope is served",
    question="Can a tool be made to serve an identifier outside its scope?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-639", "CWE-863"),
    owasp="MCP02",
)
