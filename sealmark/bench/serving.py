"""A thread of its own for what answers connections while a run goes on: one event loop for any number of sites."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Sequence
from typing import Protocol

from sealmark.errors import HarnessError

START_SEC = 10
"""How long the thread may take to begin, and to end."""


class Answering(Protocol):
    """What answers at some sockets, which it was handed."""

    @property
    def sockets(self) -> Sequence[socket.socket]:
        """The sockets, bound and not yet listened at."""
        ...

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection."""
        ...


class Serving:
    """Serves sites until it is stopped.

    Args:
        name: of the thread, and of what did not begin, for people.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._sites: tuple[Answering, ...] = ()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def start(self, sites: Sequence[Answering], *, hint: str) -> None:
        """Begin to serve.

        Raises:
            HarnessError: the thread does not begin.
        """
        self._sites = tuple(sites)
        ready = threading.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve(ready)), name=f"sealmark-{self._name}", daemon=True
        )
        self._thread.start()
        if not ready.wait(START_SEC):
            raise HarnessError(f"the {self._name} did not begin", hint=hint)

    async def _serve(self, ready: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        servers = [await asyncio.start_server(site.serve, sock=one) for site in self._sites for one in site.sockets]
        ready.set()
        await self._ended.wait()
        for server in servers:
            server.close()

    def stop(self) -> None:
        """End the thread and close every socket; may be called twice, and when nothing was started."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._ended.set)
        if self._thread is not None:
            self._thread.join(START_SEC)
        for site in self._sites:
            for one in site.sockets:
                one.close()
