"""What a session needs of a transport: send bytes, deliver frames, end. One class per transport."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from sealmark.processes import Ended, ProcessFacts
from sealmark.wire.lines import Line
from sealmark.wire.transcript import Transcript


class WireLimits(msgspec.Struct, frozen=True):
    """How much of a server one session bears.

    Attributes:
        line_bytes: of one message; a longer one is passed over, and noted.
        frames: messages from the server in one session; more ends it.
        bytes: from the server in one session; more ends it.
        stderr_bytes: on stderr in one session; more ends it.
        stderr_keep: bytes kept of the beginning and again of the end of stderr.
        notified_keep: bytes kept of notifications, to look for what they hold; all are counted.
        write_backlog: bytes of answers to the server that may wait for it to read.
        notes: strays, requests of the server and method names kept, each; all are counted.
    """

    line_bytes: int = 4 * 1024 * 1024
    frames: int = 100_000
    bytes: int = 256 * 1024 * 1024
    stderr_bytes: int = 256 * 1024 * 1024
    stderr_keep: int = 64 * 1024
    notified_keep: int = 256 * 1024
    write_backlog: int = 1024 * 1024
    notes: int = 1000


class Frame(msgspec.Struct, frozen=True):
    """One message as it came in.

    Attributes:
        line: its bytes.
        seq: its number in the transcript.
        at: seconds on the clock of ``time.perf_counter`` when its last byte was read.
        flags: what the transport noticed: ``too-long``, ``unterminated``.
        transport: what the transport says about it (HTTP: status and headers), None for stdio.
    """

    line: Line
    seq: int
    at: float
    flags: tuple[str, ...] = ()
    transport: Mapping[str, Any] | None = None


class Sent(msgspec.Struct, frozen=True):
    """What became of some bytes that were to be sent.

    Attributes:
        seq: their number in the transcript, 0 if nothing was written.
        at: seconds on the clock of ``time.perf_counter`` when the last byte was handed over.
        complete: whether the operating system took all of them.
    """

    seq: int
    at: float
    complete: bool


class Listener(Protocol):
    """Who is told what happens on a connection; every method is called on the event loop and returns at once."""

    def frame(self, frame: Frame) -> None:
        """Take one message from the server."""

    def unanswered(self, sent: int, frame: Frame) -> None:
        """Take the news that the bytes sent as event ``sent`` will get no message (an HTTP refusal, say).

        To be called only after `Connection.send` has returned that number.
        """

    def ended(self, limit: str) -> None:
        """Take the news that nothing more will come; ``limit`` names the limit that ended it, if one did."""


class Connection(ABC):
    """One way to one server. `start` once, then `send` and `post`, `close` at the end.

    Attributes:
        transcript: where everything is recorded.
        target: the command line or the URL, for people.
        limits: names of the limits that the server exceeded.
    """

    transcript: Transcript
    target: str
    limits: tuple[str, ...] = ()

    @abstractmethod
    async def start(self, listener: Listener) -> None:
        """Connect.

        Raises:
            OSError: there is nothing to connect to.
        """

    @abstractmethod
    async def send(
        self,
        data: bytes,
        *,
        deadline: float,
        until: asyncio.Future[Any] | None = None,
        message: Mapping[str, Any] | None = None,
    ) -> Sent:
        """Write bytes and wait until they are out, until ``deadline`` (loop time) or until ``until`` is done.

        With ``message`` the bytes are that message and get the transport's framing (a newline, headers that repeat
        the method); without it they go out as they are.
        """

    @abstractmethod
    def post(self, data: bytes) -> bool:
        """Write a message without waiting; False when the server does not keep up or is gone."""

    def settle(self, era: str, version: str) -> None:  # noqa: B027
        """Take the outcome of the negotiation; transports that repeat it in each message need it."""

    @abstractmethod
    async def close(self) -> Ended:
        """End the connection and everything that was started for it. May be called twice."""

    @property
    def exit_code(self) -> int | None:
        """The exit code of the server's process, None while it runs or where there is none."""
        return None

    @property
    def stderr(self) -> tuple[bytes, bytes, int]:
        """The beginning and the end of stderr, not overlapping, and its length so far in bytes."""
        return b"", b"", 0

    @property
    def logs(self) -> bool:
        """Whether `stderr` is what the server writes, rather than nothing because another connection reports it."""
        return True

    @property
    def tag(self) -> str:
        """The tag of the server's tree of processes, empty where there is none."""
        return ""

    def living(self) -> list[ProcessFacts]:
        """Every live process of the server's tree."""
        return []
