"""Judges a gathered record: every check of every pack that applies, then the letters.

A judge that raises is not the server's fault: the check becomes inconclusive by the rule `judge-error`. A probe that
this build's plan wants and the record never sent makes the check inconclusive by the rule `run-again`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from sealmark.check import Check, Group, Outcome, Pack, Seen, Target
from sealmark.check.calls import exercised_tools
from sealmark.judging.coverage import coverage_of
from sealmark.judging.grade import badge_for, grade_pack
from sealmark.record.model import (
    CatalogueEntry,
    Evidence,
    Gathered,
    Grade,
    Integrity,
    Judgement,
    Observation,
    RuleText,
    Severity,
    Verdict,
)
from sealmark.settings.methodology import CheckRow, Methodology


def judge(
    gathered: Gathered,
    packs: Sequence[Pack],
    methodology: Methodology,
    integrity: Integrity,
    *,
    tool_version: str,
    complete: bool = True,
) -> Judgement:
    """Everything that can be concluded from a gathered record under one methodology.

    Args:
        gathered: the record's gathered half.
        packs: the packs to judge with, in their order.
        methodology: severities, points, bands.
        integrity: STANDARD or CUSTOM, computed by the caller.
        tool_version: of the build that judges.
        complete: whether the run came to its end; an incomplete one is never badge-eligible.
    """
    target = Target(gathered)
    every = outcomes(gathered)
    applying = {state.pack for state in gathered.packs if state.applies}
    verdicts: list[Verdict] = []
    catalogue: list[CatalogueEntry] = []
    grades = []
    for pack in packs:
        entries = [_entry(pack, check, methodology, target) for check in pack.checks]
        if pack.id in applying:
            found = [judge_check(target.bound(pack.id, check), check, every) for check in pack.checks]
            verdicts += found
            catalogue += entries
        else:
            found = []
        state = next((state for state in gathered.packs if state.pack == pack.id), None)
        if state is not None:
            grades.append(grade_pack(state, entries, found, methodology))
    coverage = coverage_of(gathered, every)
    grades = [_hygiene(grade, grades, every) for grade in grades]
    return Judgement(
        methodology=methodology.version,
        tool_version=tool_version,
        integrity=integrity,
        catalogue=tuple(catalogue),
        verdicts=tuple(verdicts),
        grades=tuple(grades),
        coverage=coverage,
        badge=badge_for(grades, integrity, complete=complete),
    )


def _hygiene(grade: Grade, grades: Sequence[Grade], every: Group) -> Grade:
    """Core alone, or core that called no tool with valid arguments, is hygiene only."""
    if grade.pack != "core" or grade.status != "graded":
        return grade
    alone = all(other.status != "graded" or other.pack == "core" for other in grades)
    called = exercised_tools(every.where(lambda outcome: outcome.probe.pack == "core"))
    return msgspec.structs.replace(grade, hygiene_only=alone or not called)


def outcomes(gathered: Gathered) -> Group:
    """Every probe of the record with its observations, in plan order."""
    by_probe: dict[str, list[Observation]] = {}
    for seen in gathered.observations:
        by_probe.setdefault(seen.probe, []).append(seen)
    return Group(Outcome(probe, tuple(by_probe.get(probe.id, ()))) for probe in gathered.probes)


def judge_check(target: Target, check: Check, every: Group) -> Verdict:
    """The verdict of one check, guarded."""
    seen = Seen(target, check, every)
    if target.setting(f"checks.{check.id}.enabled", True) is False:
        return seen.decide("disabled")
    try:
        missing = tuple(_missing(target, check, seen, every))
        if missing:
            return seen.decide("run-again", [Evidence(f"not in this record: {probe_id}") for probe_id in missing])
        verdict = check.judge(seen)
        check.rule(verdict.rule)
        return verdict
    except Exception as error:
        return seen.decide("judge-error", summary=f"The harness failed while judging: {type(error).__name__}: {error}")


def _missing(target: Target, check: Check, seen: Seen, every: Group) -> Iterable[str]:
    """Ids of probes that this build plans and the record lacks, or holds with other steps."""
    recorded = {outcome.probe.id: outcome.probe for outcome in every}
    wanted = list(check.plan(target))
    if check.follow_up is not None:
        wanted += check.follow_up(target, seen)
    for probe in wanted:
        stored = recorded.get(probe.id)
        if stored is None or stored.steps != probe.steps:
            yield probe.id


def _entry(pack: Pack, check: Check, methodology: Methodology, target: Target) -> CatalogueEntry:
    worth = methodology.check(check.id) or CheckRow(check.id, check.severity or "scored", check.revision, "custom")
    severity: Severity = target.chosen(f"checks.{check.id}.severity") or worth.severity
    return CatalogueEntry(
        pack=pack.id,
        check=check.id,
        title=check.title,
        severity=severity,
        lifecycle=worth.lifecycle,
        revision=check.revision,
        scope=check.scope,
        rules=tuple(RuleText(r.id, r.tag, r.says, check.code(r), r.hint) for r in check.rules),
        question=check.question,
        why=section(check.page, "Why"),
        cwe=check.cwe,
        owasp=check.owasp,
    )


def section(page: str, name: str) -> str:
    """One part of a check's page: the text after `Why:` (or `How:` …) up to the next blank line, as one line."""
    for paragraph in page.split("\n\n"):
        text = " ".join(paragraph.split())
        if text.startswith(f"{name}:"):
            return text[len(name) + 1 :].strip()
    return ""
