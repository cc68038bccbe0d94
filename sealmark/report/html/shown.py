"""What an HTML page shows of a run: the view, an anchor for every probe row, and the wire of the rows that it has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from sealmark.record.model import RunRecord
from sealmark.report.options import Options
from sealmark.report.parts import Card, Row, View
from sealmark.report.rows import WireStep, wires
from sealmark.report.view import build


class Bounds(msgspec.Struct, frozen=True):
    """How much of the evidence one page carries; the record has all of it, and the page says what is left out.

    `rows` are probe rows of a check that failed, passed in part or was undecided, `quiet_rows` those of any other;
    `body` and `quiet_body` are characters of one reply.
    """

    rows: int = 400
    quiet_rows: int = 400
    body: int = 4096
    quiet_body: int = 4096


class Entry(NamedTuple):
    """One probe row with its anchor, its wire, and what the verdict says of it."""

    row: Row
    anchor: str
    wire: tuple[WireStep, ...]
    said: tuple[str, ...]


class Shown(NamedTuple):
    """One check as a page lays it out.

    `loose` is evidence without a row on the page; `hidden` counts the rows that only the record has.
    """

    card: Card
    anchor: str
    loose: tuple[str, ...]
    entries: tuple[Entry, ...]
    hidden: int


class Page(NamedTuple):
    """One run, ready to be laid out. `prefix` keeps the anchors of several runs in one file apart."""

    view: View
    prefix: str
    shown: tuple[Shown, ...]

    def tagged(self, *tags: str) -> list[Shown]:
        """The checks with one of these verdicts, worst first."""
        return [shown for shown in self.shown if shown.card.tag in tags]

    def of_pack(self, pack: str) -> list[Shown]:
        """The checks of one pack, worst first."""
        return [shown for shown in self.shown if shown.card.pack == pack]


def page(run: RunRecord, options: Options | None = None, *, prefix: str = "", bounds: Bounds | None = None) -> Page:
    """The page of a run's newest judgement."""
    view, bounds = build(run, options), bounds or Bounds()
    kept = [card.rows[: _rows(card, bounds)] for card in view.cards]
    found = wires(run.gathered, {row.probe for rows in kept for row in rows})
    shown = tuple(
        _shown(card, rows, number, prefix, found, bounds)
        for number, (card, rows) in enumerate(zip(view.cards, kept, strict=True), 1)
    )
    return Page(view, prefix, shown)


def _loud(card: Card) -> bool:
    return card.tag in ("fail", "part", "inconclusive")


def _rows(card: Card, bounds: Bounds) -> int:
    return bounds.rows if _loud(card) else bounds.quiet_rows


def _shown(
    card: Card,
    rows: Iterable[Row],
    number: int,
    prefix: str,
    found: Mapping[str, tuple[WireStep, ...]],
    bounds: Bounds,
) -> Shown:
    limit = bounds.body if _loud(card) else bounds.quiet_body
    said: dict[str, tuple[str, ...]] = {}
    for line in card.evidence:
        said[line.probe] = (*said.get(line.probe, ()), line.text)
    entries = tuple(
        Entry(
            row,
            f"{prefix}p{number}-{place}",
            tuple(_cut(step, limit) for step in found.get(row.probe, ())),
            said.get(row.probe, ()),
        )
        for place, row in enumerate(rows, 1)
    )
    shown = {entry.row.probe for entry in entries}
    loose = tuple(line.text for line in card.evidence if line.probe not in shown)
    return Shown(card, f"{prefix}c{number}", loose, entries, len(card.rows) - len(entries))


def _cut(step: WireStep, limit: int) -> WireStep:
    if len(step.head) + len(step.tail) <= limit:
        return step
    return msgspec.structs.replace(step, head=step.head[:limit], tail="", cut=True)
