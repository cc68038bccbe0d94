"""Split a stream of bytes into lines in linear time, holding no more of a line than a limit. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import msgspec


class Line(msgspec.Struct, frozen=True):
    """One line without its newline.

    Attributes:
        data: the line, or its first bytes when it was longer than the limit.
        length: of the whole line in bytes.
        tail: the last bytes of a line that was longer than the limit, else empty.
        sha256: of the whole line, only when it was longer than the limit.
        terminated: False for what stood after the last newline when the stream ended.
    """

    data: bytes
    length: int
    tail: bytes = b""
    sha256: str = ""
    terminated: bool = True

    @property
    def cut(self) -> bool:
        """Whether the line was longer than the limit."""
        return self.length > len(self.data)


class LineSplitter:
    """Takes chunks, gives lines; memory is bounded by the limit plus one chunk."""

    def __init__(self, limit: int, tail: int = 512) -> None:
        self._limit = limit
        self._keep = tail
        self._buffer = bytearray()
        self._length = 0
        self._tail = b""
        self._hash: hashlib._Hash | None = None

    def feed(self, chunk: bytes) -> Iterator[Line]:
        """Take a chunk and yield every line that it completes."""
        start = 0
        while (end := chunk.find(b"\n", start)) != -1:
            self._append(chunk[start:end])
            yield self._take(True)
            start = end + 1
        self._append(chunk[start:])

    def finish(self) -> Line | None:
        """Return what stands after the last newline, None if there is nothing."""
        return self._take(False) if self._length else None

    @property
    def pending(self) -> int:
        """Bytes of the line that is not complete yet."""
        return self._length

    def _append(self, piece: bytes) -> None:
        self._length += len(piece)
        if self._length <= self._limit:
            self._buffer += piece
            return
        if self._hash is None:
            self._hash = hashlib.sha256(self._buffer)
            self._tail = bytes(self._buffer[-self._keep :])
        self._hash.update(piece)
        self._tail = (self._tail + piece[-self._keep :])[-self._keep :]
        self._buffer += piece[: self._limit - len(self._buffer)]

    def _take(self, terminated: bool) -> Line:
        digest = self._hash.hexdigest() if self._hash else ""
        line = Line(bytes(self._buffer), self._length, self._tail, digest, terminated)
        self._reset()
        return line

    def _reset(self) -> None:
        self._buffer.clear()
        self._length = 0
        self._tail = b""
        self._hash = None
