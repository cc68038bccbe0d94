"""The `summary` format: what a person wants to see in a CI log. Grade cards, one row per check, what to fix.

It has no verbosity and no overview of several servers; `text` and `markdown` have all evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sealmark.record.model import RunRecord
from sealmark.report.options import Options
from sealmark.report.parts import Card, Seal, View
from sealmark.report.safe import cut, wrap
from sealmark.report.view import build
from sealmark.report.words import MARKS, count

NOT_COVERED = 8
MEANINGS = {
    0: "every graded pack met the gate",
    1: "below the gate, regressed, or drifted",
    3: "nothing was graded, or nothing was exercised",
    4: "a server or the harness failed",
}


def render(runs: Sequence[RunRecord], options: Options) -> str:
    """One block per server, then what the exit code means."""
    width = max(60, options.width)
    blocks = ["\n".join(_block(build(run, options), options.fail_under, width)) for run in runs]
    if options.outcome is not None:
        blocks.append("\n".join(_exit(*options.outcome, width)))
    return "\n\n".join(blocks) + "\n"


def _block(view: View, fail_under: str, width: int) -> Iterator[str]:
    yield from _wrapped("", view.header.line, width)
    yield from _wrapped("", _banner(view, fail_under), width)
    if view.trouble is not None:
        yield from _wrapped("  ", f"{view.trouble.code}: {view.trouble.message}", width)
        if view.trouble.hint:
            yield from _wrapped("  do: ", view.trouble.hint, width)
    yield from _cards(view.seals, width)
    yield from _table(view.cards, width)
    yield from _fix(view, width)
    if view.not_covered:
        yield from ["", "NOT COVERED"]
        for item in view.not_covered[:NOT_COVERED]:
            yield from _wrapped("  - ", item, width)
        if len(view.not_covered) > NOT_COVERED:
            yield f"  and {len(view.not_covered) - NOT_COVERED} more"
    if view.seals:
        yield ""
        yield from _wrapped("", view.closing, width)


def _banner(view: View, fail_under: str) -> str:
    """One line that never contradicts the exit code."""
    if view.trouble is not None and not view.seals:
        return "DID NOT RUN"
    graded = [seal for seal in view.seals if seal.letter]
    if not graded:
        return "NOTHING GRADED"
    if fail_under == "none":
        return f"{count(len(graded), 'pack').upper()} GRADED, THE GATE IS OFF"
    met = [seal for seal in graded if seal.letter <= fail_under]
    starred = [seal.pack for seal in graded if seal.provisional]
    words = f"{len(met)} OF {count(len(graded), 'PACK', 'PACKS')} AT {fail_under} OR BETTER"
    return f"{words}, BUT PROVISIONAL: {', '.join(starred)}" if fail_under == "A" and starred else words


def _cards(seals: Sequence[Seal], width: int) -> Iterator[str]:
    graded = [seal for seal in seals if seal.letter]
    if graded:
        yield ""
    for seal in graded:
        yield from _wrapped(f"  {seal.pack:<10} {seal.mark:<3} ", " · ".join(_words(seal)), width)
    for status, title in (("inconclusive", "inconclusive"), ("not-applicable", "not applicable"), ("failed", "failed")):
        for seal in seals:
            if seal.status == status:
                yield from _wrapped(f"  {seal.pack:<14} ", f"{title}: {seal.reason or 'no reason recorded'}", width)


def _words(seal: Seal) -> Iterator[str]:
    if seal.fraction:
        yield seal.fraction
    if seal.note:
        yield seal.note
    if seal.critical_failed and not seal.capped_by:
        yield f"critical fail: {', '.join(seal.critical_failed)}"
    if seal.critical_part:
        yield f"critical part: {', '.join(seal.critical_part)}"


def _table(cards: Sequence[Card], width: int) -> Iterator[str]:
    """One row per check, failures first; passes stay short."""
    if not cards:
        return
    yield ""
    checks = max(len(card.check) for card in cards)
    for card in cards:
        mark = MARKS[card.tag]
        row = f"  {mark.shape} {mark.word:<12} {card.check:<{checks}}  {card.worth}"
        yield cut(row if card.tag == "pass" else f"{row}: {card.summary}", width)


def _fix(view: View, width: int) -> Iterator[str]:
    findings = [card for card in view.findings if card.counts]
    if not findings:
        return
    caps = {check: seal.pack for seal in view.seals for check in seal.capped_by}
    yield from ["", "WHAT TO FIX"]
    for card in findings:
        tag = f" (caps {caps[card.check]})" if card.check in caps else ""
        if card.tag == "part" and card.severity == "critical":
            tag = " (critical part)"
        accepted = f" Accepted: {card.accepted}." if card.accepted else ""
        yield from _wrapped(f"  - {card.check}{tag}: ", f"{card.hint or card.summary} [{card.code}]{accepted}", width)


def _exit(code: int, lines: Sequence[str], width: int) -> Iterator[str]:
    yield f"exit {code}: {MEANINGS.get(code, 'stopped by a signal' if code > 128 else 'a critical check failed')}"
    for line in lines:
        yield from _wrapped("  ", line, width)


def _wrapped(lead: str, text: str, width: int) -> Iterator[str]:
    first, *rest = wrap(text, max(20, width - len(lead)))
    yield lead + first
    yield from (" " * max(4, len(lead)) + more for more in rest)
