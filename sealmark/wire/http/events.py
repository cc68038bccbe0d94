"""Server-sent events from a stream of bytes, in linear time and with a bound for each event. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import msgspec

from sealmark.wire.lines import Line, LineSplitter


class SentEvent(msgspec.Struct, frozen=True):
    """One event: its name (``message`` when none was given) and its data."""

    name: str
    line: Line


class EventSplitter:
    """Takes chunks, gives events; memory is bounded by the limit of an event plus one chunk.

    Source: HTML standard, section on server-sent events. Lines end with CR LF, LF or CR.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lines = LineSplitter(limit + 64)
        self._after_cr = False
        self._name = ""
        self._seen = False
        self._length = 0
        self._data = bytearray()
        self._hash = hashlib.sha256()

    def feed(self, chunk: bytes) -> Iterator[SentEvent]:
        """Take a chunk and yield every event that it completes; events without data are passed over."""
        if self._after_cr and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        self._after_cr = chunk.endswith(b"\r")
        for line in self._lines.feed(chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")):
            if line.length:
                self._field(line)
                continue
            if self._seen:
                yield SentEvent(self._name or "message", self._line())
            self._reset()

    def _field(self, line: Line) -> None:
        field, _, value = line.data.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"event":
            self._name = value[:100].decode("utf-8", "replace")
        elif field == b"data":
            piece = b"\n" * self._seen + value
            self._seen = True
            self._hash.update(piece)
            self._length += len(piece) + line.length - len(line.data)
            self._data += piece[: max(0, self._limit - len(self._data))]

    def _line(self) -> Line:
        cut = self._length > len(self._data)
        digest = self._hash.hexdigest() if cut else ""
        return Line(bytes(self._data), self._length, bytes(self._data[-512:]) if cut else b"", digest)

    def _reset(self) -> None:
        self._name, self._seen, self._length = "", False, 0
        self._data = bytearray()
        self._hash = hashlib.sha256()
