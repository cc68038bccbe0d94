"""The transcript as a file: one line of JSON for each event of every session, without secrets.

A secret that is cut in two would no longer be found by its value. So stderr, which comes in chunks, is written line by
line, and of an event that is too long to keep the end of what was kept is left out too.
"""

from __future__ import annotations

import base64
import json
import os
from collections import Counter
from collections.abc import Callable
from types import TracebackType
from typing import Protocol

import msgspec

from sealmark.wire.events import Event

Redact = Callable[[str], str]

MARGIN = 64 * 1024
"""Bytes left out beside a cut, since a secret may be cut there; longer than any."""


class Sink(Protocol):
    """What a transcript hands its events to."""

    def write(self, event: Event, data: bytes) -> str:
        """Take an event with all of its bytes that there are; the name of a limit that was exceeded, or nothing."""
        ...

    def close(self) -> str:
        """Write what is left; the name of a limit that was exceeded, or nothing."""
        ...


class SidecarFile:
    """A file that takes the events of several sessions. Use it as a context manager, or call `close`.

    Args:
        path: made anew, readable by its owner only.
        event_bytes: kept of one event.
        max_bytes: of the whole file; what comes after is left out and `limit` says so.

    Raises:
        OSError: the file cannot be made.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, event_bytes: int = 64 * 1024, max_bytes: int = 256 * 1024 * 1024
    ) -> None:
        self.event_bytes = event_bytes
        self.limit = ""
        self._max_bytes = max_bytes
        self._file = open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb")  # noqa: SIM115
        self._written = 0
        self._opened = Counter[str]()

    def __enter__(self) -> SidecarFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def session(self, name: str = "", redact: Redact | None = None) -> Sidecar:
        """A sink for one session; sessions of one name are numbered."""
        self._opened[name] += 1
        return Sidecar(self, name, self._opened[name], redact)

    def add(self, line: bytes) -> str:
        """Write one line; the name of the limit that keeps it out, or nothing."""
        if self._file.closed:
            return self.limit
        if self._written + len(line) > self._max_bytes:
            self.limit = "sidecar-bytes"
            return self.limit
        try:
            self._file.write(line)
        except OSError:
            return self._failed()
        self._written += len(line)
        return ""

    def close(self) -> str:
        """Close the file; the name of a limit, or nothing."""
        try:
            self._file.close()
        except OSError:
            return self._failed()
        return ""

    def _failed(self) -> str:
        self.limit = "sidecar-write"
        try:
            self._file.close()
        except OSError:
            self._file.raw.close()
        return self.limit


class Sidecar:
    """One session's part of a `SidecarFile`."""

    def __init__(self, file: SidecarFile, name: str, number: int, redact: Redact | None) -> None:
        self._file, self._name, self._number, self._redact = file, name, number, redact
        self._stderr = b""
        self._last: Event | None = None

    def write(self, event: Event, data: bytes) -> str:
        """Take an event; of stderr, the lines that are whole."""
        if event.direction != "stderr":
            return self._flush() or self._line(event, data, event.length)
        self._stderr += data
        self._last = event
        end = self._stderr.rfind(b"\n") + 1
        if not end and len(self._stderr) < self._file.event_bytes:
            return ""
        lines, self._stderr = (self._stderr[:end], self._stderr[end:]) if end else (self._stderr, b"")
        return self._line(event, lines, len(lines))

    def close(self) -> str:
        """Write what is left of stderr."""
        return self._flush()

    def _flush(self) -> str:
        left, self._stderr = self._stderr, b""
        return self._line(self._last, left, len(left)) if left and self._last is not None else ""

    def _line(self, event: Event, data: bytes, length: int) -> str:
        named = {"session": self._name, "process": self._number} if self._name else {}
        kept = self._kept(data, length)
        return self._file.add(json_line(msgspec.structs.replace(event, length=length), kept, named))

    def _kept(self, data: bytes, length: int) -> bytes:
        if self._redact is None:
            return data[: self._file.event_bytes]
        window = data[: self._file.event_bytes + MARGIN]
        clean = self._redact(window.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        if len(window) < length:
            clean = clean[: max(0, len(clean) - MARGIN)]
        return clean[: self._file.event_bytes]


def json_line(event: Event, data: bytes, more: dict[str, object] | None = None) -> bytes:
    """One event as a line of JSON: `text` where the bytes are UTF-8, else `base64`."""
    fields: dict[str, object] = {**(more or {}), "seq": event.seq, "t_ms": event.t_ms, "dir": event.direction}
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
