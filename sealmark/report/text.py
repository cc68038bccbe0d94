"""The `text` format: one page for a terminal or a log, worst first, the grades and what to do next last.

Structure stands left of column 18; text from anywhere else never does, and is wrapped here, so a server cannot forge
a line. No measured time is printed: two runs of the same server give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sealmark.record.model import RunRecord
from sealmark.report.options import Options
from sealmark.report.parts import Card, Seal, View
from sealmark.report.safe import cells, cut, wrap
from sealmark.report.view import build
from sealmark.report.words import MARKS, NO_LETTER, NOT_GRADED, count

LABEL = 18
"""Cells left of the text column."""

_COLOURS = {"fail": "31;1", "part": "33;1", "inconclusive": "34;1", "pass": "36", "na": "2", "head": "1"}


def render(runs: Sequence[RunRecord], options: Options) -> str:
    """One block per server, and a matrix when there are several."""
    views = [build(run, options) for run in runs]
    blocks = ["\n".join(_Page(view, options).lines()) for view in views]
    if len(views) > 1:
        blocks.append("\n".join(matrix(views, options)))
    return "\n\n".join(blocks) + "\n"


def matrix(views: Sequence[View], options: Options) -> Iterator[str]:
    """Servers by packs, a letter in each cell, a dash where there is none."""
    packs = list(dict.fromkeys(seal.pack for view in views for seal in view.seals))
    name_width = min(max(cells(view.header.server) for view in views), 40)
    yield "Matrix:"
    yield "  " + _pad("server", name_width) + "".join(f"  {pack}" for pack in packs)
    for view in views:
        marks = {seal.pack: seal.mark for seal in view.seals}
        row = "".join(f"  {_pad(marks.get(pack) or NO_LETTER, len(pack))}" for pack in packs)
        failed = "  did not run" if not view.seals else ""
        yield f"  {_pad(cut(view.header.server, name_width), name_width)}{row}{failed}".rstrip()


def _pad(text: str, width: int) -> str:
    return text + " " * max(0, width - cells(text))


class _Page:
    """One server's page; every method yields whole lines."""

    def __init__(self, view: View, options: Options) -> None:
        self.view, self.options = view, options
        self.quiet = options.verbosity == "quiet"
        self.verbose = options.verbosity == "verbose"
        self.width = max(40, min(options.width, 72) if self.quiet else options.width)

    def lines(self) -> Iterator[str]:
        if self.quiet:
            yield from self.short()
            return
        yield from self.top()
        yield from self.trouble()
        yield from self.section("Findings, worst first", self.view.findings)
        yield from self.section("Inconclusive", self.view.inconclusive)
        yield from self.section("Passed", self.view.passed, brief=not self.verbose)
        yield from self.section("Not applicable", self.view.not_applicable, brief=True)
        yield from self.tools()
        yield from self.bullets("Not covered", self.view.not_covered)
        yield from self.bullets("Limits reached", self.view.limits)
        yield from self.grades()
        yield from self.next()

    # -- parts ------------------------------------------------------------------------------------------------
    def top(self) -> Iterator[str]:
        view = self.view
        yield from self.wrapped("", view.header.line, 2, style="head")
        for setting in view.header.differences:
            origin = f"  ({setting.origin})" if setting.origin else ""
            words = f"{setting.key}: standard {setting.standard}, effective {setting.effective}{origin}"
            yield from self.wrapped("  ", words, 4)
        if view.target.invented:
            yield "  invented server: its results say nothing about any real one"
        yield from self.wrapped("", view.sentence, 2)
        yield ""
        target = view.target
        protocol = f" · protocol {target.protocol_version} ({target.era} era)" if target.protocol_version else ""
        yield from self.field("server", target.where or "not started by the harness")
        if target.reported:
            yield from self.field("calls itself", target.reported)
        yield from self.field("transport", f"{target.transport}{protocol}")
        for name, value in target.env:
            yield from self.field("env", f"{name}={value}")
        if view.coverage:
            yield from self.field("coverage", view.coverage)
        for warning in view.warnings:
            yield from self.field("warning", warning)

    def trouble(self) -> Iterator[str]:
        trouble = self.view.trouble
        if trouble is None:
            return
        yield from self.heading("The run failed")
        yield from self.field("code", trouble.code)
        yield from self.field("what", trouble.message)
        if trouble.hint:
            yield from self.field("do", trouble.hint)
        for text in trouble.stderr:
            yield from self.field("stderr", text)

    def section(self, title: str, cards: Sequence[Card], *, brief: bool = False) -> Iterator[str]:
        if not cards:
            return
        yield from self.heading(f"{title} ({len(cards)})")
        for index, card in enumerate(cards):
            if index and not brief:
                yield ""
            yield from self.card_head(card)
            if brief:
                yield from self.field("", card.summary)
            else:
                yield from self.card_body(card)

    def card_head(self, card: Card) -> Iterator[str]:
        mark = MARKS[card.tag]
        first, *rest = self.wrapped(
            _pad(f"{mark.shape} {mark.word}", LABEL), f"{card.check} · {card.pack} · {card.worth}", LABEL
        )
        yield self.paint(first[:LABEL].rstrip(), card.tag) + first[len(first[:LABEL].rstrip()) :]
        yield from rest

    def card_body(self, card: Card) -> Iterator[str]:
        failed = card.tag != "pass"
        yield from self.field("question", card.question)
        yield from self.field("found", card.summary)
        if card.says != card.summary:
            yield from self.field("rule", f"{card.rule}: {card.says}" if card.says else card.rule)
        else:
            yield from self.field("rule", card.rule)
        if failed:
            yield from self.field("why", card.why)
            yield from self.field("do", card.hint)
            yield from self.field("code", card.code)
        yield from self.field("accepted", card.accepted)
        yield from self.field("scope", card.scope if self.verbose else "")
        if failed and not self.verbose:
            yield from self.exchange(card.sent, card.got, card.changed)
        yield from self.evidence(card)
        if card.probes:
            yield from self.field("probes", f"{count(card.probes, 'probe')}, {card.answered} answered")
        if self.verbose:
            yield from self.rows(card)

    def evidence(self, card: Card) -> Iterator[str]:
        shown = card.evidence if self.verbose else card.evidence[:4]
        for evidence in shown:
            probe = f" [{evidence.probe}]" if evidence.probe and self.verbose else ""
            yield from self.field("evidence", f"{evidence.text}{probe}")
        if len(card.evidence) > len(shown):
            yield from self.field("", f"and {count(len(card.evidence) - len(shown), 'more line')}")

    def rows(self, card: Card) -> Iterator[str]:
        for row in card.rows:
            star = " (decided)" if row.decided else ""
            yield from self.field("probe", f"{row.probe}{star}")
            yield from self.exchange(row.sent, row.got, row.changed)

    def exchange(self, sent: str, got: str, changed: str) -> Iterator[str]:
        yield from self.field("  sent", sent)
        yield from self.field("  came back", got)
        yield from self.field("  changed", changed)

    def tools(self) -> Iterator[str]:
        if not self.view.tools:
            return
        yield from self.heading("Tools, as the harness takes them")
        for tool in self.view.tools:
            called = "called" if tool.exercised else "not called"
            more = f", secondary {tool.secondary}" if tool.secondary else ""
            fixed = ", set in the configuration" if tool.overridden else ""
            yield from self.field(
                tool.cls, f"{tool.tool} ({tool.confidence} confidence{more}{fixed}, {called}): {tool.why}"
            )

    def bullets(self, title: str, items: Sequence[str]) -> Iterator[str]:
        if not items:
            return
        shown = items if self.verbose else items[:12]
        yield from self.heading(title)
        for item in shown:
            yield from self.wrapped("  - ", item, 6)
        if len(items) > len(shown):
            yield f"  and {len(items) - len(shown)} more"

    def grades(self) -> Iterator[str]:
        if not self.view.seals:
            return
        yield from self.heading("Grades")
        for seal in self.view.seals:
            yield from self.wrapped(_pad(f"  {seal.pack}", 14) + _pad(seal.mark or "○", 4), _grade_words(seal), LABEL)
        yield from self.wrapped("", self.view.closing, 2)

    def next(self) -> Iterator[str]:
        yield ""
        worst = next((card for card in self.view.cards if card.hint), None)
        if worst is not None:
            yield from self.field("next", f"{worst.check}: {worst.hint}", at=0)
        yield from self.field("run again", self.view.rerun, at=0)

    def short(self) -> Iterator[str]:
        yield from self.wrapped("", self.view.header.line, 2)
        if self.view.trouble is not None:
            yield from self.wrapped("✗ ", f"{self.view.trouble.code}: {self.view.trouble.message}", 2)
        for card in self.view.findings:
            if card.counts:
                yield from self.wrapped(f"{MARKS[card.tag].shape} ", f"{card.check} ({card.worth}): {card.summary}", 2)
        graded = " · ".join(_short_grade(seal) for seal in self.view.seals if seal.status != "not-applicable")
        yield from self.wrapped("", graded or NOT_GRADED, 2)

    # -- layout -----------------------------------------------------------------------------------------------
    def heading(self, text: str) -> Iterator[str]:
        yield ""
        yield self.paint(text, "head")

    def field(self, label: str, text: str, *, at: int = 4) -> Iterator[str]:
        """A labelled text; nothing when the text is empty."""
        if text:
            yield from self.wrapped(_pad(cut(" " * at + label, LABEL - 1), LABEL), text, LABEL)

    def wrapped(self, lead: str, text: str, indent: int, *, style: str = "") -> Iterator[str]:
        """`lead` and `text`, continued at `indent`."""
        room = self.width - max(indent, cells(lead))
        first, *rest = wrap(text, max(20, room))
        yield self.paint(lead + first, style)
        for more in rest:
            yield self.paint(" " * max(indent, cells(lead)) + more, style)

    def paint(self, text: str, style: str) -> str:
        if not self.options.colour or style not in _COLOURS:
            return text
        return f"\x1b[{_COLOURS[style]}m{text}\x1b[0m"


def _grade_words(seal: Seal) -> str:
    if not seal.mark:
        return f"{NOT_GRADED}: {seal.reason or seal.status}"
    return " · ".join(part for part in (seal.fraction, seal.note) if part)


def _short_grade(seal: Seal) -> str:
    if not seal.mark:
        return f"{seal.pack} {NOT_GRADED}"
    return f"{seal.pack} {seal.mark}" + (f" ({seal.note})" if seal.note else "")
