"""The fixed words and marks of every report: verdicts, severities, the closing sentence."""

from __future__ import annotations

from typing import NamedTuple

from sealmark.record.model import Tag


class Mark(NamedTuple):
    """How a verdict is shown: a shape, a word, and its place in the order worst first."""

    shape: str
    word: str
    rank: int


MARKS: dict[Tag, Mark] = {
    "fail": Mark("✗", "FAIL", 0),
    "part": Mark("◐", "PART", 1),
    "inconclusive": Mark("?", "INCONCLUSIVE", 2),
    "pass": Mark("✓", "PASS", 3),
    "na": Mark("\N{EN DASH}", "N/A", 4),
}

SEVERITIES = ("critical", "scored", "advisory")
"""Severities in falling weight."""

CLOSING = (
    "An A says that these checks passed under exactly this configuration. "
    "It endorses nothing, and it says nothing about what was not covered."
)
"""Stands wherever a grade stands; no template removes it."""

HYGIENE = "hygiene only"
NOT_GRADED = "not graded"
NO_LETTER = "\N{EN DASH}"


def count(number: int, one: str, many: str = "") -> str:
    """`1 tool`, `2 tools`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def amount(value: float) -> str:
    """A number without a needless fraction: 3, 2.5."""
    return f"{value:g}"
