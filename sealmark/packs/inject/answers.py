"""Answers that can be compared: without what was sent, by their beginning, their length, and their number of rows."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sealmark.check import Outcome, Seen
from sealmark.record.model import Call, Observation

_COMPLAINT = re.compile(
    r"near \"[^\"]{0,40}\": syntax error|unrecognized token|incomplete input|unterminated quoted (?:string|identifier)"
    r"|syntax error at or near|error in your SQL syntax|SQLITE_ERROR|SQLSTATE\[?\d|ORA-\d{5}|Unclosed quotation mark"
    r"|Parser Error: |sqlite3\.OperationalError|psycopg\d?\.errors|quoted string not properly terminated",
    re.IGNORECASE,
)
"""Errors of SQL engines about the text of a statement."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One reply: whether it is an error, its rows, its beginning and its length, and a SQL engine's complaint."""

    error: bool
    rows: int | None
    text: str
    length: int
    complaint: str

    def like(self, other: Answer) -> bool:
        """Whether two answers say the same, when different values were sent: their lengths may differ."""
        return (self.error, self.rows, self.text) == (other.error, other.rows, other.text)

    def same(self, other: Answer) -> bool:
        """Whether two answers say the same, when values of one length were sent."""
        return self.like(other) and self.length == other.length


def answers(outcome: Outcome, seen: Seen) -> tuple[Answer, ...]:
    """The answers to a probe's calls, in order."""
    return tuple(_answer(reply, outcome, seen) for reply in outcome.replies)


def _answer(reply: Observation, outcome: Outcome, seen: Seen) -> Answer:
    read, body = reply.readings, seen.gathered.bodies.get(reply.body)
    step = outcome.probe.steps[reply.step]
    sent = sorted(set(_spellings(step.arguments if isinstance(step, Call) else None)), key=len, reverse=True)
    text = read.text if read is not None else ""
    for value in sent:
        text = text.replace(value, "")
    complaint = _COMPLAINT.search(f"{read.text if read is not None else ''}\n{body.head if body is not None else ''}")
    error = reply.outcome == "error" or bool(reply.is_error) or complaint is not None
    rows = read.rows if read is not None else None
    length = read.text_length if read is not None else 0
    return Answer(error, rows, text, length, complaint[0] if complaint else "")


def _spellings(arguments: Any) -> Iterator[str]:
    for value in _texts(arguments):
        yield from (value, json.dumps(value)[1:-1], html.escape(value), repr(value)[1:-1])


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str) and len(value) > 2:
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ():
        yield from _texts(inner)


def complains(outcome: Outcome, seen: Seen) -> str:
    """The complaint of a SQL engine in the answers to a probe with quotes, or nothing."""
    if not outcome.probe.case.startswith("quote@"):
        return ""
    return next((one.complaint for one in answers(outcome, seen) if one.complaint), "")
