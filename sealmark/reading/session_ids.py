"""Whether session ids could be guessed: a few of them are compared, and none is kept."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

ENOUGH_BITS = 64
"""Entropy of a session id below which it counts as guessable (OWASP session management cheat sheet)."""
NEAR = 100_000
"""Ids that are numbers and no further apart than this were counted, or are times."""

_UUID1 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[126][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_VISIBLE = re.compile(r"[\x21-\x7e]+")
_ALPHABETS = (("[0-9]+", 10), ("[0-9a-fA-F-]+", 16), ("[0-9a-z-]+", 36), (".+", 62))


def read_ids(ids: Sequence[str]) -> dict[str, Any]:
    """What is kept of the ids that a server gave out, in order: how many, how long, visible, and how guessable.

    `guessable` is empty, or one of `repeated`, `counted`, `time-based`, `short`.
    """
    return {
        "count": len(ids),
        "length": len(ids[-1]) if ids else 0,
        "visible": all(_VISIBLE.fullmatch(one) for one in ids),
        "guessable": _guessable(ids),
    }


def _guessable(ids: Sequence[str]) -> str:
    if len(ids) < 2:
        return ""
    if len(set(ids)) < len(ids):
        return "repeated"
    if all(_UUID1.fullmatch(one) for one in ids):
        return "time-based"
    varying = _varying(ids)
    if _counted(varying):
        return "counted"
    base = next(base for pattern, base in _ALPHABETS if all(re.fullmatch(pattern, one) for one in varying))
    return "short" if min(map(len, varying)) * math.log2(base) < ENOUGH_BITS else ""


def _varying(ids: Sequence[str]) -> list[str]:
    """The part in which they differ, of the same place in each; never empty."""
    start = _shared(ids)
    end = _shared([one[start:][::-1] for one in ids])
    found = [one[start : len(one) - end] for one in ids]
    return found if all(found) else list(ids)


def _shared(texts: Sequence[str]) -> int:
    """How many characters all of them begin with."""
    return next(
        (at for at, column in enumerate(zip(*texts, strict=False)) if len(set(column)) > 1), min(map(len, texts))
    )


def _counted(varying: Sequence[str]) -> bool:
    for base, digits in ((10, "[0-9]+"), (16, "[0-9a-fA-F]+")):
        if all(re.fullmatch(digits, one) for one in varying):
            numbers = [int(one, base) for one in varying]
            steps = [after - before for before, after in pairwise(numbers)]
            if all(0 < abs(step) <= NEAR for step in steps) and len({step > 0 for step in steps}) == 1:
                return True
    return False
