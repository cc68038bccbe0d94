"""Asks whether a refusal of bad arguments tells the caller what to send instead.

Why: An agent that is told "invalid input" tries again at random; one that is told which argument lacks and what it
must be gets it right the next time. Poor refusals cost calls, and they teach agents to go around a tool.

How: Nothing more is sent. The refusals that robust-input provoked (an argument missing, of the wrong type, or null)
are read. A refusal helps when it names one of the tool's arguments and says something about it, names the type or the
values that are expected, names another tool or way to use, or matches one of checks.refusal-quality.patterns.

When it can be wrong: The words are English. A refusal that helps in another language needs a pattern of yours. Only
the first 300 characters of a reply are read. Tools that can only be called as a task are left out, since they refuse
for that reason first; so are errors that came only after the value was used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from sealmark.check import Check, Group, Rule, Seen, Target
from sealmark.packs.core.answers import in_words, readings, refused, used_first
from sealmark.packs.core.bad_input import KINDS, kind_of
from sealmark.reading import user_patterns
from sealmark.reading.walk import mapping
from sealmark.record.model import Probe, Tool, Verdict
from sealmark.surface.consent import task_only

HELPS = re.compile(
    r"\b(?:expected|should be|must be|has to be|needs? to be|required type|allowed values?|one of|not of type)\b"
    r"|\b(?:use|call|try|see)\b.{1,80}\binstead\b|\binstead,? (?:use|call|try)\b|\busage:",
    re.IGNORECASE,
)
FEWEST_WORDS = 3
"""An argument's name alone says nothing; so many words must stand in the refusal."""

RULES = (
    Rule(
        "mute",
        "fail",
        "No refusal of bad arguments says what to send instead.",
        "Name the argument, and say what it must be: 'path: expected a string, got an object'.",
    ),
    Rule(
        "partly",
        "part",
        "Some refusals of bad arguments do not say what to send instead.",
        "Name the argument and what it must be in every refusal; the evidence lists those that do not.",
    ),
    Rule(
        "unusable-pattern",
        "inconclusive",
        "A pattern of the configuration cannot be used.",
        "Simplify checks.refusal-quality.patterns: no repetition inside a repetition.",
    ),
    Rule(
        "no-refusal",
        "inconclusive",
        "No bad argument was refused with an error, so there was no refusal to read.",
        "See robust-input for what the server did with them.",
    ),
    Rule("instructive", "pass", "Every refusal of bad arguments says what to send instead."),
)


def plan(target: Target) -> Iterable[Probe]:
    """Nothing: the refusals of robust-input are read."""
    return ()


def judge(seen: Seen) -> Verdict:
    """Read every refusal of bad arguments."""
    patterns = tuple(seen.target.setting("checks.refusal-quality.patterns", ()))
    bad = [f"{pattern}: {why}" for pattern in patterns if (why := user_patterns.problem(pattern))]
    if bad:
        return seen.decide("unusable-pattern", summary=f"Not usable: {'; '.join(bad)}.")
    tasks = {tool.name for tool in seen.gathered.surface.tools if task_only(tool)}
    asked = seen.every.where(
        lambda o: o.probe.check == "robust-input" and kind_of(o.probe.case) in KINDS and o.probe.tool not in tasks
    )
    if not asked:
        return seen.decide("no-target")
    refusals = asked.where(lambda o: refused(o) and not used_first(o))
    if not refusals:
        return seen.decide("no-refusal", asked)
    names = {tool.name: _arguments(tool) for tool in seen.gathered.surface.tools}
    mute = refusals.where(lambda o: not _helps(readings(o).text, names.get(o.probe.tool, frozenset()), patterns))
    summary = f"{len(refusals) - len(mute)} of {len(refusals)} refusals say what to send instead."
    if len(mute) == len(refusals):
        return seen.decide("mute", mute, summary, line=in_words)
    if mute:
        return seen.decide("partly", mute, summary, line=in_words)
    return seen.decide("instructive", Group(refusals[:3]), summary, line=in_words)


def _arguments(tool: Tool) -> frozenset[str]:
    return frozenset(mapping(mapping(tool.input_schema).get("properties")))


def _helps(text: str, names: frozenset[str], patterns: Iterable[str]) -> bool:
    if HELPS.search(text) or user_patterns.search(patterns, text):
        return True
    words = re.findall(r"[^\W_][\w-]*", text)
    return len(words) >= FEWEST_WORDS and any(_word(name).search(text) for name in names if name)


def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)


CHECK = Check(
    id="refusal-quality",
    revision=1,
    title="Refusals say what to send instead",
    question="Does a refusal of bad arguments help the caller to do better?",
    page=__doc__,
    rules=RULES,
    plan=plan,
    judge=judge,
    reads="run",
    settings=("checks.refusal-quality.patterns",),
)
