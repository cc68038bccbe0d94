"""Clauses: the pieces of a reply's words within which one word may speak for or against another."""

from __future__ import annotations

import re

MAX_READ = 6_000
"""Characters of a reply that are read for refusals and failures: what comes later is content, no answer."""
MAX_CLAUSES = 120

_BREAK = re.compile(
    "[\r\n;!?]+|\\.(?=\\s|$)|:(?=\\s)|\\s[-\u2013\u2014]+\\s|,\\s(?:but|because|so|and then|since|however)\\s",
    re.IGNORECASE,
)


def clauses(text: str) -> list[str]:
    """Return the clauses of the first part of a text: split at ends of lines and sentences, colons and dashes."""
    found = (piece.strip(" \t\"'`,") for piece in _BREAK.split(text[:MAX_READ]))
    return [piece for piece in found if piece][:MAX_CLAUSES]


def words_around(clause: str, limit: int = 160) -> str:
    """Return a clause as evidence, on one line and bounded."""
    short = " ".join(clause.split())
    return short if len(short) <= limit else short[: limit - 1] + "…"
