"""A bounded record of everything that crossed the wire, as bytes and never as text.

Events are numbered from 1 whether they are kept or not, so a number means the same under every limit. What is not
kept is counted, and each limit that was exceeded is named once in `Transcript.limits`.
"""

from __future__ import annotations

import hashlib
import time

import msgspec

from sealmark.wire.events import Direction, Event
from sealmark.wire.sidecar import Sink

__all__ = ["Event", "Transcript", "TranscriptLimits"]


class TranscriptLimits(msgspec.Struct, frozen=True):
    """Bytes kept of one event and of all events, and events kept."""

    event_bytes: int = 64 * 1024
    kept_bytes: int = 8 * 1024 * 1024
    events: int = 20_000


class Transcript:
    """What was written and read by one session, in order.

    Attributes:
        events: the kept events.
        dropped: how many events were not kept.
        limits: names of the limits that were exceeded: ``event-bytes``, ``kept-bytes``, ``events``,
            ``sidecar-bytes``, ``sidecar-write``.

    Args:
        limits: see `TranscriptLimits`.
        sidecar: is handed every event with all of its bytes.
    """

    def __init__(
        self,
        limits: TranscriptLimits | None = None,
        *,
        sidecar: Sink | None = None,
    ) -> None:
        self.events: list[Event] = []
        self.dropped = 0
        self.limits: tuple[str, ...] = ()
        self._caps = limits or TranscriptLimits()
        self._seq = 0
        self._kept = 0
        self._start = time.perf_counter()
        self._sink = sidecar

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
        if self._sink is not None:
            self._named(self._sink.write(event, data))
        return self._seq

    def exceeded(self, limit: str) -> None:
        """Name a limit that was exceeded; a second time changes nothing."""
        if limit not in self.limits:
            self.limits += (limit,)

    def close(self) -> None:
        """Close the sidecar, if there is one."""
        sink, self._sink = self._sink, None
        if sink is not None:
            self._named(sink.close())

    def _named(self, limit: str) -> None:
        if limit:
            self.exceeded(limit)

    def _head(self, data: bytes) -> bytes:
        room = self._caps.kept_bytes - self._kept
        if len(data) > self._caps.event_bytes:
            self.exceeded("event-bytes")
        if min(len(data), self._caps.event_bytes) > room:
            self.exceeded("kept-bytes")
        return bytes(data[: max(0, min(self._caps.event_bytes, room))])
