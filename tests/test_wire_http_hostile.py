"""HTTP servers that hang, reset, stream without end, lie or answer something else: bounded time and memory."""

import asyncio
import json
import socket
import struct
import time
import tracemalloc

import pytest
from http_servers import events, good, on_call, respond, result_of, serving

from sealmark.wire.connection import WireLimits
from sealmark.wire.http import Endpoint, StreamableConnection, knock
from sealmark.wire.session import Session

LIMITS = WireLimits(line_bytes=1 << 20, frames=1000, bytes=8 << 20)


def one_call(handler, *, timeout=1.0, limits=LIMITS):
    """The reply to one call, what the session noted, seconds, and the peak of memory in bytes."""

    async def go(url):
        session = Session(
            lambda kept: StreamableConnection(Endpoint(url), transcript=kept, limits=limits), limits=limits
        )
        await session.open(timeout=10)
        tracemalloc.start()
        began = time.monotonic()
        reply = await session.request("tools/call", {"name": "t", "arguments": {}}, timeout=timeout)
        seconds = time.monotonic() - began
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        alive = None
        if session.alive:
            alive = await session.request("ping", timeout=5)
        await session.close()
        return reply, session, seconds, peak, alive

    with serving(on_call(handler)) as site:
        return asyncio.run(go(site.url))


def hangs(asked, connection):
    """Reads the request and says nothing."""
    connection.recv(1)


def hangs_in_body(asked, connection):
    """Promises a body and stops in the middle."""
    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{")
    connection.recv(1)


def resets(asked, connection):
    """Ends the connection with a reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def closes(asked, connection):
    """Ends the connection without a byte."""
    connection.shutdown(socket.SHUT_RDWR)


def endless_stream(asked, connection):
    """Sends notifications without end."""
    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
    block = events(*[{"jsonrpc": "2.0", "method": "notifications/message"}] * 100)
    for _ in range(100_000):
        connection.sendall(block)


def endless_event(asked, connection):
    """Sends one event that never ends."""
    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: ")
    for _ in range(100_000):
        connection.sendall(b"x" * 65536)


def endless_headers(asked, connection):
    """Sends headers without end."""
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    for _ in range(100_000):
        connection.sendall(b"x-filler: " + b"y" * 1000 + b"\r\n")


def large_body(asked, connection):
    """Answers with a body of 100 MB."""
    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 104857600\r\n\r\n")
    for _ in range(1600):
        connection.sendall(b" " * 65536)


def says_too_much(asked, connection):
    """Says that its body is longer than it is."""
    body = json.dumps(result_of(asked)).encode()
    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n" + body)
    connection.shutdown(socket.SHUT_RDWR)


def says_too_little(asked, connection):
    """Says that its body is shorter than it is."""
    body = json.dumps(result_of(asked)).encode()
    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n" + body)
    connection.shutdown(socket.SHUT_WR)


def no_http(asked, connection):
    """Answers in another protocol."""
    connection.sendall(b"220 smtp ready\r\n")
    connection.shutdown(socket.SHUT_RDWR)


def html(asked, connection):
    """Answers with a page."""
    respond(connection, 200, b"<html>hello</html>", "text/html")


def accepts(asked, connection):
    """Takes a request as if it were a notification."""
    respond(connection, 202)


def stream_ends(asked, connection):
    """Ends the stream before the reply."""
    respond(connection, 200, events({"jsonrpc": "2.0", "method": "notifications/message"}), "text/event-stream")


def deep(asked, connection):
    """Answers with JSON that is nested too deeply."""
    respond(connection, 200, b"[" * 200_000)


def fails(asked, connection):
    """Fails with a page and its stack."""
    respond(connection, 500, b"<pre>Error: boom\n    at handler (/srv/app.js:12:5)</pre>", "text/html")


@pytest.mark.parametrize(
    ("handler", "outcome"),
    [
        (hangs, "timeout"),
        (hangs_in_body, "timeout"),
        (resets, "closed"),
        (closes, "closed"),
        (no_http, "closed"),
        (says_too_much, "closed"),
        (says_too_little, "timeout"),
        (html, "timeout"),
        (accepts, "timeout"),
        (stream_ends, "timeout"),
        (fails, "error"),
        (endless_headers, "closed"),
        (endless_stream, "limit"),
        (endless_event, "limit"),
        (large_body, "limit"),
        (deep, "limit"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_what_becomes_of_the_call(handler, outcome):
    reply, session, seconds, peak, alive = one_call(handler, timeout=10 if outcome == "limit" else 1.0)
    assert reply.outcome == outcome, reply
    assert seconds < 9
    assert peak < 48 << 20
    assert len(session.notifications) <= 1
    if session.limit == "":
        assert alive is not None
        assert alive.outcome == "result", "one bad response must not end the session"


def test_a_server_that_fails_on_everything_is_not_up():
    with serving(fails) as site:
        found = asyncio.run(knock(Endpoint(site.url)))
    assert (found.up, found.says) == (False, "HTTP 500")


def test_a_server_that_hangs_is_not_up_and_knocking_ends():
    began = time.monotonic()
    with serving(hangs) as site:
        found = asyncio.run(knock(Endpoint(site.url), seconds=0.3))
    assert (found.up, found.listening) == (False, True)
    assert time.monotonic() - began < 5


def test_closing_does_not_wait_for_a_server_that_hangs():
    def slow_goodbye(asked, connection):
        (hangs if asked.method in ("DELETE", "GET") else good)(asked, connection)

    async def go(url):
        session = Session(lambda kept: StreamableConnection(Endpoint(url), transcript=kept))
        await session.open(timeout=10)
        began = time.monotonic()
        await session.close()
        return time.monotonic() - began

    with serving(slow_goodbye) as site:
        assert asyncio.run(go(site.url)) < 4
