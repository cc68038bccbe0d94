"""Whether tools that say that they only read change nothing anywhere on the machine.

Why: A reading tool that leaves something in the home, in a system directory or in a store of its own has an effect
that nobody allowed, and that no look at the working directory shows. effects-read-only sees only the sandbox.

How: This needs an isolated run (--isolate) at the level full, in which every write outside the sandbox is caught
before it is real. Every tool that claims readOnlyHint, or reads by its name, is called as in effects-read-only. After
each call the harness compares what the server sees of the whole file system with what the disk holds: what was
created, changed or deleted. A tool that claims and changes fails the check; one that only seems to read makes it
part. What changes while nothing is asked is left out.

When it can be wrong: Compiled code of interpreters, caches and logs under the directories that are named for them,
and temporary files are left out. A file that is made and removed within one call is not seen. Changes in the sandbox
are the business of effects-read-only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.effects.claims import asked, readers
from sealmark.packs.effects.isolated import NO_CONTROL, NOT_ISOLATED, calls, idle, level, looked, not_isolated, worked
from sealmark.record.model import Probe, Verdict

CHANGED = ("created", "modified", "deleted")

LEFT_OUT = re.compile(r"/__pycache__(/|$)|\.pyc$|/\.(cache|npm)(/|$)|^/tmp(/|$)|^/var/log(/|$)")
"""What an interpreter or a package manager writes for itself."""

RULES = (
    NOT_ISOLATED,
    Rule(
        "changed",
        "fail",
        "A tool that claims to be read-only changed something outside the sandbox.",
        "Write nothing in such a tool, wherever it is; or drop readOnlyHint.",
    ),
    Rule(
        "seems-to-read",
        "part",
        "A tool that reads by its name, and says nothing of it, changed something outside the sandbox.",
        "Annotate the tool with readOnlyHint: false, and say in its description what it writes.",
    ),
    NO_CONTROL,
    Rule("unchanged", "pass", "Reading tools were called, and nothing outside the sandbox changed."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield the calls of reading tools."""
    if level(target) == "full":
        yield from calls(target, "changes")


def judge(seen: Seen) -> Verdict:
    """Pick the rule: changed by a claimer, by a seeming reader, or whether any call worked."""
    if level(seen.target) != "full":
        return not_isolated(seen)
    by_itself = frozenset(change["path"] for outcome in idle(seen) for change in _changes(outcome))
    claims = {reader.tool.name: reader.claims for reader in readers(seen.target)}

    def shown(outcome: Outcome) -> str:
        return _in_words([one for one in _changes(outcome) if one["path"] not in by_itself])

    guilty = seen.own.where(lambda outcome: outcome.probe.case != "idle" and bool(shown(outcome)))
    for rule, wanted in (("changed", True), ("seems-to-read", False)):
        by = guilty.where(lambda outcome, wanted=wanted: claims.get(outcome.probe.tool, False) is wanted)  # type: ignore[misc]
        if by:
            summary = f"{', '.join(by.tools) or 'The server'} changed something outside the sandbox."
            return seen.decide(rule, by, summary, line=lambda outcome: f"{asked(outcome)} {shown(outcome)}")
    if not seen.own:
        return seen.decide("no-target")
    if not worked(seen):
        return seen.decide("no-control", seen.own.role("coverage"), line=lambda o: f"{asked(o)} did not work")
    return seen.decide("unchanged", worked(seen), line=lambda outcome: f"{asked(outcome)} changed nothing outside")


def _changes(outcome: Outcome) -> list[Mapping[str, Any]]:
    every = [change for look in looked(outcome, "changes") for change in look.get("changes", ())]
    return [one for one in every if one["how"] in CHANGED and not LEFT_OUT.search(one["path"])]


def _in_words(changes: list[Mapping[str, Any]]) -> str:
    return "; ".join(f"{one['how']} {one['path']}" for one in changes[:3])


CHECK = Check(
    id="effects-outside",
    revision=1,
    title="Read-only tools change nothing anywhere",
    question="Does a tool that says it only reads change something outside the sandbox?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-684",),
)
