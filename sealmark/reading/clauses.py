"""Clauses: the pieces of a reply's words within which one word may speak for or against another."""

from __future__ import annotations

import re

MAX_READ = 6_000
"""Characters of a reply that are read for refusals and failures: what comes later is content, no answer."""
MAX_CLAUSES = 120

_BREAK = re.compile(
    "[\r\n;!?\u3002\uff01\uff1b\uff1f\uff0c]+|\\.(?=\\s|$)|\\s[-\u2013\u2014]+\\s"
    "|,\\s(?:but|because|so|and then|since|however)\\s",
    re.IGNORECASE,
)
_COLON = re.compile(":\\s+|\uff1a\\s*")
_CODE = re.compile(r"[A-Z][A-Z0-9_]{2,30}")
_ECHOED = re.compile(r"(?:['\"`][^'\"`]{1,300}['\"`]|[~.]{0,2}/\S{0,300}|[a-z][a-z0-9+.-]{1,20}://\S{1,300}|\S{1,80})")


def clauses(text: str) -> list[str]:
    """Return the clauses of the first part of a text: split at ends of lines and sentences, colons and dashes.

    What follows a colon stays with what stands before it when one of them is a mere echo (a path, a quoted word, a
    URL) or a code (ENOENT).
    """
    found: list[str] = []
    for piece in _BREAK.split(text[:MAX_READ]):
        parts = _COLON.split(piece)
        clause = parts[0]
        for part in parts[1:]:
            if _ECHOED.fullmatch(part.strip()) or _CODE.fullmatch(clause.strip()):
                clause = f"{clause}: {part}"
            else:
                found.append(clause)
                clause = part
        found.append(clause)
        if len(found) >= MAX_CLAUSES:
            break
    kept = (clause.strip().strip('"`,').strip() for clause in found)
    return [clause for clause in kept if clause][:MAX_CLAUSES]


def words_around(clause: str, limit: int = 160) -> str:
    """Return a clause as evidence, on one line and bounded."""
    short = " ".join(clause.split())
    return short if len(short) <= limit else short[: limit - 1] + "…"
