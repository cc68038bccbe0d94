"""How many rows one reply held: by the reader of rows and by the last row that it shows, whichever is less.

The statement numbers its rows in order and gives each a text of a fixed width, so that a reply cannot hold more rows
than its length allows, and its end shows which row came last. A reply may say how many rows there were and show fewer.
"""

from __future__ import annotations

import re

from sealmark.check import Outcome, Seen

WIDTH = 24
"""Characters of the text that each row holds at least."""

NUMBERED = re.compile(r"row-(\d{8})-of-the-table")
"""The text of a row; its number says how many came before it when rows come in order."""


def row_text(number: int) -> str:
    """The text of the row with this number."""
    return f"row-{number:08d}-of-the-table"


def returned(outcome: Outcome, seen: Seen) -> int | None:
    """How many numbered rows the last reply of a probe held; None when nothing tells."""
    last = outcome.last
    if last is None or last.body not in seen.gathered.bodies:
        return None
    body = seen.gathered.bodies[last.body]
    most = body.length // WIDTH
    shown = [int(number) for number in NUMBERED.findall(body.head + body.tail)]
    if not body.cut:
        return len(set(shown)) if shown else (0 if last.readings and last.readings.rows == 0 else None)
    counted = last.readings.rows if last.readings is not None and shown else None
    end = [int(number) for number in NUMBERED.findall(body.tail)]
    told = [number for number in (counted, max(end, default=None)) if number is not None]
    return min([*told, most]) if told else None
