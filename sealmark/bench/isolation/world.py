"""The world that a server in a box sees: every name, every address, and a log of who was asked for and tried.

One thread serves all boxes of a run. The log of a pack is taken apart into names that were looked up, addresses that
were tried, and visits to the web server that stands at port 80 of every address.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sealmark.bench.isolation.box import Held, Place
from sealmark.bench.isolation.names import Lookup, Names
from sealmark.bench.isolation.packets import HEAD, OUTGOING, Tried, tried
from sealmark.bench.isolation.relay import Relay
from sealmark.bench.listener.site import Site
from sealmark.errors import HarnessError

DNS_UDP: Place = ("udp", "0.0.0.0", 53)
PACKETS: Place = ("packet", "", 0)
WEB_PORT = 80
WEB: tuple[Place, ...] = (("tcp", "0.0.0.0", WEB_PORT), ("tcp", "::", WEB_PORT))
PLACES: tuple[Place, ...] = (DNS_UDP, ("tcp", "0.0.0.0", 53), *WEB, PACKETS)
"""The sockets of every box; ports that are relayed come beside them."""

START_SEC = 10
ROWS = 200
"""Rows of each kind that one look reports."""

_PACKET_INFO = 8
_Result = TypeVar("_Result")


@dataclass
class Log:
    """What was asked for and tried since the last look."""

    lookups: dict[Lookup, None] = field(default_factory=dict)
    tried: dict[Tried, None] = field(default_factory=dict)


class World:
    """Serves boxes, in a thread of its own.

    Args:
        sites: the web server of each pack, by pack; of the others every page is missing.
        relayed: ports of the machine's loopback that are reachable inside.
    """

    def __init__(self, sites: Mapping[str, Site], relayed: tuple[int, ...]) -> None:
        self._sites, self._relayed = sites, relayed
        self._names: dict[str, Names] = {}
        self._logs: dict[str, Log] = {}
        self._packets: dict[str, list[socket.socket]] = {}
        self._served: dict[int, tuple[str, list[asyncio.Server]]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def places(self) -> tuple[Place, ...]:
        """The sockets that a box is to make."""
        relayed: list[Place] = [("tcp", host, port) for port in self._relayed for host in ("127.0.0.1", "::1")]
        return (*PLACES, *relayed)

    def start(self) -> None:
        """Begin to serve.

        Raises:
            HarnessError: the thread does not begin.
        """
        ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(ready,), name="sealmark-world", daemon=True)
        self._thread.start()
        if not ready.wait(START_SEC):
            raise HarnessError("the network of the boxes did not begin", hint="Try again, or leave out --isolate.")

    def _run(self, ready: threading.Event) -> None:
        asyncio.run(self._live(ready))

    async def _live(self, ready: threading.Event) -> None:
        self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
        ready.set()
        await self._ended.wait()

    def stop(self) -> None:
        """End the thread; connections end with it."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._ended.set)
        if self._thread is not None:
            self._thread.join(START_SEC)

    def attach(self, pack: str, held: Held) -> None:
        """Serve the sockets of a box."""
        self._do(self._attach(pack, held))

    def detach(self, held: Held) -> None:
        """Stop serving a box; what it has tried stays in the log."""
        self._do(self._detach(held))

    def look(self, pack: str) -> dict[str, Any]:
        """What the boxes of a pack asked for and tried since the last look.

        `{"lookups": [{"name", "type", "answer"}], "tried": [{"protocol", "address", "port"}], "visits": [hits of port
        80, with the address as `to`], "more"?: rows left out}`; lookups and attempts each once, in order of their text.
        """
        return self._do(self._look(pack))

    def _do(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(START_SEC)

    # -- in the thread --------------------------------------------------------------------------------------------

    async def _attach(self, pack: str, held: Held) -> None:
        servers, loop = [], asyncio.get_running_loop()
        for place, one in held.sockets.items():
            one.setblocking(False)
            if place == DNS_UDP:
                loop.add_reader(one, self._answer, pack, one)
            elif place == PACKETS:
                self._packets.setdefault(pack, []).append(one)
                loop.add_reader(one, self._note, pack, one)
            else:
                servers.append(await asyncio.start_server(self._serving(pack, place), sock=one))
        self._served[id(held)] = (pack, servers)

    def _serving(self, pack: str, place: Place) -> Callable[..., Coroutine[Any, Any, None]]:
        if place in WEB:
            return self._sites[pack].serve if pack in self._sites else _hang_up
        if place[2] == 53:
            return lambda reader, writer: self._answer_stream(pack, reader, writer)
        return Relay(place[1], place[2]).serve

    async def _detach(self, held: Held) -> None:
        if id(held) not in self._served:
            return
        pack, servers = self._served.pop(id(held))
        for server in servers:
            server.close()
        for place, one in held.sockets.items():
            if place in (DNS_UDP, PACKETS) and one.fileno() >= 0:
                if place == PACKETS:
                    self._note(pack, one)
                    self._packets[pack].remove(one)
                asyncio.get_running_loop().remove_reader(one)

    def _answer(self, pack: str, one: socket.socket) -> None:
        with contextlib.suppress(OSError):
            query, extra, _, peer = one.recvmsg(4096, 64)
            reply = self._reply(pack, query)
            asked = next((data[8:12] for level, kind, data in extra if kind == _PACKET_INFO), b"\0\0\0\0")
            source = struct.pack("i4s4s", 0, asked, b"\0" * 4)
            if reply:
                one.sendmsg([reply], [(socket.IPPROTO_IP, _PACKET_INFO, source)], 0, peer)

    async def _answer_stream(self, pack: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
            async with asyncio.timeout(START_SEC):
                (length,) = struct.unpack("!H", await reader.readexactly(2))
                reply = self._reply(pack, await reader.readexactly(length))
                writer.write(struct.pack("!H", len(reply)) + reply)
                await writer.drain()
        writer.close()

    def _reply(self, pack: str, query: bytes) -> bytes:
        found = self._names.setdefault(pack, Names()).reply(query)
        if found is None:
            return b""
        self._log(pack).lookups[found[1]] = None
        return found[0]

    def _note(self, pack: str, one: socket.socket) -> None:
        """Read every packet that waits."""
        with contextlib.suppress(OSError):
            while True:
                packet, address = one.recvfrom(HEAD)
                attempt = tried(packet) if address[2] == OUTGOING else None
                if attempt is not None:
                    self._log(pack).tried[attempt] = None

    def _log(self, pack: str) -> Log:
        return self._logs.setdefault(pack, Log())

    async def _look(self, pack: str) -> dict[str, Any]:
        await asyncio.sleep(0)  # what has come in by now is handled first
        for one in self._packets.get(pack, ()):
            self._note(pack, one)
        log = self._logs.pop(pack, Log())
        rows: dict[str, list[dict[str, Any]]] = {
            "lookups": [row._asdict() for row in sorted(log.lookups)],
            "tried": [row._asdict() for row in sorted(log.tried)],
            "visits": self._sites[pack].look()["hits"] if pack in self._sites else [],
        }
        more = sum(len(found[ROWS:]) for found in rows.values())
        return {name: found[:ROWS] for name, found in rows.items()} | ({"more": more} if more else {})


async def _hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.close()
