"""The `markdown` format: the same page for a pull request, a wiki, a job summary.

Text from anywhere stands in code spans or is escaped character by character. The section Timings is measured and the
only part that differs between two runs of the same server.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sealmark.record.model import RunRecord
from sealmark.report.options import Options
from sealmark.report.parts import Card, Seal, View
from sealmark.report.safe import code
from sealmark.report.safe import markdown as md
from sealmark.report.view import build
from sealmark.report.words import MARKS, NO_LETTER, NOT_GRADED, count

ROWS = 12
"""Probe rows of a finding that are listed unless everything is asked for."""


def render(runs: Sequence[RunRecord], options: Options) -> str:
    """One block per server, and a matrix first when there are several."""
    views = [build(run, options) for run in runs]
    blocks = ["\n".join(matrix(views))] if len(views) > 1 else []
    blocks += ["\n".join(page(view, options)) for view in views]
    return "\n\n".join(blocks) + "\n"


def matrix(views: Sequence[View]) -> Iterator[str]:
    """Servers by packs as a table."""
    packs = list(dict.fromkeys(seal.pack for view in views for seal in view.seals))
    yield from heading(1, "Matrix")
    rows = []
    for view in views:
        marks = {seal.pack: seal.mark for seal in view.seals}
        cells = [md(marks.get(pack) or NO_LETTER) for pack in packs] if view.seals else ["did not run"]
        rows.append([code(view.header.server, table=True), *cells, *[""] * (len(packs) - len(cells))])
    yield from table(["server", *(md(pack) for pack in packs)], rows)


def page(view: View, options: Options) -> Iterator[str]:
    """One server's page."""
    quiet, verbose = options.verbosity == "quiet", options.verbosity == "verbose"
    yield from top(view)
    yield from trouble(view)
    yield from grades(view.seals)
    for card in view.findings:
        yield from finding(card, verbose)
    if quiet:
        yield from ["", md(view.closing)]
        return
    yield from section("Inconclusive", view.inconclusive)
    yield from section("Passed", view.passed)
    yield from section("Not applicable", view.not_applicable)
    yield from how(view)
    yield from bullets("Not covered", view.not_covered)
    yield from bullets("Limits reached", view.limits)
    yield from timings(view)
    if view.rerun:
        yield from heading(2, "Run it again")
        yield code(view.rerun)
    yield from ["", md(view.closing)]


def heading(level: int, text: str) -> list[str]:
    """A heading with blank lines around it."""
    return ["", "#" * level + " " + text, ""] if level > 1 else ["#" * level + " " + text, ""]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table of cells that are inert already."""
    yield "| " + " | ".join(head) + " |"
    yield "|" + " --- |" * len(head)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def item(text: str) -> str:
    """The text of a list item, never empty: a lone dash would underline the line above it."""
    return md(text) or "(empty)"


def bullets(title: str, items: Sequence[str]) -> Iterator[str]:
    """A titled list; nothing when it is empty."""
    if items:
        yield from heading(2, title)
        yield from (f"- {item(text)}" for text in items)


def top(view: View) -> Iterator[str]:
    """The integrity header, the differences of a custom run, the one sentence."""
    header, target = view.header, view.target
    name = f"{header.server} {header.version}".strip()
    yield from heading(1, f"Sealmark: {code(name)}")
    yield f"**{md(header.banner)}** · {code(name)}"
    if target.invented:
        yield from ["", "**Invented server:** its results say nothing about any real one."]
    if header.differences:
        yield ""
        rows = [[code(d.key, table=True), *_codes(d.standard, d.effective, d.origin)] for d in header.differences]
        yield from table(["setting", "standard", "effective", "origin"], rows)
    yield from ["", md(view.sentence)]
    for warning in view.warnings:
        yield from ["", f"**Warning:** {md(warning)}"]


def _codes(*texts: str) -> list[str]:
    return [code(text, table=True) for text in texts]


def trouble(view: View) -> Iterator[str]:
    """Why the run failed."""
    if view.trouble is None:
        return
    yield from heading(2, f"{MARKS['fail'].shape} The run failed: {code(view.trouble.code)}")
    yield md(view.trouble.message)
    if view.trouble.hint:
        yield from ["", f"**Do:** {md(view.trouble.hint)}"]
    if view.trouble.stderr:
        yield from ["", "The server's stderr ended:", ""]
        yield from (f"- {code(text)}" for text in view.trouble.stderr)


def grades(seals: Sequence[Seal]) -> Iterator[str]:
    """One row per pack."""
    if seals:
        yield from heading(2, "Grades")
        rows = [[md(seal.pack), f"**{md(seal.mark)}**" if seal.mark else NO_LETTER, *_beside(seal)] for seal in seals]
        yield from table(["pack", "grade", "points", "note"], rows)


def _beside(seal: Seal) -> tuple[str, str]:
    if seal.mark:
        return md(seal.fraction), md(seal.note)
    return "", md(f"{NOT_GRADED}: {seal.reason or seal.status}")


def finding(card: Card, verbose: bool) -> Iterator[str]:
    """One finding as a card."""
    mark = MARKS[card.tag]
    yield from heading(2, f"{mark.shape} {mark.word}: {code(card.check)} ({md(card.pack)}, {md(card.worth)})")
    yield md(card.question or card.title)
    yield ""
    yield from exchange(card)
    for label, text in (
        ("found", card.summary),
        ("rule", f"{card.rule}: {card.says}" if card.says != card.summary else card.rule),
        ("why", card.why),
        ("do", card.hint),
        ("accepted", card.accepted),
    ):
        if text:
            yield f"- **{label}** {md(text)}"
    if card.code:
        yield f"- **code** {code(card.code)}"
    yield f"- **probes** {count(card.probes, 'probe')}, {card.answered} answered"
    for evidence in card.evidence:
        yield f"  - {item(evidence.text)}" + (f" {code(evidence.probe)}" if verbose and evidence.probe else "")
    yield from rows(card, verbose)


def exchange(card: Card) -> Iterator[str]:
    """What was sent, what came back, what changed."""
    for label, text in (("sent", card.sent), ("came back", card.got), ("changed", card.changed)):
        if text:
            yield f"- **{label}** {code(text)}"


def rows(card: Card, verbose: bool) -> Iterator[str]:
    """The probes behind a card, folded."""
    shown = card.rows if verbose else [row for row in card.rows if row.decided][:ROWS]
    if len(shown) < 2:
        return
    yield from ["", f"<details><summary>{count(len(shown), 'probe')}</summary>", ""]
    yield from table(
        ["probe", "sent", "came back", "changed"],
        [_codes(row.probe, row.sent, row.got, row.changed) for row in shown],
    )
    yield from ["", "</details>"]


def section(title: str, cards: Sequence[Card]) -> Iterator[str]:
    """A quiet table of verdicts."""
    if not cards:
        return
    yield from heading(2, f"{title} ({len(cards)})")
    done = [md(card.hint) if card.tag == "inconclusive" else "" for card in cards]
    head = ["check", "pack", "worth", "found"] + (["do"] if any(done) else [])
    yield from table(
        head,
        [
            [code(c.check, table=True), md(c.pack), md(c.worth), md(c.summary), *([do] if any(done) else [])]
            for c, do in zip(cards, done, strict=True)
        ],
    )


def how(view: View) -> Iterator[str]:
    """How the server was started, and what each tool is taken for."""
    target = view.target
    yield from heading(2, "What was tested")
    yield f"- **server** {code(target.where) or 'not started by the harness'}"
    protocol = f", protocol {code(target.protocol_version)} ({target.era} era)" if target.protocol_version else ""
    yield f"- **transport** {target.transport}{protocol}"
    for name, value in target.env:
        yield f"- **env** {code(f'{name}={value}')}"
    if view.coverage:
        yield f"- {md(view.coverage)}"
    if view.tools:
        yield ""
        yield from table(
            ["tool", "taken for", "confidence", "called", "why"],
            [
                [
                    code(tool.tool, table=True),
                    md(f"{tool.cls}, {tool.secondary}" if tool.secondary else tool.cls),
                    tool.confidence + (", set in the configuration" if tool.overridden else ""),
                    "yes" if tool.exercised else "no",
                    md(tool.why),
                ]
                for tool in view.tools
            ],
        )


def timings(view: View) -> Iterator[str]:
    """Measured times: start-up, and the latency of each tool."""
    timing = view.timing
    if timing.startup_ms is None and not timing.tools:
        return
    yield from heading(2, "Timings")
    if timing.startup_ms is not None:
        yield from [f"Start-up: {timing.startup_ms:g} ms.", ""]
    if timing.tools:
        yield from table(
            ["tool", "answered calls", "p50 ms", "p95 ms"],
            [[code(t.tool, table=True), str(t.calls), f"{t.p50_ms:g}", f"{t.p95_ms:g}"] for t in timing.tools],
        )
