"""Asks a URL whether an MCP server is there, and which of the two transports it speaks."""

from __future__ import annotations

import asyncio
from typing import Literal

import msgspec

from sealmark.wire import jsonrpc
from sealmark.wire.http.client import EVENTS, JSON, Client, Endpoint, chunks, headers_of, media_of
from sealmark.wire.http.events import EventSplitter

Transport = Literal["auto", "http", "sse"]
PING = jsonrpc.encode(jsonrpc.request("ping", id="sealmark-knock"))


class Knocked(msgspec.Struct, frozen=True):
    """What a URL answered.

    Attributes:
        up: whether it was a real answer: 401 is one, 404 and 5xx are not.
        listening: whether anything answered at all.
        transport: which transport to use.
        says: what was seen, for people.
    """

    up: bool
    listening: bool
    transport: Literal["http", "sse"]
    says: str


async def knock(endpoint: Endpoint, transport: Transport = "auto", *, seconds: float = 5.0) -> Knocked:
    """Ask once. A ping without a session costs the server nothing; the older transport is told by its first event."""
    client = Client(endpoint)
    try:
        if transport == "sse":
            return await _knock_sse(client, seconds)
        headers = {**endpoint.headers, "accept": f"{JSON}, {EVENTS}", "content-type": JSON}
        answer = await client.exchange("POST", endpoint.url, headers, PING, seconds=seconds)
        if not answer.status:
            busy = answer.failure == "timeout"
            return Knocked(False, busy, "http", "no answer in time" if busy else answer.failure)
        is_message = answer.message.kind == "response"
        if answer.status in (404, 405) and not is_message and transport == "auto":
            older = await _knock_sse(client, seconds)
            if older.up:
                return older
        up = is_message or (answer.status != 404 and answer.status < 500)
        return Knocked(up, True, "http", f"HTTP {answer.status}")
    finally:
        await client.close()


async def _knock_sse(client: Client, seconds: float) -> Knocked:
    """Open the stream of the older transport and wait for its first event."""
    endpoint = client.endpoint
    status = 0
    try:
        async with (
            asyncio.timeout(seconds),
            client.stream("GET", endpoint.url, {**endpoint.headers, "accept": EVENTS}) as response,
        ):
            status = response.status_code
            if media_of(headers_of(response)) == EVENTS and status < 300:
                events = EventSplitter(8192)
                async for chunk in chunks(response):
                    for event in events.feed(chunk):
                        if event.name == "endpoint":
                            return Knocked(True, True, "sse", f"HTTP {status}, an event stream")
                        break
            up = 300 <= status < 500 and status != 404
            return Knocked(up, True, "sse", f"HTTP {status} without an endpoint event")
    except TimeoutError:
        return Knocked(False, True, "sse", f"HTTP {status}, then nothing" if status else "no answer in time")
    except OSError as error:
        return Knocked(False, False, "sse", str(error))
