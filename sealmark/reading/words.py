"""Tables of words and of patterns, written one to a line."""

from __future__ import annotations

import re


def alternatives(text: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """Return one pattern out of several, one to a line; blanks at the ends of a line do not count."""
    return re.compile("|".join(line.strip() for line in text.splitlines() if line.strip()), flags)


def table(text: str) -> frozenset[str]:
    """Return the entries of a table, separated by commas or line ends."""
    return frozenset(entry.strip() for line in text.splitlines() for entry in line.split(",") if entry.strip())
