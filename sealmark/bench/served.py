"""A server behind a URL: started by the harness and awaited, or only reached; one process for the whole run."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from sealmark.errors import ServerError
from sealmark.processes import Ended, Grace, Process, start
from sealmark.reading.visible import visible
from sealmark.wire.connection import Connection, WireLimits
from sealmark.wire.http import Endpoint, Knocked, SseConnection, StreamableConnection, knock
from sealmark.wire.http.base import Server
from sealmark.wire.http.knock import Transport
from sealmark.wire.stdio import Ends, read_pipe
from sealmark.wire.transcript import Transcript

RESTARTS = 5
"""Times that a server which ended is started again within one run."""

PAUSE, KNOCK = 0.05, 5.0
"""Seconds between two knocks, and for one."""

SHOWN = 2048


class Served:
    """A server at a URL.

    Args:
        endpoint: where it is reached.
        transport: which transport to use; ``auto`` asks.
        argv: what starts it; empty when it runs already.
        env: its whole environment.
        cwd: the directory to start it in.
        start_sec: how long the URL gets to answer after a start.
        end_sec: how long the server gets to end after SIGTERM.
        redact: replaces the user's secrets in what it wrote.
        given_up: why the run ends, empty while it goes on.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        transport: Transport = "auto",
        *,
        argv: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        start_sec: float = 60,
        end_sec: float = 1,
        redact: Callable[[str], str] = str,
        given_up: Callable[[], str] = str,
    ) -> None:
        self.endpoint, self.asked, self.argv = endpoint, transport, tuple(argv)
        self.given_up = given_up
        self._env, self._cwd, self._start_sec, self._redact = dict(env or {}), cwd, start_sec, redact
        self._grace = Grace(eof=0.0, term=end_sec)
        self._process: Process | None = None
        self._pipes: list[Any] = []
        self._out, self._err = Ends(SHOWN), Ends(64 * 1024)
        self._lock = asyncio.Lock()
        self._restarts = 0
        self.transport: Literal["http", "sse"] = "sse" if transport == "sse" else "http"

    async def begin(self) -> None:
        """Start the server and wait until its URL answers, or see whether one answers already.

        Raises:
            ServerError: another server answers there, it ends, or it does not answer in time.
        """
        if not self.argv:
            found = await knock(self.endpoint, self.asked, seconds=KNOCK)
            self.transport = found.transport
            return
        stranger = msgspec.structs.replace(self.endpoint, headers={})  # whoever it is gets no credentials
        already = await knock(stranger, self.asked, seconds=KNOCK)
        if already.listening:
            raise ServerError(
                f"something answers at {self._where()} before the server is started ({already.says})",
                hint="Stop the server that was left running, choose another port, or test that one: without --start.",
                code="ADDRESS_IN_USE",
            )
        await self._launch()

    async def ensure(self) -> None:
        """Start the server again if it has ended.

        Raises:
            OSError: it ends again and again, or does not come up.
        """
        async with self._lock:
            if self._process is None or self._process.exit_code is None:
                return
            self._restarts += 1
            if self._restarts > RESTARTS:
                raise OSError(f"the server ended {self._restarts} times")
            await self.end()
            try:
                await self._launch()
            except ServerError as error:
                raise OSError(error.message) from error

    async def end(self) -> Ended | None:
        """End the server's whole tree, if the harness started it."""
        process, self._process = self._process, None
        if process is None:
            return None
        ended = await process.stop(self._grace, lambda: None)
        for pipe in self._pipes:
            pipe.close()
        self._pipes.clear()
        return ended

    def connection(
        self, transcript: Transcript, limits: WireLimits | None, *, tells: bool, endpoint: Endpoint | None = None
    ) -> Connection:
        """A new connection; with ``tells`` it is the one that reports what the server writes to stderr."""
        kind = SseConnection if self.transport == "sse" else StreamableConnection
        written = (lambda: (self._err.head, self._err.tail, self._err.total)) if tells else None
        server = Server(self.ensure, self._exit_code, written)
        return kind(endpoint or self.endpoint, transcript=transcript, limits=limits, server=server)

    def _exit_code(self) -> int | None:
        return self._process.exit_code if self._process is not None else None

    async def _launch(self) -> None:
        try:
            self._process = await start(self.argv, env=self._env, cwd=self._cwd, stdin=subprocess.DEVNULL)
        except OSError as error:
            words = error.strerror or str(error)
            raise ServerError(
                f"cannot start {self._shown(self.argv[0])}: {words}",
                hint="Check the spelling of the command and that it is installed and on PATH.",
                code="TARGET_NOT_FOUND",
            ) from None
        for name, take in (("stdout", self._out.add), ("stderr", self._err.add)):
            self._pipes.append(await read_pipe(getattr(self._process, name), take))
            setattr(self._process, name, None)
        try:
            self.transport = (await self._wait()).transport
        except BaseException:
            await self.end()
            raise

    async def _wait(self) -> Knocked:
        """Knock until there is a real answer."""
        began, found = time.monotonic(), Knocked(False, False, "http", "no answer")
        while (left := began + self._start_sec - time.monotonic()) > 0:
            if self.given_up():
                raise ServerError(f"not started: {self.given_up()}", code="HANDSHAKE_TIMEOUT")
            if self._exit_code() is not None:
                says = f"ended with code {self._exit_code()} before {self._where()} answered"
                raise self._failed(says, "TARGET_EXITED")
            found = await knock(self.endpoint, self.asked, seconds=min(max(left, 1.0), KNOCK))
            if found.up:
                return found
            await asyncio.sleep(PAUSE)
        says = f"did not answer at {self._where()} within {self._start_sec:g} s (last: {self._shown(found.says)})"
        raise self._failed(says, "HANDSHAKE_TIMEOUT")

    def _failed(self, says: str, code: str) -> ServerError:
        hint = {
            "TARGET_EXITED": "Run the start command by itself to see why it ends; it must stay in the foreground.",
            "HANDSHAKE_TIMEOUT": "Is the path of the URL right? If it only needs longer, raise --start-timeout.",
        }[code]
        written = b"\n".join(end.head + end.tail for end in (self._out, self._err) if end.total)
        stderr = self._redact(written.decode("utf-8", "replace"))
        lines = [line for line in visible(stderr).split("\n") if line.strip()][-5:]
        tail = "".join(f"\n  | {line[:300]}" for line in lines)
        ends = f"\nits output ends:{tail}" if lines else "; it wrote nothing"
        return ServerError(f"{self._shown(self.argv[0])} {says}{ends}", hint=hint, code=code, stderr=stderr)

    def _where(self) -> str:
        return self._shown(self.endpoint.url)

    def _shown(self, text: str) -> str:
        return visible(self._redact(text), newlines="escape", limit=200)
