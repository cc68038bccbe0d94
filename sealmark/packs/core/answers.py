"""What an answer to invalid input shows: that it was refused, taken, used first, or that it gave something away."""

from __future__ import annotations

import re

from sealmark.check import Outcome
from sealmark.reading.visible import visible
from sealmark.record.model import Readings

USED = frozenset({"upstream", "transport", "timeout", "permission-os"})
"""Failures that a server can only have met by using the value. Not `auth`: one without credentials tells everybody."""
SAYS_NO = re.compile(
    r"\W*(?:error|invalid|missing|unknown|unsupported|required|cannot|can't|could not|failed|failure|usage|bad)\b"
    r"|[^a-z]{0,40}\b(?:success|ok)\W{1,4}false\b|.{0,80}\b(?:is required|not valid|must be)\b",
    re.IGNORECASE,
)
"""Servers that report errors as plain text, against the specification but clearly, are taken at their word."""


def readings(outcome: Outcome) -> Readings:
    """What the readers made of the last answer; empty when there is none."""
    last = outcome.last
    return last.readings if last is not None and last.readings is not None else Readings()


def refused(outcome: Outcome) -> bool:
    """Whether the server answered with an error."""
    return outcome.last is not None and (outcome.last.outcome == "error" or bool(outcome.last.is_error))


def accepted(outcome: Outcome) -> bool:
    """Whether the server answered as if the input had been good."""
    read = readings(outcome)
    if outcome.last is None or refused(outcome) or read.result_type not in ("", "complete"):
        return False
    return not (read.failure or read.refusal or SAYS_NO.match(read.text))


def used_first(outcome: Outcome) -> bool:
    """Whether the error is one that came only after the value was used."""
    return readings(outcome).failure in USED


def leak(outcome: Outcome) -> str:
    """What the answers give away of the program behind them, in words; empty when nothing."""
    found: dict[str, None] = {}
    for read in (reply.readings for reply in outcome.replies if reply.readings is not None):
        found |= dict.fromkeys(read.internals)
        if read.failure == "runtime":
            found["an unhandled runtime error"] = None
    return ", ".join(found)


def quoted(outcome: Outcome, limit: int = 160) -> str:
    """The beginning of the last answer, fit to be shown."""
    return visible(readings(outcome).text, newlines="escape", limit=limit)


def crashed(outcome: Outcome, stdio: bool) -> bool:
    """Whether the server ended: over a stream by what the stream says, else only if its exit was seen."""
    return outcome.crashed and (stdio or any(seen.exit_code is not None for seen in outcome.observations))


ENDS = {"closed": "the server ended", "timeout": "no answer in time", "limit": "more than the harness reads"}


def in_words(outcome: Outcome) -> str:
    """One line: the tool, the case, and what came back."""
    where = f'tool "{outcome.probe.tool}", {outcome.probe.case}' if outcome.probe.tool else outcome.probe.case
    if outcome.last is None:
        return f"{where}: {ENDS.get(outcome.observations[-1].outcome, 'not sent')}"
    return f'{where}: {leak(outcome) or "answered"}: "{quoted(outcome)}"'
