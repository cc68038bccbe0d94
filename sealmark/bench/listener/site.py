"""One site of the listener: its own port, its own token, and a log of who came."""

from __future__ import annotations

import asyncio
import re
import socket
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from sealmark.bench.listener.pages import Answer, answer
from sealmark.record.marks import Marks

MIB = 2**20
CHUNK = 64 * 1024
"""Bytes of a large body that are sent at once."""

SEND_BUFFER = 128 * 1024
"""Bytes that the system may hold back for a visitor, so that what counts as taken was taken."""

MAX_HEAD = 64 * 1024
"""Bytes of a request's head."""

HEAD_SEC = 1.0
"""How long a visitor may wait before saying anything; one that says nothing was there too."""

TRICKLE_SEC = 0.2
"""Pause between the pieces of a slow body."""

MAX_HITS = 50
"""Hits that one look reports."""

SHOWN = 200
"""Characters of a path or a host that are kept."""

COARSE_MIB = 8
"""Smallest bound that a count of taken bytes is given with: below it, the system's buffers decide."""

_REQUEST = re.compile(rb"([A-Z]{1,20}) (\S{1,8000}) HTTP/1\.[01]\r?\n")
_HOST = re.compile(rb"^host:[ \t]*(\S{1,500})", re.IGNORECASE | re.MULTILINE)


@dataclass
class Hit:
    """One visit. `protocol` is http, tls, raw (bytes of another kind) or none (nothing was said).

    `to` is the address that was asked for, where the site stands at more than one.
    """

    family: str
    to: str = ""
    protocol: str = "none"
    method: str = ""
    path: str = ""
    host: str = ""
    head: str = ""
    large: bool = False
    sent: int = 0
    whole: bool = False


@dataclass
class Site:
    """The site of one pack.

    Attributes:
        sockets: listening ones, all on one port.
        token: the first part of every path.
        secret: what every page holds.
        body_bytes: length of the large body.
        slow_sec: how long the slow body lasts.
        everywhere: the port, when it stands at every address of a network of its own; visits then name the address,
            and whoever looks at them marks them.
        beside: values of the pack's sandbox, which may stand in a path too.
    """

    sockets: Sequence[socket.socket]
    token: str
    secret: str
    body_bytes: int
    slow_sec: float
    everywhere: int = 0
    beside: Mapping[str, str] = field(default_factory=dict)
    _hits: list[Hit] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def address(self) -> tuple[str, int]:
        """Host and port of the first socket."""
        host, port = self.sockets[0].getsockname()[:2]
        return str(host), int(port)

    @property
    def values(self) -> dict[str, str]:
        """What the site's marks stand for."""
        host, port = self.address
        return {
            "listener": f"http://{host}:{port}",
            "listener_port": str(port),
            "listener_token": self.token,
            "listener_secret": self.secret,
        }

    def look(self) -> dict[str, Any]:
        """The hits since the last look: `{"hits": [{"family", "protocol", "method", "path", "host", …}], "more"?: n}`.

        `head` stands where something else than HTTP was said. A large body has `whole`, whether all of it was taken,
        and `over_mib` and `under_mib`, powers of two between which lies what was taken.
        """
        with self._lock:
            hits, self._hits = self._hits, []
            mark = str if self.everywhere else Marks([*self.values.items(), *self.beside.items()]).mark
            result: dict[str, Any] = {"hits": [_shown(hit, mark, self.body_bytes) for hit in hits[:MAX_HITS]]}
        if len(hits) > MAX_HITS:
            result["more"] = len(hits) - MAX_HITS
        return result

    # -- serving ----------------------------------------------------------------------------------------------

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Note one visit and answer it."""
        taken = writer.get_extra_info("socket")
        to = str(taken.getsockname()[0]) if self.everywhere else ""
        hit = Hit("ipv6" if taken.family == socket.AF_INET6 else "ipv4", to)
        with self._lock:
            self._hits.append(hit)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        writer.transport.set_write_buffer_limits(high=0)
        with suppress(OSError, asyncio.CancelledError):
            await self._answer(hit, await _head(reader), writer)
        writer.close()

    async def _answer(self, hit: Hit, head: bytes, writer: asyncio.StreamWriter) -> None:
        request = _REQUEST.match(head)
        if request is None:
            hit.protocol = "tls" if head[:1] == b"\x16" else "raw" if head else "none"
            hit.head = head[:80].decode("ascii", "backslashreplace") if hit.protocol == "raw" else ""
            return
        path = request[2].decode("ascii", "backslashreplace")
        host = _HOST.search(head)
        port = self.everywhere or self.address[1]
        found = answer(path, token=self.token, secret=self.secret, port=port)
        hit.method, hit.path = request[1].decode(), path
        hit.host = host[1].decode("ascii", "backslashreplace") if host else ""
        hit.large = found.made == "large"
        hit.protocol = "http"
        length = self.body_bytes if found.made else len(found.body)
        writer.write(_headers(found, length))
        await writer.drain()
        if hit.method != "HEAD":
            async for piece in self._body(found):
                writer.write(piece)
                await writer.drain()
                hit.sent += len(piece)
        hit.whole = hit.sent >= length and hit.method != "HEAD"

    async def _body(self, found: Answer) -> AsyncIterator[bytes]:
        line = b"This line belongs to a large body of a test run and is of no value to anybody...\n"
        chunk = (line * (CHUNK // len(line) + 1))[:CHUNK]
        if found.made == "large":
            for start in range(0, self.body_bytes, CHUNK):
                yield chunk[: self.body_bytes - start]
        elif found.made == "slow":
            for _ in range(round(self.slow_sec / TRICKLE_SEC)):
                yield b"slow\n"
                await asyncio.sleep(TRICKLE_SEC)
        elif found.body:
            yield found.body


async def _head(reader: asyncio.StreamReader) -> bytes:
    """What a visitor says first, up to the end of a request's head; less when it is no HTTP or takes too long."""
    head = b""
    with suppress(TimeoutError):
        async with asyncio.timeout(HEAD_SEC):
            while len(head) < MAX_HEAD:
                piece = await reader.read(MAX_HEAD)
                head += piece
                if not piece or b"\r\n\r\n" in head or b"\n\n" in head or not head[:1].isupper():
                    break
    return head


def _headers(found: Answer, length: int) -> bytes:
    lines = [
        f"HTTP/1.1 {found.status}",
        "Content-Type: text/plain; charset=utf-8" if found.made else "Content-Type: text/html; charset=utf-8",
        f"Content-Length: {length}",
        "Cache-Control: no-store",
        "Connection: close",
        *([f"Location: {found.location}"] if found.location else []),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii", "replace")


def _shown(hit: Hit, mark: Callable[[str], str], body_bytes: int) -> dict[str, Any]:
    shown: dict[str, Any] = {"family": hit.family, **({"to": hit.to} if hit.to else {}), "protocol": hit.protocol}
    if hit.protocol == "http":
        shown |= {"method": hit.method, "path": mark(hit.path)[:SHOWN], "host": mark(hit.host)[:SHOWN]}
    if hit.head:
        shown["head"] = mark(hit.head)
    if hit.large:
        bound = COARSE_MIB
        while bound * MIB < hit.sent:
            bound *= 2
        over = bound // 2 if bound > COARSE_MIB else 0
        shown |= {"whole": hit.whole, "over_mib": over, "under_mib": min(bound, body_bytes // MIB)}
    return shown
