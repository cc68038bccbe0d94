"""What both HTTP transports share: counting, delivering, and the end."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from typing import Any

from sealmark.processes import Ended
from sealmark.wire import jsonrpc
from sealmark.wire.connection import Connection, Frame, Listener, Sent, WireLimits
from sealmark.wire.http.client import EVENTS, Client, Endpoint, chunks, headers_of, media_of, now
from sealmark.wire.http.events import EventSplitter, SentEvent
from sealmark.wire.lines import Line
from sealmark.wire.transcript import Transcript

POSTS = 64
"""Messages that may be under way without anybody waiting for them."""

NOTHING = Line(b"", 0)


async def _nothing() -> None:
    """Nothing has to be done before a connection is used."""


class Server:
    """What a connection knows of the process behind its URL, where the harness started one."""

    def __init__(
        self,
        ensure: Callable[[], Awaitable[None]] = _nothing,
        exit_code: Callable[[], int | None] = lambda: None,
        stderr: Callable[[], tuple[bytes, bytes, int]] | None = None,
    ) -> None:
        self.ensure, self.exit_code, self.stderr = ensure, exit_code, stderr


class HttpConnection(Connection):
    """A connection whose messages are bodies and events. Each request is a task of its own."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        transcript: Transcript | None = None,
        limits: WireLimits | None = None,
        server: Server | None = None,
    ) -> None:
        self.endpoint = endpoint
        self.target = endpoint.url
        self.transcript = transcript or Transcript()
        self.era, self.version, self.session_id = "none", "", ""
        self._caps = limits or WireLimits()
        self._server = server or Server()
        self._tasks: set[asyncio.Task[None]] = set()
        self._by_id: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._frames = self._bytes = 0
        self._over = False
        self._closing: asyncio.Task[Ended] | None = None

    async def start(self, listener: Listener) -> None:
        """Make ready. See `Connection.start`."""
        await self._server.ensure()
        self._listener = listener
        self._client = Client(self.endpoint, transcript=self.transcript)

    def settle(self, era: str, version: str) -> None:
        """See `Connection.settle`."""
        self.era, self.version = era, version

    async def send(
        self,
        data: bytes,
        *,
        deadline: float,
        until: asyncio.Future[Any] | None = None,
        message: Mapping[str, Any] | None = None,
    ) -> Sent:
        """Begin a request; a notification is waited for, so that what follows it comes after it."""
        if self._over:
            return Sent(0, now(), False)
        asked = message if message is not None else jsonrpc.parse(data).message
        seq = self.transcript.add("c2s", data, flags=() if message is not None else ("raw",))
        task = self._begin(self._deliver_post(seq, data, asked))
        key = jsonrpc.id_key(asked.get("id"))
        if key is not None:
            self._by_id[key] = task
            task.add_done_callback(lambda _: self._by_id.pop(key, None))
        complete = True
        if message is not None and "id" not in message:
            done, _ = await asyncio.wait({task}, timeout=max(0.0, deadline - asyncio.get_running_loop().time()))
            complete = bool(done)
        return Sent(seq, now(), complete)

    def post(self, data: bytes) -> bool:
        """Begin a request that nobody waits for. See `Connection.post`."""
        if self._over or len(self._tasks) >= POSTS:
            return False
        message = jsonrpc.parse(data).message
        if self.era == "modern" and message.get("method") == "notifications/cancelled":
            params = message.get("params")
            task = self._by_id.get(jsonrpc.id_key(params.get("requestId")) or ("", "")) if params else None
            return task is not None and task.cancel()  # the end of the response stream is the cancellation
        seq = self.transcript.add("c2s", data)
        self._begin(self._deliver_post(seq, data, message))
        return True

    async def close(self) -> Ended:
        """End what is under way, and the session. See `Connection.close`."""
        if self._closing is None:
            self._closing = asyncio.get_running_loop().create_task(self._close())
        return await asyncio.shield(self._closing)

    @property
    def exit_code(self) -> int | None:
        """See `Connection.exit_code`."""
        return self._server.exit_code()

    @property
    def stderr(self) -> tuple[bytes, bytes, int]:
        """See `Connection.stderr`."""
        return self._server.stderr() if self._server.stderr else (b"", b"", 0)

    @property
    def logs(self) -> bool:
        """See `Connection.logs`."""
        return self._server.stderr is not None

    # -- for the two transports ------------------------------------------------------------------------------------

    async def _deliver_post(self, seq: int, data: bytes, message: Mapping[str, Any]) -> None:
        """Send one message and deliver what comes of it."""
        raise AssertionError("a transport says how it posts")

    async def _farewell(self) -> None:
        """Tell the server that the session ends."""

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _deliver(self, line: Line, transport: Mapping[str, Any]) -> Frame | None:
        """Hand a message to the session; None once a limit has been exceeded."""
        frame = self._frame(line, transport)
        if frame is not None:
            self._listener.frame(frame)
        return frame

    def _frame(self, line: Line, transport: Mapping[str, Any]) -> Frame | None:
        self._frames += 1
        if self._over or self._frames > self._caps.frames:
            self._exceeded("session-frames")
            return None
        status = transport.get("status", 200)
        flags = ("too-long",) * line.cut + (f"http-{status}",) * (status != 200)
        if line.cut:
            self._name("line-bytes")
        seq = self.transcript.add("s2c", line.data, length=line.length, sha256=line.sha256, flags=flags)
        return Frame(line, seq, now(), flags, transport)

    async def _read(self, response: Any) -> Line:
        """A whole body, of which no more is read than one message may have."""
        body, length, digest = bytearray(), 0, hashlib.sha256()
        async for chunk in chunks(response):
            length += len(chunk)
            digest.update(chunk)
            body += chunk[: self._caps.line_bytes - len(body)]
            if not self._counted(chunk) or length > self._caps.line_bytes:
                break
        cut = length > len(body)
        return Line(bytes(body), length, bytes(body[-512:]) if cut else b"", digest.hexdigest() if cut else "")

    async def _events(self, response: Any, take: Callable[[SentEvent], bool]) -> None:
        """Every event of a stream, until ``take`` says that it is enough."""
        events = EventSplitter(self._caps.line_bytes)
        async for chunk in chunks(response):
            if not self._counted(chunk):
                return
            for event in events.feed(chunk):
                if not take(event) or self._over:
                    return

    def _counted(self, chunk: bytes) -> bool:
        self._bytes += len(chunk)
        if self._bytes > self._caps.bytes:
            self._exceeded("session-bytes")
        return not self._over

    @staticmethod
    def _about(response: Any) -> tuple[dict[str, Any], str]:
        """Status and headers of a response as transport facts, and its media type."""
        headers = headers_of(response)
        return {"status": response.status_code, "headers": headers}, media_of(headers)

    def _name(self, limit: str) -> None:
        if limit not in self.limits:
            self.limits += (limit,)

    def _exceeded(self, limit: str) -> None:
        """Stop reading at once and tell the session."""
        if self._over:
            return
        self._name(limit)
        self._over = True
        self._listener.ended(limit)
        for task in self._tasks - {asyncio.current_task()}:
            task.cancel()

    async def _close(self) -> Ended:
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=2)
        if hasattr(self, "_client"):
            if not self._over:
                with suppress(OSError, TimeoutError):
                    await self._farewell()
            with suppress(Exception):
                await asyncio.wait_for(self._client.close(), 2)
        self._over = True
        return Ended(None)


__all__ = ["EVENTS", "NOTHING", "HttpConnection", "Server"]
