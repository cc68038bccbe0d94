"""Judgements: what was made of a gathered record under one methodology."""

from __future__ import annotations

from typing import Literal

from sealmark.record.base import Json, Lifecycle, Record, Severity, Tag


class Evidence(Record, frozen=True):
    """One line of evidence: the probe behind it (may be empty), the steps that decided, and a sentence."""

    line: str
    probe: str = ""
    steps: tuple[int, ...] = ()


class Verdict(Record, frozen=True):
    """What one check concluded and which rule decided. `code` and `hint` are set on everything but pass and n/a."""

    pack: str
    check: str
    tag: Tag
    rule: str
    summary: str
    evidence: tuple[Evidence, ...] = ()
    probes: int = 0
    answered: int = 0
    code: str = ""
    hint: str = ""


class RuleText(Record, frozen=True):
    """A rule as the catalogue keeps it."""

    id: str
    tag: Tag
    says: str
    code: str = ""
    hint: str = ""


class CatalogueEntry(Record, frozen=True):
    """A check as it was when this judgement was made."""

    pack: str
    check: str
    title: str
    severity: Severity
    lifecycle: Lifecycle
    revision: int
    scope: str
    rules: tuple[RuleText, ...]
    question: str = ""
    why: str = ""
    cwe: tuple[str, ...] = ()
    owasp: str = ""


class Grade(Record, frozen=True):
    """One pack's letter, or why there is none.

    `letter` is empty when nothing was scored. `points` out of `scored` checks; `percent` is rounded to a tenth.
    """

    pack: str
    status: Literal["graded", "inconclusive", "not-applicable", "failed"]
    letter: str = ""
    raw_letter: str = ""
    points: float = 0
    scored: int = 0
    checks: int = 0
    percent: float | None = None
    provisional: bool = False
    capped_by: tuple[str, ...] = ()
    hygiene_only: bool = False
    candidate: bool = False
    reason: str = ""


class Difference(Record, frozen=True):
    """One setting that differs from the published standard."""

    key: str
    standard: Json
    effective: Json
    origin: str = ""


class Integrity(Record, frozen=True):
    """STANDARD or CUSTOM, computed: the hash of everything that affects a grade, and what differs."""

    standard: bool
    hash: str
    differences: tuple[Difference, ...] = ()


class Coverage(Record, frozen=True):
    """How much of the server was exercised. Calls count when they were schema-valid and the server processed them."""

    tools: int = 0
    exercised: int = 0
    untested: tuple[str, ...] = ()
    sent: int = 0
    answered: int = 0
    failed: int = 0
    not_sent: int = 0
    not_covered: tuple[str, ...] = ()


class Badge(Record, frozen=True):
    """Whether this judgement may carry a badge; `message` is what a badge says."""

    eligible: bool
    message: str


class Judgement(Record, frozen=True):
    """Verdicts and grades under one methodology, with the catalogue that they were made with."""

    methodology: str
    tool_version: str
    integrity: Integrity
    catalogue: tuple[CatalogueEntry, ...]
    verdicts: tuple[Verdict, ...]
    grades: tuple[Grade, ...]
    coverage: Coverage = Coverage()
    badge: Badge = Badge(eligible=False, message="no badge: not eligible")
