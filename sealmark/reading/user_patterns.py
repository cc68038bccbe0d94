"""Regular expressions of the user, run over text of the server without a way to run for ever.

Python's engine backtracks, so a careless pattern over hostile text can take ages. The ways in which a pattern may split
a piece of text are counted beforehand, and a pattern with too many of them is refused, as is one in which a repetition
of variable length or a choice stands inside another repetition. Text is read in pieces, up to a bound.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from functools import cache
from typing import Any

MAX_PATTERN = 300
MAX_WAYS = 100_000
"""Ways to split one piece of text that a pattern may have: two unbounded repetitions, and a little more."""
MAX_PIECE = 200
MAX_TEXT = 6_000
"""Characters of a text that are read, line by line; a longer line is read in pieces of MAX_PIECE."""
FEW = 3
"""A repetition that runs at most so often may hold a choice or another repetition."""
REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")


def problem(pattern: str) -> str:
    """Return why a pattern cannot be used, or the empty string when it can."""
    if len(pattern) > MAX_PATTERN:
        return f"it has {len(pattern)} characters, more than {MAX_PATTERN}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern, re.IGNORECASE)
            parsed = re._parser.parse(pattern)  # type: ignore[attr-defined]
    except (re.error, RecursionError, OverflowError) as error:
        return f"it is no regular expression: {error}"
    if _nested(parsed):
        return "a repetition or a choice stands inside another repetition"
    return "it has too many repetitions" if _ways(parsed) > MAX_WAYS else ""


def search(patterns: Iterable[str], text: str) -> str:
    """Return the first of the usable patterns that matches somewhere in the text, in any case, or the empty string."""
    lines = text[:MAX_TEXT].splitlines()
    pieces = [line[at : at + MAX_PIECE] for line in lines for at in range(0, len(line), MAX_PIECE)]
    for pattern in patterns:
        if not problem(pattern) and any(_compiled(pattern).search(piece) for piece in pieces):
            return pattern
    return ""


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _ways(parsed: Any) -> int:
    """Count in how many ways a parsed pattern may split a piece of text, at most."""
    ways = 1
    for operator, argument in parsed:
        if str(operator) == "BRANCH":
            ways *= sum(_ways(part) for part in _parts(argument))
            continue
        if str(operator) in REPEATS:
            ways *= min(int(argument[1]) - int(argument[0]) + 1, MAX_PIECE)
        for part in _parts(argument):
            ways *= _ways(part)
    return ways


def _nested(parsed: Any) -> bool:
    """Say whether a repetition of variable length or a choice stands inside a repetition that may run often."""
    return any(
        (str(operator) in REPEATS and argument[1] > FEW and _varies(argument[2]))
        or any(_nested(part) for part in _parts(argument))
        for operator, argument in parsed
    )


def _varies(parsed: Any) -> bool:
    """Say whether a repetition of variable length, a choice or a reference back stands anywhere inside."""
    for operator, argument in parsed:
        name = str(operator)
        if name in ("BRANCH", "GROUPREF") or (name in REPEATS and argument[0] != argument[1]):
            return True
        if any(_varies(part) for part in _parts(argument)):
            return True
    return False


def _parts(argument: Any) -> list[Any]:
    """Find the parsed patterns inside an argument of the parser's tree."""
    if hasattr(argument, "data"):
        return [argument]
    if isinstance(argument, list | tuple):
        return [part for item in argument for part in _parts(item)]
    return []
