"""One thing that happened on the wire."""

from __future__ import annotations

from typing import Literal

import msgspec

Direction = Literal["c2s", "s2c", "stderr", "signal", "exit"]


class Event(msgspec.Struct, frozen=True):
    """One line, chunk of stderr, signal or exit.

    Attributes:
        seq: number from 1, in the order in which the harness saw the events.
        t_ms: milliseconds since the transcript began.
        direction: ``c2s`` client to server, ``s2c`` server to client, ``stderr``, ``signal``, ``exit``.
        head: the first bytes, as many as the limits allow; a line comes without its newline.
        length: of the whole event in bytes.
        sha256: of the whole event, only when ``head`` is cut.
        flags: what is unusual about it, as named in `sealmark.wire.jsonrpc` and by the connection.
    """

    seq: int
    t_ms: float
    direction: Direction
    head: bytes
    length: int
    sha256: str = ""
    flags: tuple[str, ...] = ()
