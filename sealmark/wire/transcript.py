"""A bounded record of everything that crossed the wire, as bytes and never as text.

Events are numbered from 1 whether they are kept or not, so a number means the same under every limit. What is not
kept is counted, and each limit that was exceeded is named once in `Transcript.limits`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import time
from collections.abc import Callable
from typing import BinaryIO, Literal

import msgspec

Direction = Literal["c2s", "s2c", "stderr", "signal", "exit"]
Redact = Callable[[bytes], bytes]


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


class TranscriptLimits(msgspec.Struct, frozen=True):
    """Bytes kept of one event and of all events, events kept, and bytes written to the sidecar."""

    event_bytes: int = 64 * 1024
    kept_bytes: int = 8 * 1024 * 1024
    events: int = 20_000
    sidecar_bytes: int = 256 * 1024 * 1024


class Transcript:
    """What was written and read by one session, in order.

    Attributes:
        events: the kept events.
        dropped: how many events were not kept.
        limits: names of the limits that were exceeded: ``event-bytes``, ``kept-bytes``, ``events``,
            ``sidecar-bytes``, ``sidecar-write``.
    """

    def __init__(
        self,
        limits: TranscriptLimits | None = None,
        *,
        sidecar: str | os.PathLike[str] | None = None,
        redact: Redact | None = None,
    ) -> None:
        self.events: list[Event] = []
        self.dropped = 0
        self.limits: tuple[str, ...] = ()
        self._caps = limits or TranscriptLimits()
        self._seq = 0
        self._kept = 0
        self._start = time.perf_counter()
        self._redact = redact
        self._file: BinaryIO | None = open(sidecar, "wb") if sidecar is not None else None  # noqa: SIM115
        self._written = 0

    def add(
        self,
        direction: Direction,
        data: bytes,
        *,
        length: int | None = None,
        sha256: str = "",
        flags: tuple[str, ...] = (),
    ) -> int:
        """Record one event and return its number.

        Args:
            direction: see `Event`.
            data: the event, or as much of it as the caller still has.
            length: of the whole event, when ``data`` is only its beginning.
            sha256: of the whole event, when ``data`` is only its beginning.
            flags: see `Event`.
        """
        self._seq += 1
        whole = len(data) if length is None else length
        head = self._head(data)
        if len(head) < whole and not sha256:
            sha256 = hashlib.sha256(data).hexdigest()
        t_ms = round((time.perf_counter() - self._start) * 1000, 3)
        event = Event(self._seq, t_ms, direction, head, whole, sha256 if len(head) < whole else "", flags)
        if len(self.events) < self._caps.events:
            self.events.append(event)
            self._kept += len(head)
        else:
            self.dropped += 1
            self.exceeded("events")
        if self._file is not None:
            self._write(self._file, event, data[: self._caps.event_bytes])
        return self._seq

    def exceeded(self, limit: str) -> None:
        """Name a limit that was exceeded; a second time changes nothing."""
        if limit not in self.limits:
            self.limits += (limit,)

    def close(self) -> None:
        """Close the sidecar, if there is one."""
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError:
                self.exceeded("sidecar-write")

    def _head(self, data: bytes) -> bytes:
        room = self._caps.kept_bytes - self._kept
        if len(data) > self._caps.event_bytes:
            self.exceeded("event-bytes")
        if min(len(data), self._caps.event_bytes) > room:
            self.exceeded("kept-bytes")
        return bytes(data[: max(0, min(self._caps.event_bytes, room))])

    def _write(self, file: BinaryIO, event: Event, data: bytes) -> None:
        line = sidecar_line(event, self._redact(data) if self._redact else data)
        if self._written + len(line) > self._caps.sidecar_bytes:
            self.exceeded("sidecar-bytes")
            return
        try:
            file.write(line)
        except OSError:
            self.exceeded("sidecar-write")
            self.close()
        self._written += len(line)


def sidecar_line(event: Event, data: bytes) -> bytes:
    """Render one event as a JSON line: ``text`` where the bytes are UTF-8, else ``base64``."""
    fields: dict[str, object] = {"seq": event.seq, "t_ms": event.t_ms, "dir": event.direction}
    fields["length"] = event.length
    if event.sha256:
        fields["sha256"] = event.sha256
    if event.flags:
        fields["flags"] = list(event.flags)
    try:
        fields["text"] = data.decode("utf-8")
    except UnicodeDecodeError:
        fields["base64"] = base64.b64encode(data).decode("ascii")
    return json.dumps(fields, ensure_ascii=True).encode("ascii") + b"\n"
