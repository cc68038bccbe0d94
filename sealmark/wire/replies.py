"""What a session hands out: plain facts about what was asked and what came back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from sealmark.processes import ProcessFacts

Era = Literal["auto", "legacy", "modern", "none"]
Handshake = Literal["full", "no-initialized", "none"]
Outcome = Literal["result", "error", "timeout", "closed", "limit", "unsent"]


class Reply(msgspec.Struct, frozen=True):
    """What one request brought.

    Attributes:
        outcome: ``result`` or ``error`` when a reply came; ``timeout``; ``closed`` when the server ended first;
            ``limit`` when a limit did; ``unsent`` when nothing of the request could be written.
        message: the whole JSON-RPC message, None without one (and for a batch).
        raw: the bytes of its line, up to the limit of a line.
        length: of the line in bytes.
        flags: what is wrong with the line, see `sealmark.wire.jsonrpc.FLAGS`; also ``too-long``, ``unterminated``
            (the stream ended before the newline) and ``partly-sent`` (the server did not read the whole request).
        elapsed_ms: from the end of writing to the end of the reply, or to giving up.
        sent: number of the request in the transcript, 0 if nothing was written.
        received: number of the reply in the transcript, 0 without one.
        exit_code: of the server's process, if it has ended.
        limit: which limit, when the outcome is ``limit``.
        transport: what the transport says about the reply (HTTP: status and headers), None for stdio.
    """

    outcome: Outcome
    message: dict[str, Any] | None = None
    raw: bytes = b""
    length: int = 0
    flags: tuple[str, ...] = ()
    elapsed_ms: float = 0
    sent: int = 0
    received: int = 0
    exit_code: int | None = None
    limit: str = ""
    transport: Mapping[str, Any] | None = None

    @property
    def result(self) -> Any:
        """The result, None when the outcome is anything else."""
        return (self.message or {}).get("result") if self.outcome == "result" else None

    @property
    def error(self) -> dict[str, Any]:
        """The error, empty when the outcome is anything else or the error is not an object."""
        error = (self.message or {}).get("error") if self.outcome == "error" else None
        return error if isinstance(error, dict) else {}


class Stray(msgspec.Struct, frozen=True):
    """A line from the server that answered nothing.

    Attributes:
        kind: ``unmatched`` (an id that was never asked), ``duplicate``, ``late`` (after its timeout), ``id-null``,
            ``no-id``, ``bad-id``, ``batch``, ``request`` (unasked, from the server), ``unparsable``, ``blank``,
            ``too-long``, ``too-deep``, ``huge-number``.
        seq: its number in the transcript.
        head: its first bytes.
        length: of the whole line in bytes.
        method: of a request.
        flags: see `Reply`.
    """

    kind: str
    seq: int
    head: bytes = b""
    length: int = 0
    method: str = ""
    flags: tuple[str, ...] = ()


class ServerRequest(msgspec.Struct, frozen=True):
    """A request from the server; ``answered`` tells whether an answer could be and was written."""

    method: str
    seq: int
    answered: bool


class Opened(msgspec.Struct, frozen=True):
    """How a session began.

    Attributes:
        era: ``legacy``, ``modern`` or ``none``.
        protocol_version: what the server chose, empty for ``none``.
        result: of ``initialize`` or ``server/discover``.
        elapsed_ms: from the start of the process to the result.
        restarted: the server died of the first attempt and speaks on a fresh process.
        reply: the reply that carries the result, None for ``none``.
    """

    era: Era
    protocol_version: str
    result: dict[str, Any]
    elapsed_ms: float
    restarted: bool = False
    reply: Reply | None = None


class Listing(msgspec.Struct, frozen=True):
    """A listing, paged to its end or to a limit.

    Attributes:
        items: as the server sent them, objects only.
        pages: how many pages came.
        replies: one per request, the last one possibly without a result.
        stopped_by: None at the end of the listing, else ``cursor-loop``, ``pages``, ``items``, ``bytes``,
            ``error`` (also for a page of the wrong shape) or ``timeout`` (also for a server that ended).
        oddities: items that are no objects.
    """

    items: tuple[dict[str, Any], ...]
    pages: int
    replies: tuple[Reply, ...]
    stopped_by: Literal["cursor-loop", "pages", "items", "bytes", "error", "timeout"] | None = None
    oddities: int = 0


class Closed(msgspec.Struct, frozen=True):
    """How a session ended; see `sealmark.processes.Ended` for the fields."""

    exit_code: int | None = None
    signal: str = ""
    graces: tuple[str, ...] = ()
    leftover: tuple[ProcessFacts, ...] = ()
    survivors: tuple[ProcessFacts, ...] = ()
