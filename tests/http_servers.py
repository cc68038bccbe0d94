"""Small HTTP servers of raw sockets for tests: what they answer is bytes, so they can lie."""

from __future__ import annotations

import json
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

VERSION = "2025-11-25"


@dataclass
class Asked:
    """One request as it came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes = b""

    @property
    def message(self) -> dict[str, Any]:
        try:
            value = json.loads(self.body)
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}


@dataclass
class Site:
    """A running server: its URL and what it was asked."""

    url: str
    asked: list[Asked] = field(default_factory=list)

    def methods(self) -> list[str]:
        return [one.message.get("method", one.method) for one in self.asked]


Handler = Callable[[Asked, socket.socket], None]


def _read(file: Any) -> Asked | None:
    first = file.readline().decode("latin-1").split()
    if len(first) < 2:
        return None
    headers: dict[str, str] = {}
    while (line := file.readline().strip()) != b"":
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    body = file.read(int(headers.get("content-length", 0)))
    return Asked(first[0], first[1], headers, body)


@contextmanager
def serving(handler: Handler) -> Iterator[Site]:
    """A server on loopback; each connection carries one request."""

    class Connection(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            asked = _read(self.rfile)
            if asked is not None:
                site.asked.append(asked)
                try:
                    handler(asked, self.connection)
                except OSError:
                    return

    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        daemon_threads = True
        block_on_close = False

    server = Server(("127.0.0.1", 0), Connection)
    site = Site(f"http://127.0.0.1:{server.server_address[1]}/mcp")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def respond(connection: socket.socket, status: int, body: bytes = b"", media: str = "application/json", **headers: str):
    """A whole response."""
    lines = [f"HTTP/1.1 {status} X", f"content-length: {len(body)}", "connection: close"]
    lines += [f"content-type: {media}"] if body else []
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)


def result_of(asked: Asked) -> dict[str, Any] | None:
    """What a good server answers, None for a notification."""
    message = asked.message
    method = message.get("method")
    results: dict[str, Any] = {
        "initialize": {
            "protocolVersion": VERSION,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "raw", "version": "1"},
        },
        "ping": {},
        "tools/list": {"tools": [{"name": "t", "inputSchema": {"type": "object"}}]},
        "tools/call": {"content": [{"type": "text", "text": "done"}]},
    }
    if "id" not in message:
        return None
    if method in results:
        return {"jsonrpc": "2.0", "id": message["id"], "result": results[method]}
    return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "Method not found"}}


def good(asked: Asked, connection: socket.socket) -> None:
    """Answers as it should, in JSON, with a session."""
    if asked.method != "POST":
        return respond(connection, 405)
    reply = result_of(asked)
    if reply is None:
        return respond(connection, 202)
    session = {"mcp_session_id": "s-123"} if asked.message.get("method") == "initialize" else {}
    return respond(connection, 200, json.dumps(reply).encode(), **session)


def on_call(handler: Handler) -> Handler:
    """Good until a tool is called, then as `handler` says."""

    def both(asked: Asked, connection: socket.socket) -> None:
        (handler if asked.message.get("method") == "tools/call" else good)(asked, connection)

    return both


def events(*messages: Any, name: str = "") -> bytes:
    """Messages as server-sent events."""
    first = f"event: {name}\n".encode() if name else b""
    return b"".join(
        first + b"data: " + (m if isinstance(m, bytes) else json.dumps(m).encode()) + b"\n\n" for m in messages
    )
