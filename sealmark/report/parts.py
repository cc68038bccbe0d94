"""The parts that every format, the site and the notebooks are made of. Plain data, every text already one visible line.

A view holds nothing that has to be looked up, decided or sorted again: a renderer only lays it out.
"""

from __future__ import annotations

import msgspec

from sealmark.record.model import Lifecycle, Severity, Tag


class Part(msgspec.Struct, frozen=True, rename="camel"):
    """Base of every part."""


class Setting(Part, frozen=True):
    """A setting that differs from the published standard, with both values as short JSON."""

    key: str
    standard: str
    effective: str
    origin: str


class Header(Part, frozen=True):
    """Which build judged what, under which methodology, and whether that was the published standard.

    `label` is STANDARD, CUSTOM or NOT JUDGED. `line` is all of the header, `banner` what no server writes.
    """

    line: str
    banner: str
    tool_version: str
    methodology: str
    label: str
    server: str
    version: str
    started_at: str
    status: str
    hash: str = ""
    differences: tuple[Setting, ...] = ()


class Target(Part, frozen=True):
    """How the server was started and met, as written: placeholders unexpanded."""

    transport: str
    era: str
    protocol_version: str
    where: str
    env: tuple[tuple[str, str], ...]
    package: str
    invented: bool
    reported: str
    """What the server calls itself: name and version."""


class Seal(Part, frozen=True):
    """One pack's grade as it is shown. `mark` is the letter with a star when provisional, or empty: an empty ring."""

    pack: str
    title: str
    status: str
    mark: str
    letter: str
    raw_letter: str
    provisional: bool
    capped_by: tuple[str, ...]
    critical_failed: tuple[str, ...]
    critical_part: tuple[str, ...]
    hygiene_only: bool
    candidate: bool
    custom: bool
    fraction: str
    reason: str
    note: str
    """Everything beside the letter in words: capped, provisional, hygiene only, candidate pack, custom grade."""


class Row(Part, frozen=True):
    """One probe on one line: what was sent, what came back, what changed."""

    probe: str
    role: str
    tool: str
    session: str
    case: str
    why: str
    sent: str
    got: str
    changed: str
    outcome: str
    decided: bool
    elapsed_ms: float


class Line(Part, frozen=True):
    """One line of evidence, with the probe behind it (may be empty)."""

    text: str
    probe: str


class Card(Part, frozen=True):
    """One check's verdict with everything that explains it. `rows` hold the probes that decided first."""

    pack: str
    check: str
    title: str
    question: str
    severity: Severity
    lifecycle: Lifecycle
    scope: str
    tag: Tag
    rule: str
    says: str
    summary: str
    code: str
    why: str
    hint: str
    counts: bool
    caps: bool
    provisional: bool
    probes: int
    answered: int
    evidence: tuple[Line, ...]
    rows: tuple[Row, ...]
    sent: str = ""
    got: str = ""
    changed: str = ""
    accepted: str = ""
    cwe: tuple[str, ...] = ()
    owasp: str = ""

    @property
    def worth(self) -> str:
        """Severity and standing in words: `critical`, `advisory, not scored`, `candidate, not scored`."""
        if self.counts:
            return self.severity
        return f"{'candidate' if self.lifecycle == 'candidate' else self.severity}, not scored"


class ToolRow(Part, frozen=True):
    """What the harness takes one tool for, and whether it was called with valid arguments."""

    tool: str
    cls: str
    confidence: str
    why: str
    secondary: str
    overridden: bool
    exercised: bool


class Latency(Part, frozen=True):
    """Measured answers of one tool: number of calls that were answered, and two percentiles in milliseconds."""

    tool: str
    calls: int
    p50_ms: float
    p95_ms: float


class Timing(Part, frozen=True):
    """Measured times, apart from everything that is the same in every run. `startup_ms` is None when nothing opened."""

    duration_ms: int
    startup_ms: float | None
    tools: tuple[Latency, ...]


class Trouble(Part, frozen=True):
    """Why a run could not do its work."""

    code: str
    message: str
    hint: str
    stderr: tuple[str, ...]


class View(Part, frozen=True):
    """One run, prepared. `cards` are all verdicts, worst first."""

    header: Header
    target: Target
    sentence: str
    seals: tuple[Seal, ...]
    cards: tuple[Card, ...]
    tools: tuple[ToolRow, ...]
    coverage: str
    not_covered: tuple[str, ...]
    limits: tuple[str, ...]
    warnings: tuple[str, ...]
    timing: Timing
    badge: str
    badge_eligible: bool
    rerun: str
    configuration: str
    """Several lines of YAML, ASCII only."""
    closing: str
    trouble: Trouble | None = None

    def tagged(self, *tags: Tag) -> tuple[Card, ...]:
        """The cards with one of these verdicts, in order."""
        return tuple(card for card in self.cards if card.tag in tags)

    @property
    def findings(self) -> tuple[Card, ...]:
        """What failed or passed in part, worst first, those that do not count last."""
        return tuple(sorted(self.tagged("fail", "part"), key=lambda card: not card.counts))

    @property
    def inconclusive(self) -> tuple[Card, ...]:
        """What could not be decided."""
        return self.tagged("inconclusive")

    @property
    def passed(self) -> tuple[Card, ...]:
        """What passed."""
        return self.tagged("pass")

    @property
    def not_applicable(self) -> tuple[Card, ...]:
        """What did not apply, for a reason that its summary gives."""
        return self.tagged("na")
