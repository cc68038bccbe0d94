"""Asks whether structured results are what the tool's output schema promises.

Why: A client hands structured content to code without a look. A result that its schema does not describe breaks
that code or, worse, is read as something else. The specification says that a server with an output schema MUST
conform to it.

How: Each tool with an output schema that claims to read only and to reach nothing outside (readOnlyHint true,
openWorldHint false) is called once with the smallest valid arguments, at most eight of them. Every valid call of
the run that a tool with an output schema answered is then judged: its structured content must be there and be
accepted by the schema. Errors promise nothing and do not count.

When it can be wrong: Regular expressions of a schema are not run, and references out of the document are not
followed, so a result that breaks only those is taken for good. A tool that none of this run's valid calls reached
is not judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sealmark.check import Check, Outcome, Rule, Seen, Target, call
from sealmark.check.calls import valid_calls
from sealmark.packs.core.answers import in_words
from sealmark.reading.schema import UNCHECKED
from sealmark.record.model import Evidence, Probe, Tool, Verdict
from sealmark.surface.arguments import CannotFill
from sealmark.surface.consent import closed_world, no_arguments, read_only, task_only

MAX_CALLS = 8

RULES = (
    Rule(
        "mismatch",
        "fail",
        "A structured result is missing, or is not what the tool's output schema describes.",
        "Return structuredContent that the output schema accepts, or correct the schema.",
        "OUTPUT_SCHEMA_MISMATCH",
    ),
    Rule(
        "not-checked",
        "inconclusive",
        "The output schemas could not be applied (too large, broken, or referring outside).",
        "Keep output schemas self-contained and small.",
        "OUTPUT_SCHEMA_NOT_CHECKED",
    ),
    Rule(
        "none-exercised",
        "inconclusive",
        "No tool with an output schema answered a valid call.",
        "Annotate tools that only read (readOnlyHint), or declare a probe that calls the tool.",
    ),
    Rule("none-declared", "na", "No tool declares an output schema."),
    Rule("conforms", "pass", "Every structured result is what its output schema describes."),
)


def plan(target: Target) -> Iterable[Probe]:
    """Call the harmless tools that declare an output schema."""
    calls = 0
    for tool in declaring(target):
        arguments = target.fill(tool, {})
        if not _harmless(tool) or isinstance(arguments, CannotFill) or calls == MAX_CALLS:
            continue
        calls += 1
        why = "it declares an output schema, reads only and reaches nothing outside"
        yield target.probe("coverage", "valid", call(tool, arguments), tool=tool.name, why=why)


def declaring(target: Target) -> Iterator[Tool]:
    """Tools that declare an output schema."""
    for tool in target.surface_tools:
        if tool.output_schema is not None or "outputSchema" in tool.cut:
            yield tool


def _harmless(tool: Tool) -> bool:
    """Whether a valid call may go to the tool; one without arguments is called by secret-echo already."""
    return read_only(tool) and closed_world(tool) and not no_arguments(tool) and not task_only(tool)


def judge(seen: Seen) -> Verdict:
    """Sort the readings of all valid calls."""
    declared = {tool.name for tool in declaring(seen.target)}
    if not declared:
        return seen.decide("none-declared")
    read = [(outcome, reading) for outcome in seen.every for reading in _readings(outcome)]
    wrong = [(o, r) for o, r in read if r != "conforms" and not r.startswith(UNCHECKED)]
    if wrong:
        return seen.decide(
            "mismatch", [_line(o, r) for o, r in wrong], f"Results that break the schema: {len(wrong)} of {len(read)}."
        )
    good = [outcome for outcome, reading in read if reading == "conforms"]
    if not good and read:
        return seen.decide("not-checked", [_line(o, r) for o, r in read])
    if not good:
        return seen.decide("none-exercised", seen.own, line=in_words)
    tools = len({outcome.probe.tool for outcome in good})
    summary = f"Results that conform: {len(good)}. Tools judged: {tools} of {len(declared)} that declare a schema."
    return seen.decide("conforms", good, summary, line=lambda o: f'tool "{o.probe.tool}" conforms')


def _readings(outcome: Outcome) -> Iterator[str]:
    for _, observed in valid_calls(outcome):
        if observed.readings is not None and observed.readings.output_schema:
            yield observed.readings.output_schema


def _line(outcome: Outcome, reading: str) -> Evidence:
    return outcome.evidence(f'tool "{outcome.probe.tool}": {reading}')


CHECK = Check(
    id="output-schema",
    revision=1,
    title="Structured results keep their promise",
    question="Do structured results match the declared output schema?",
    page=__doc__,
    rules=RULES,
    plan=plan,
    judge=judge,
    reads="run",
    cwe=("CWE-684",),
)
