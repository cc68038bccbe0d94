"""One stub: its own port, its script, and a log of what reached it."""

from __future__ import annotations

import asyncio
import re
import secrets
import socket
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from sealmark.bench.upstream.script import Reply, Request, chosen, reply_of

MAX_HEAD = 64 * 1024
"""Bytes of a request's head."""
MAX_BODY = 64 * 1024 * 1024
"""Bytes of a body that are read; what comes after is not."""
MAX_REQUESTS = 500
"""Requests that are kept between two looks; further ones are counted."""
IDLE_SEC = 30.0

_LINE = re.compile(rb"([A-Za-z]{1,20}) (\S{1,60000}) HTTP/1\.[01]\r?\n")


@dataclass
class Kept:
    """A request, which scripted reply it got, and the markers that were minted for it."""

    request: Request
    reply: str = ""
    minted: list[str] = field(default_factory=list)


@dataclass
class Site:
    """The stub of one pack.

    Attributes:
        sockets: listening ones.
        responses: scripted replies.
        default: the reply when none matches.
        credential: the header in which the backend expects a token.
        keep_bytes: how much of each body is kept.
        secret: a worthless secret that replies can hold (`{upstream_secret}`).
        token: what minted markers begin with.
    """

    sockets: Sequence[socket.socket]
    responses: Sequence[Mapping[str, Any]]
    default: Mapping[str, Any]
    credential: str
    keep_bytes: int
    secret: str = field(default_factory=lambda: f"sm-backend-{secrets.token_hex(8)}")
    token: str = field(default_factory=lambda: f"sm-answer-{secrets.token_hex(6)}")
    told: Mapping[str, Any] | None = None
    _kept: list[Kept] = field(default_factory=list)
    _more: int = 0
    _minted: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def port(self) -> int:
        """The port of every socket."""
        return int(self.sockets[0].getsockname()[1])

    @property
    def values(self) -> dict[str, str]:
        """What the stub's marks stand for."""
        return {"upstream": f"http://127.0.0.1:{self.port}", "upstream_port": str(self.port)}

    @property
    def owned(self) -> dict[str, str]:
        """What its replies can hold."""
        return {"upstream_secret": self.secret, "upstream_token": self.token}

    def take(self) -> tuple[list[Kept], int]:
        """The requests since the last look, and how many more there were."""
        with self._lock:
            kept, self._kept, more, self._more = self._kept, [], self._more, 0
        return kept, more

    def reset(self) -> None:
        """Forget what came and what was told."""
        self.take()
        self.told = None

    # -- serving ----------------------------------------------------------------------------------------------

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take one request and answer it as the script says."""
        with suppress(OSError, asyncio.IncompleteReadError, TimeoutError, ValueError, asyncio.CancelledError):
            async with asyncio.timeout(IDLE_SEC):
                request = await self._request(reader, writer)
            if request is not None:
                reply = self._answer(request)
                if reply.delay_sec:
                    await asyncio.sleep(reply.delay_sec)
                writer.write(_head(reply) + (b"" if request.method == "HEAD" else reply.body))
                await writer.drain()
        writer.close()

    async def _request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Request | None:
        head = await reader.readuntil(b"\r\n\r\n")
        line = _LINE.match(head)
        if line is None or len(head) > MAX_HEAD:
            writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return None
        headers: dict[str, str] = {}
        for row in head[line.end() :].decode("latin-1").split("\r\n"):
            name, colon, value = row.partition(":")
            if colon:
                known = headers.get(name.strip().lower())
                headers[name.strip().lower()] = f"{known}, {value.strip()}" if known else value.strip()
        if headers.get("expect", "").lower() == "100-continue":
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body, length = await self._body(reader, headers)
        return Request(line[1].decode(), line[2].decode("latin-1"), headers, body, length)

    async def _body(self, reader: asyncio.StreamReader, headers: Mapping[str, str]) -> tuple[bytes, int]:
        kept, length = bytearray(), 0
        if "chunked" in headers.get("transfer-encoding", "").lower():
            while (size := int((await reader.readline()).split(b";")[0] or b"0", 16)) and length < MAX_BODY:
                piece = await reader.readexactly(size)
                await reader.readline()
                length += size
                kept += piece[: max(0, self.keep_bytes - len(kept))]
            return bytes(kept), length
        left = min(int(headers.get("content-length") or 0), MAX_BODY)
        while left > 0 and (piece := await reader.read(min(left, 65536))):
            left, length = left - len(piece), length + len(piece)
            kept += piece[: max(0, self.keep_bytes - len(kept))]
        return bytes(kept), length

    def _answer(self, request: Request) -> Reply:
        kept = Kept(request)
        with self._lock:
            told = self.told
            entry, kept.reply = (told, "told") if told is not None else chosen(self.responses, self.default, request)
            reply = reply_of(entry, lambda text: self._fill(text, kept), kept.reply)
            if len(self._kept) < MAX_REQUESTS:
                self._kept.append(kept)
            else:
                self._more += 1
        return reply

    def _fill(self, text: str, kept: Kept) -> str:
        def one(match: re.Match[str]) -> str:
            if match[1] == "credential":
                return kept.request.headers.get(self.credential, "")
            if match[1] == "upstream_secret":
                return self.secret
            self._minted += 1
            kept.minted.append(f"{self.token}-{self._minted}")
            return kept.minted[-1]

        return re.sub(r"\{(credential|upstream_secret|upstream_token)\}", one, text)


def _head(reply: Reply) -> bytes:
    own = ("content-length", "connection", "transfer-encoding")
    lines = [f"HTTP/1.1 {reply.status} {'OK' if reply.status < 400 else 'Error'}"]
    lines += [f"{name}: {value}" for name, value in reply.headers if name not in own]
    lines += [f"content-length: {len(reply.body)}", "connection: close"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")
