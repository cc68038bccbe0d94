"""From the findings of the clauses to one verdict."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from sealmark.check import Outcome, Seen
from sealmark.packs.core.protocol import lifecycle, listings, modern, prompts, resources, rpc, tools
from sealmark.packs.core.protocol.clause import Clause, Found, Predicate, na, read_clause
from sealmark.packs.core.protocol.messages import MODERN_VERSION, PUBLISHED
from sealmark.packs.core.protocol.view import View
from sealmark.record.model import Evidence, Verdict

PREDICATES: dict[str, Predicate] = {
    **lifecycle.PREDICATES,
    **rpc.PREDICATES,
    **listings.PREDICATES,
    **tools.PREDICATES,
    **resources.PREDICATES,
    **prompts.PREDICATES,
    **modern.PREDICATES,
}
"""Clause id -> what looks for it. The corpus holds one entry for each."""

DECIDING = (
    "server-crashed",
    "server-hung",
    "must-broken",
    "listing-bound",
    "tool-schema-invalid",
    "stdout-noise",
    "no-tools",
    "malformed-fatal",
    "arguments-unchecked",
    "should-broken",
)
"""Rules by which a broken clause decides, the strongest first."""
LEVELS = ("MUST", "SHOULD", "NOTE")


@dataclass(frozen=True, slots=True)
class Finding:
    """A clause and what was found of it."""

    clause: Clause
    found: Found

    @property
    def rule(self) -> str:
        """The rule that a broken clause decides by; a note decides nothing."""
        if self.clause.level == "NOTE":
            return ""
        plain = "must-broken" if self.clause.level == "MUST" else "should-broken"
        return self.found.rule or self.clause.rule or plain

    @property
    def evidence(self) -> Evidence:
        """One line: level, clause, section, what was seen."""
        line = f"{self.clause.level} {self.clause.id} ({self.clause.section}): {self.found.line}"
        return self.found.by[0].evidence(line) if self.found.by else Evidence(line)


def findings(seen: Seen) -> list[Finding]:
    """Every clause of the corpus with what was found of it, in corpus order."""
    view = View(seen)
    clauses = [read_clause(case) for case in seen.target.cases if case.id in PREDICATES]
    return [Finding(clause, not_asked(clause, view) or PREDICATES[clause.id](view)) for clause in clauses]


def not_asked(clause: Clause, view: View) -> Found | None:
    """Why a clause does not apply to this server, or None when it does."""
    modern_clause = clause.era == "modern"
    if modern_clause and view.discovered is None:
        return na(view.no_modern_era)
    if clause.era == "legacy" and view.surface.era == "modern":
        return na("the server speaks the modern era")
    revision = MODERN_VERSION if modern_clause else view.version
    known = (*PUBLISHED, MODERN_VERSION)
    if revision in known and not (clause.since or known[0]) <= revision <= (clause.until or known[-1]):
        return na(f"not part of the revision {revision}")
    if clause.capability and not view.capability(clause.capability, modern=modern_clause):
        return na(f"the capability {clause.capability} is not declared")
    return None


def judge(seen: Seen) -> Verdict:
    """A broken MUST fails, a broken SHOULD makes part, a note never counts."""
    if not seen.own.answered:
        return seen.decide("none-answered", seen.own)
    found = findings(seen)
    counts = Counter(finding.found.state for finding in found)
    broken = sorted(
        (each for each in found if each.found.state == "broken"), key=lambda each: LEVELS.index(each.clause.level)
    )
    counted = [each for each in broken if each.rule]
    deciding = next((rule for rule in DECIDING if any(each.rule == rule for each in counted)), "")
    said = _counts(counts["ok"], len(counted), counts["na"], counts["unknown"])
    if deciding:
        first = [each for each in counted if each.rule == deciding]
        rest = [each for each in broken if each not in first]
        summary = f"{first[0].clause.id}: {first[0].found.line}" + (f" ({said})" if said else "")
        return seen.decide(deciding, [each.evidence for each in (*first, *rest)], summary)
    notes = [each.evidence for each in broken]
    return seen.decide("clauses-hold", [*notes[:6], *_resting_on(found)], said, line=_line(found))


def _counts(held: int, failed: int, not_applicable: int, unanswered: int) -> str:
    text = f"{held} of {held + failed} clauses hold; {not_applicable} not applicable"
    return f"{text}; {unanswered} without an answer" if unanswered else text


def _resting_on(found: list[Finding]) -> list[Outcome]:
    """The outcomes that clauses which hold rest on, each once; those of the check's own probes first."""
    outcomes = {
        outcome.probe.id: outcome for finding in found if finding.found.state == "ok" for outcome in finding.found.by
    }
    return sorted(outcomes.values(), key=lambda outcome: outcome.probe.role == "fact")


class _line:
    """Says which clauses an outcome showed to hold."""

    def __init__(self, found: list[Finding]) -> None:
        self.clauses: dict[str, list[str]] = defaultdict(list)
        for finding in found:
            if finding.found.state == "ok":
                for outcome in finding.found.by:
                    self.clauses[outcome.probe.id].append(finding.clause.id)

    def __call__(self, outcome: Outcome) -> str:
        names = self.clauses[outcome.probe.id]
        more = f" and {len(names) - 4} more" if len(names) > 4 else ""
        return f"holds: {', '.join(names[:4])}{more}"
