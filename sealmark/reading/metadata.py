"""What a text that a model may read holds beyond information: hidden characters and orders.

A finding is `strong` or `weak`. Kinds: `hidden-characters`, `control-characters` (weak), `credential-path`,
`send-to-url`, `override`, `steering`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from sealmark.reading.hidden import hidden
from sealmark.reading.phrases import phrases
from sealmark.reading.visible import visible

MAX_FINDINGS = 40
"""Findings of one text; more of them change nothing."""
AROUND = 24
"""Characters to each side of hidden ones that are shown with them."""
MAX_WORDS = 160


class Finding(NamedTuple):
    """One finding: its tier and kind, its offset in the text, and the words in visible form."""

    tier: Literal["strong", "weak"]
    kind: str
    offset: int
    words: str


def findings(text: str) -> tuple[Finding, ...]:
    """Return what a text holds beyond information, in the order of the text, bounded."""
    found: list[Finding] = []
    for span in hidden(text):
        shown = text[max(span.start - AROUND, 0) : span.end + AROUND]
        kind = "hidden-characters" if span.tier == "strong" else "control-characters"
        found.append(Finding(span.tier, kind, span.start, visible(shown, newlines="escape", limit=MAX_WORDS)))
        if len(found) >= MAX_FINDINGS:
            break
    for phrase in phrases(text):
        words = " ".join(text[phrase.start : phrase.end].split())
        found.append(Finding("strong", phrase.kind, phrase.start, visible(words, newlines="escape", limit=MAX_WORDS)))
        if len(found) >= 2 * MAX_FINDINGS:
            break
    return tuple(sorted(found, key=lambda finding: (finding.offset, finding.tier, finding.kind)))
