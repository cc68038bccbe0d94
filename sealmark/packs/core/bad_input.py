"""Input that must be refused: bad arguments of one tool, and raw messages."""

from __future__ import annotations

from collections.abc import Mapping

from sealmark.check import Target
from sealmark.record.model import Json, Raw, Request, Step, Tool
from sealmark.surface.consent import no_arguments, read_only, task_only
from sealmark.surface.validate import invalid_cases

KINDS = ("missing", "type", "null", "deep", "enum", "nested")
"""Kinds of bad arguments, as `invalid_cases` names them: what a case's id begins with, up to a colon."""

DROPPED_SEC = 1.0
"""Seconds after which a message without an answer is taken for dropped."""


def kind_of(case: str) -> str:
    """The kind of a case of bad arguments."""
    return case.partition(":")[0]


def bad_arguments(tool: Tool) -> Mapping[str, Json]:
    """Case -> arguments that the tool's own schema rejects: the first case of each kind, in the order of KINDS.

    A tool without arguments gets a text where an object belongs, and only when it claims to read only: a server that
    overlooks the text does what the tool does.
    """
    if no_arguments(tool):
        return {"type": "sealmark"} if read_only(tool) and not task_only(tool) else {}
    first = {kind_of(case.id): case for case in reversed(invalid_cases(tool))}
    return {first[kind].id: first[kind].arguments for kind in KINDS if kind in first}


def turned(cases: Mapping[str, Json], start: int, count: int) -> list[tuple[str, Json]]:
    """`count` of the cases, beginning at another one for each `start`, so that many tools share all kinds."""
    items = list(cases.items())
    first = start % len(items) if items else 0
    return (items[first:] + items[:first])[:count]


def raw_message(target: Target, text: str, timeout_sec: float) -> tuple[Step, Step]:
    """The message, which a server may drop, and a question after it that it must answer."""
    method = "server/discover" if target.gathered.surface.era == "modern" else "ping"
    raw = Raw(text, expect="sealmark-raw", any_reply=True, timeout_sec=DROPPED_SEC, optional=True)
    return raw, Request(method, timeout_sec=timeout_sec)
