"""The official client as an independent witness: it meets the server by itself, and what became of it is kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Any

from sealmark.wire.http import Endpoint
from sealmark.wire.http.client import CONNECT_SECONDS, tls_context

SECONDS = 20.0
"""For the whole meeting."""
STEP_SECONDS = 8.0
BODY_BYTES = 32 * 1024 * 1024
PAGES = 50
SHOWN = 300

LISTED = (("tools", "list_tools"), ("resources", "list_resources"), ("prompts", "list_prompts"))
"""Capability and the method of the client that lists it."""


def meet(endpoint: Endpoint, transport: str) -> dict[str, Any]:
    """What became of a meeting of the official client with a server; blocks, on an event loop of its own.

    Returns:
        ``installed``; ``accepted``; ``stage`` at which the client gave up (``connect``, ``tools``, …); ``error`` in
        its words; ``protocolVersion`` that it agreed on; ``listed`` items by kind.
    """
    try:
        import mcp  # noqa: F401
    except ImportError:
        return {"installed": False}
    found: dict[str, Any] = {"installed": True, "accepted": False, "stage": "connect", "error": "", "listed": {}}
    try:
        asyncio.run(_bounded(endpoint, transport, found))
    except Exception as error:  # whatever the client raises is what is asked for
        found["error"] = _words(error)
    return found


async def _bounded(endpoint: Endpoint, transport: str, found: dict[str, Any]) -> None:
    async with asyncio.timeout(SECONDS):
        await _meeting(endpoint, transport, found)


async def _meeting(endpoint: Endpoint, transport: str, found: dict[str, Any]) -> None:
    from mcp import Client

    streams = _streams(endpoint, transport)
    async with Client(streams, mode="auto", cache=None, read_timeout_seconds=STEP_SECONDS) as client:
        found["protocolVersion"] = client.protocol_version
        offered = client.server_capabilities
        for kind, method in LISTED:
            if getattr(offered, kind, None) is None:
                continue
            found["stage"] = kind
            found["listed"][kind] = await _count(getattr(client, method), kind)
        found["stage"], found["accepted"] = "", True


async def _count(listing: Any, kind: str) -> int:
    """The items of a listing, page by page."""
    count, cursor = 0, None
    for _ in range(PAGES):
        page = await listing(cursor=cursor)
        count += len(getattr(page, kind))
        cursor = page.next_cursor
        if not cursor:
            break
    return count


def _streams(endpoint: Endpoint, transport: str) -> AbstractAsyncContextManager[Any]:
    """The official client's own transport, over an HTTP client that follows nothing and reads no more than a bound."""
    import httpx2
    from mcp.client.sse import sse_client
    from mcp.client.streamable_http import streamable_http_client

    class Bounded(httpx2.AsyncByteStream):
        def __init__(self, inner: Any) -> None:
            self._inner, self._left = inner, BODY_BYTES

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for chunk in self._inner:
                self._left -= len(chunk)
                if self._left < 0:
                    raise httpx2.ReadError(f"more than {BODY_BYTES} bytes")
                yield chunk

        async def aclose(self) -> None:
            await self._inner.aclose()

    class Transport(httpx2.AsyncHTTPTransport):
        async def handle_async_request(self, request: Any) -> Any:
            response = await super().handle_async_request(request)
            raw, more = response.headers.raw, response.extensions
            return httpx2.Response(response.status_code, headers=raw, stream=Bounded(response.stream), extensions=more)

    def client(headers: Any = None, timeout: Any = None, auth: Any = None) -> httpx2.AsyncClient:
        wire = Transport(verify=tls_context(endpoint), trust_env=False)
        waits = httpx2.Timeout(STEP_SECONDS, connect=CONNECT_SECONDS)
        given = {"accept-encoding": "identity", **(headers or {}), **endpoint.headers}
        return httpx2.AsyncClient(
            transport=wire, headers=given, timeout=waits, trust_env=False, follow_redirects=False, max_redirects=0
        )

    if transport == "sse":
        return sse_client(endpoint.url, httpx_client_factory=client)
    return streamable_http_client(endpoint.url, http_client=client())


def _words(error: BaseException) -> str:
    """The first cause inside groups of exceptions, by its class and its first line."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, TimeoutError):
        return f"no end within {SECONDS:g} s"
    first = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    return f"{type(error).__name__}: {first}"[:SHOWN]
