"""Verdicts as cards, worst first, each with the probes behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sealmark.reading.shown import line
from sealmark.record.model import (
    CatalogueEntry,
    Gathered,
    Grade,
    Judgement,
    Observation,
    Probe,
    RuleText,
    Verdict,
)
from sealmark.report.parts import Card, Line
from sealmark.report.rows import row
from sealmark.report.words import MARKS, SEVERITIES


def cards(gathered: Gathered, judgement: Judgement, accepted: Mapping[tuple[str, str], str]) -> tuple[Card, ...]:
    """Every verdict as a card: worst verdict first, then by weight, then in the order of the packs."""
    entries = {(entry.pack, entry.check): entry for entry in judgement.catalogue}
    grades = {grade.pack: grade for grade in judgement.grades}
    probes = {probe.id: probe for probe in gathered.probes}
    observed: dict[str, list[Observation]] = {}
    for seen in gathered.observations:
        observed.setdefault(seen.probe, []).append(seen)
    made = []
    for verdict in judgement.verdicts:
        entry = entries.get((verdict.pack, verdict.check)) or _unknown(verdict)
        words = accepted.get((gathered.server.name, verdict.check), "")
        made.append(_card(verdict, entry, grades.get(verdict.pack), probes, observed, words))
    return tuple(sorted(made, key=_weight))


def _weight(card: Card) -> tuple[int, bool, int]:
    return MARKS[card.tag].rank, not card.counts, SEVERITIES.index(card.severity)


def _unknown(verdict: Verdict) -> CatalogueEntry:
    """An entry for a verdict that the record's catalogue does not name: shown, and never taken for a scored one."""
    return CatalogueEntry(verdict.pack, verdict.check, verdict.check, "advisory", "custom", 0, "server", ())


def _card(
    verdict: Verdict,
    entry: CatalogueEntry,
    grade: Grade | None,
    probes: Mapping[str, Probe],
    observed: Mapping[str, list[Observation]],
    accepted: str,
) -> Card:
    rule = next((rule for rule in entry.rules if rule.id == verdict.rule), RuleText(verdict.rule, verdict.tag, ""))
    decided = tuple(dict.fromkeys(e.probe for e in verdict.evidence if e.probe in probes))
    own = [p for p in probes.values() if p.check == verdict.check and p.pack == verdict.pack and p.id not in decided]
    rows = tuple(
        row(probe, observed.get(probe.id, ()), decided=probe.id in decided)
        for probe in (*(probes[probe_id] for probe_id in decided), *own)
    )
    first = rows[0] if decided else None
    counts = entry.severity in ("critical", "scored")
    critical = entry.severity == "critical"
    return Card(
        pack=line(verdict.pack, 60),
        check=line(verdict.check, 80),
        title=line(entry.title, 200),
        question=line(entry.question, 400),
        severity=entry.severity,
        lifecycle=entry.lifecycle,
        scope=line(entry.scope, 120),
        tag=verdict.tag,
        rule=line(verdict.rule, 80),
        says=line(rule.says, 600),
        summary=line(verdict.summary, 1000),
        code=line(verdict.code, 100),
        why=line(entry.why, 1000),
        hint=line(verdict.hint, 600),
        counts=counts,
        caps=critical and verdict.tag == "fail",
        provisional=critical and verdict.tag == "inconclusive" and grade is not None and grade.provisional,
        probes=verdict.probes,
        answered=verdict.answered,
        evidence=tuple(_evidence(verdict)),
        rows=rows,
        sent=first.sent if first else "",
        got=first.got if first else "",
        changed=first.changed if first else "",
        accepted=line(accepted, 400),
        cwe=tuple(line(name, 40) for name in entry.cwe),
        owasp=line(entry.owasp, 80),
    )


def _evidence(verdict: Verdict) -> Iterator[Line]:
    for evidence in verdict.evidence:
        yield Line(line(evidence.line, 600), line(evidence.probe, 200))
