"""The HTTP+SSE transport of 2024-11-05: one stream of events from the server, and a second URL to post to."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin

from sealmark.wire.connection import Frame, Listener
from sealmark.wire.http.base import EVENTS, NOTHING, HttpConnection
from sealmark.wire.http.client import JSON, origin_of
from sealmark.wire.http.events import SentEvent

ENDPOINT_SECONDS = 10.0


class SseConnection(HttpConnection):
    """Reads one stream and posts to the URL that its first event names, which must be of the same origin."""

    async def start(self, listener: Listener) -> None:
        """Open the stream and wait for the event that names where to post.

        Raises:
            OSError: there is no stream, no such event, or the URL is of another origin.
        """
        await super().start(listener)
        self._post_to: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._begin(self._stream())
        try:
            async with asyncio.timeout(ENDPOINT_SECONDS):
                await asyncio.shield(self._post_to)
        except TimeoutError:
            raise OSError(f"no endpoint event came within {ENDPOINT_SECONDS:g} s") from None
        finally:
            if not self._post_to.done() or self._post_to.exception() is not None:
                await self.close()

    async def _stream(self) -> None:
        try:
            headers = {**self.endpoint.headers, "accept": EVENTS}
            async with self._client.stream("GET", self.endpoint.url, headers) as response:
                about, media = self._about(response)
                if media != EVENTS or response.status_code >= 300:
                    raise OSError(f"HTTP {response.status_code} {media}: no event stream")
                await self._events(response, lambda event: self._take(event, about))
            raise OSError("the event stream ended")
        except OSError as error:
            if not self._post_to.done():
                self._post_to.set_exception(error)
            elif not self._over:
                self._over = True
                self._listener.ended("")

    def _take(self, event: SentEvent, about: Mapping[str, Any]) -> bool:
        if event.name != "endpoint":
            return self._deliver(event.line, about) is not None
        url = urljoin(self.endpoint.url, event.line.data.decode("utf-8", "replace").strip())
        if self._post_to.done():
            return True
        if origin_of(url) != self.endpoint.origin:
            self._post_to.set_exception(OSError(f"the endpoint event names another origin: {origin_of(url)}"))
            return False
        self._post_to.set_result(url)
        return True

    async def _deliver_post(self, seq: int, data: bytes, message: Mapping[str, Any]) -> None:
        headers = {**self.endpoint.headers, "content-type": JSON, "accept": JSON}
        try:
            async with self._client.stream("POST", self._post_to.result(), headers, data) as response:
                about, _ = self._about(response)
                line = await self._read(response)
        except OSError as error:
            self._listener.unanswered(seq, Frame(NOTHING, 0, 0.0, (), {"status": 0, "failure": str(error)}))
            return
        if about["status"] >= 300:
            frame = self._frame(line, about)
            if frame is not None:
                self._listener.unanswered(seq, frame)
