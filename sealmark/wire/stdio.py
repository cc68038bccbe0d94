"""A server as a child process that speaks JSON lines on its standard streams.

Lines are handled as they arrive, inside the callback of the event loop, and nothing is queued: what the session does
not need is gone before the next chunk is read, so memory stays flat however fast a server writes.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import IO, Any

from sealmark.processes import Ended, Grace, Process, ProcessFacts, start
from sealmark.wire.connection import Connection, Frame, Listener, Sent, WireLimits
from sealmark.wire.lines import Line, LineSplitter
from sealmark.wire.transcript import Transcript

_DRAIN = 0.3  # seconds to read what is still in the pipes after one end of a server has gone


class StdioConnection(Connection):
    """Starts ``argv`` and talks to it. The environment is the whole one: nothing is inherited.

    ``starter`` starts the process, as `processes.start` does: here, or in a world of its own.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: str | os.PathLike[str] | None = None,
        transcript: Transcript | None = None,
        limits: WireLimits | None = None,
        grace: Grace | None = None,
        starter: Callable[..., Awaitable[Process]] = start,
    ) -> None:
        self.argv = tuple(argv)
        self.target = shlex.join(self.argv)
        self.transcript = transcript or Transcript()
        self._env = env
        self._cwd = cwd
        self._caps = limits or WireLimits()
        self._grace = grace or Grace()
        self._starter = starter
        self._splitter = LineSplitter(self._caps.line_bytes)
        self._kept = Ends(self._caps.stderr_keep)
        self._frames = 0
        self._bytes = 0
        self._over = False
        self._exit_recorded = False
        self._closing: asyncio.Task[Ended] | None = None

    async def start(self, listener: Listener) -> None:
        """Start the process and begin to read.

        Raises:
            OSError: the command or the directory does not exist or cannot be used.
        """
        self._listener = listener
        self._process: Process = await self._starter(self.argv, env=self._env, cwd=self._cwd)
        self._writer = await _write_pipe(self._process.stdin)
        self._stdout = await read_pipe(self._process.stdout, self._take_stdout)
        self._stderr = await read_pipe(self._process.stderr, self._take_stderr)
        self._process.stdin = self._process.stdout = self._process.stderr = None
        self._watcher = asyncio.get_running_loop().create_task(self._watch())

    async def send(
        self,
        data: bytes,
        *,
        deadline: float,
        until: asyncio.Future[Any] | None = None,
        message: Mapping[str, Any] | None = None,
    ) -> Sent:
        """Write a message with its newline, or raw bytes as they are. See `Connection.send`."""
        if self._over or not await self._writer.drained(deadline, until):
            return Sent(0, time.perf_counter(), False)
        seq = self.transcript.add("c2s", data, flags=() if message is not None else ("raw",))
        self._writer.write(data + b"\n" if message is not None else data)
        complete = await self._writer.drained(deadline, until)
        return Sent(seq, time.perf_counter(), complete)

    def post(self, data: bytes) -> bool:
        """Write a message without waiting. See `Connection.post`."""
        if self._over or not self._writer.open or self._writer.backlog > self._caps.write_backlog:
            return False
        self.transcript.add("c2s", data)
        self._writer.write(data + b"\n")
        return True

    async def close(self) -> Ended:
        """Close stdin, end the whole tree of processes, close the pipes."""
        if self._closing is None:
            self._closing = asyncio.get_running_loop().create_task(self._close())
        return await asyncio.shield(self._closing)

    @property
    def exit_code(self) -> int | None:
        """The exit code of the first process, None while it runs."""
        return self._process.exit_code

    @property
    def stderr(self) -> tuple[bytes, bytes, int]:
        """See `Connection.stderr`."""
        return self._kept.head, self._kept.tail, self._kept.total

    @property
    def tag(self) -> str:
        """See `Connection.tag`."""
        return self._process.tag

    def living(self) -> list[ProcessFacts]:
        """See `Connection.living`."""
        return self._process.living()

    def _take_stdout(self, chunk: bytes) -> None:
        if self._over:
            return
        self._bytes += len(chunk)
        if self._bytes > self._caps.bytes:
            self._exceeded("session-bytes")
            return
        for line in self._splitter.feed(chunk):
            self._frames += 1
            if self._frames > self._caps.frames:
                self._exceeded("session-frames")
                return
            self._deliver(line)

    def _deliver(self, line: Line) -> None:
        flags = ("too-long",) * line.cut + ("unterminated",) * (not line.terminated)
        seq = self.transcript.add("s2c", line.data, length=line.length, sha256=line.sha256, flags=flags)
        if line.cut:
            self._name("line-bytes")
        self._listener.frame(Frame(line, seq, time.perf_counter(), flags))

    def _take_stderr(self, chunk: bytes) -> None:
        self._kept.add(chunk)
        self.transcript.add("stderr", chunk)
        if self._kept.total > self._caps.stderr_bytes and not self._over:
            self._exceeded("stderr-bytes")

    def _name(self, limit: str) -> None:
        if limit not in self.limits:
            self.limits += (limit,)

    def _exceeded(self, limit: str) -> None:
        """Stop reading at once, tell the session, and end the server."""
        self._name(limit)
        self._over = True
        self._stdout.pause()
        self._stderr.pause()
        self._listener.ended(limit)
        self._closing = self._closing or asyncio.get_running_loop().create_task(self._close())

    async def _watch(self) -> None:
        """Wait for the end of the process or of its output, read the rest, and tell the session."""
        exited: asyncio.Future[Any] = asyncio.ensure_future(self._process.wait())
        await asyncio.wait({exited, self._stdout.lost}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait({exited, self._stdout.lost, self._stderr.lost}, timeout=_DRAIN)
        exited.cancel()
        if not self._over:
            rest = self._splitter.finish()
            if rest is not None:
                self._deliver(rest)
            self._record_exit()
            self._over = True
            self._listener.ended("")

    async def _close(self) -> Ended:
        ended = await self._process.stop(self._grace, self._writer.close, self._record_stage)
        pipes = {self._stdout.lost, self._stderr.lost}
        if not self._stdout.paused:
            await asyncio.wait(pipes, timeout=_DRAIN)
        for pipe in (self._stdout, self._stderr):
            pipe.close()
        await asyncio.wait({*pipes, self._writer.lost, self._watcher}, timeout=1)
        self._record_exit()
        return ended

    def _record_stage(self, stage: str) -> None:
        self.transcript.add("signal", stage.encode())

    def _record_exit(self) -> None:
        if not self._exit_recorded and self.exit_code is not None:
            self._exit_recorded = True
            self.transcript.add("exit", str(self.exit_code).encode())


class Ends:
    """The beginning and the end of a stream."""

    def __init__(self, keep: int) -> None:
        self.head = b""
        self.total = 0
        self._keep = keep
        self._tail: deque[bytes] = deque()
        self._held = 0

    @property
    def tail(self) -> bytes:
        """The last bytes, without those that are in the head."""
        return b"".join(self._tail)[-self._keep :]

    def add(self, chunk: bytes) -> None:
        """Take the next bytes of the stream."""
        self.total += len(chunk)
        room = self._keep - len(self.head)
        self.head += chunk[:room]
        rest = chunk[room:]
        if rest:
            self._tail.append(rest)
            self._held += len(rest)
        while self._held - len(self._tail[0] if self._tail else b"") >= self._keep:
            self._held -= len(self._tail.popleft())


class _Writer(asyncio.BaseProtocol):
    """The parent's end of stdin, with the one question that matters: whether everything is out."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.lost: asyncio.Future[Any] = loop.create_future()
        self._free: asyncio.Future[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport
        transport.set_write_buffer_limits(high=0)

    def pause_writing(self) -> None:
        self._free = asyncio.get_running_loop().create_future()

    def resume_writing(self) -> None:
        if self._free is not None and not self._free.done():
            self._free.set_result(None)
        self._free = None

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.lost.done():
            self.lost.set_result(None)

    @property
    def open(self) -> bool:
        return not self.lost.done() and not self._transport.is_closing()

    @property
    def backlog(self) -> int:
        return self._transport.get_write_buffer_size()

    def write(self, data: bytes) -> None:
        self._transport.write(data)

    async def drained(self, deadline: float, until: asyncio.Future[Any] | None) -> bool:
        """Wait until everything is out; False if it is not by the deadline or never will be."""
        if self._free is not None and not self.lost.done():
            ends = {self._free, self.lost} | ({until} if until is not None else set())
            left = max(0.0, deadline - asyncio.get_running_loop().time())
            await asyncio.wait(ends, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        return self._free is None and self.open

    def close(self) -> None:
        """Close the pipe; what the server has not read by now is dropped."""
        if not self.lost.done():
            self._transport.abort()


class _Reader(asyncio.Protocol):
    """The parent's end of stdout or stderr."""

    def __init__(self, take: Callable[[bytes], None]) -> None:
        self.lost: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.paused = False
        self._take = take

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.ReadTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._take(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.lost.done():
            self.lost.set_result(None)

    def pause(self) -> None:
        if not self.paused and not self._transport.is_closing():
            self.paused = True
            self._transport.pause_reading()

    def close(self) -> None:
        self._transport.close()


async def _write_pipe(pipe: IO[bytes] | None) -> _Writer:
    return (await asyncio.get_running_loop().connect_write_pipe(_Writer, pipe))[1]


async def read_pipe(pipe: IO[bytes] | None, take: Callable[[bytes], None]) -> _Reader:
    """Hand everything that comes out of a pipe to ``take``."""
    return (await asyncio.get_running_loop().connect_read_pipe(lambda: _Reader(take), pipe))[1]
