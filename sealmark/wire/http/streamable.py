"""Streamable HTTP: one POST for each message, answered by a body or a stream of events.

Legacy (2025-03-26 to 2025-11-25): the session id of the answer to ``initialize`` and the negotiated version go along
with every message, a GET stream brings what the server sends unasked, DELETE ends the session. Modern (2026-07-28):
no session; headers repeat version, method and name.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Any

from sealmark.wire import jsonrpc
from sealmark.wire.connection import Frame
from sealmark.wire.http import params
from sealmark.wire.http.base import EVENTS, NOTHING, HttpConnection
from sealmark.wire.http.client import JSON
from sealmark.wire.http.events import SentEvent
from sealmark.wire.lines import Line

FAREWELL_SECONDS = 2.0
SESSION = "mcp-session-id"
VERSION = "mcp-protocol-version"
META_VERSION = "io.modelcontextprotocol/protocolVersion"
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Methods of the modern era whose requests repeat a parameter in ``Mcp-Name``."""

_PLAIN = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")


class StreamableConnection(HttpConnection):
    """Talks to one MCP endpoint."""

    _params: dict[str, dict[str, str]] = {}

    async def _deliver_post(self, seq: int, data: bytes, message: Mapping[str, Any]) -> None:
        headers = {**self.endpoint.headers, "accept": f"{JSON}, {EVENTS}", "content-type": JSON}
        headers |= self._routing(message)
        last: Frame | None = None
        try:
            async with self._client.stream("POST", self.endpoint.url, headers, data) as response:
                about, media = self._about(response)
                self._keep(message, about)
                if media == EVENTS and response.status_code < 300:
                    last = await self._deliver_events(response, about, message)
                else:
                    last = self._deliver_body(await self._read(response), about, message)
        except OSError as error:
            lost = {"status": 0, "failure": str(error)}
            last = Frame(NOTHING, 0, 0.0, (), lost)
        if last is not None:
            self._listener.unanswered(seq, last)
        if message.get("method") == "notifications/initialized":
            self._begin(self._listen())

    def _deliver_body(self, line: Line, about: dict[str, Any], message: Mapping[str, Any]) -> Frame | None:
        """Deliver a body. An error without an id belongs to the request that it answers, so nobody else is asked."""
        parsed = jsonrpc.parse(line.data) if line.length and not line.cut else None
        self._learn(parsed, message)
        if parsed is not None and parsed.kind == "response" and parsed.message.get("id") is None:
            return self._frame(line, about)
        if parsed is not None and parsed.kind in ("response", "batch", "request", "notification"):
            return self._deliver(line, about)
        return self._frame(line, about)

    async def _deliver_events(self, response: Any, about: dict[str, Any], message: Mapping[str, Any]) -> Frame | None:
        wanted = jsonrpc.id_key(message.get("id"))
        last: Frame | None = Frame(NOTHING, 0, 0.0, (), about)

        def take(event: SentEvent) -> bool:
            nonlocal last
            parsed = jsonrpc.parse(event.line.data)
            self._learn(parsed, message)
            if event.line.length:
                self._deliver(event.line, about)
            answers = parsed.kind == "response" and jsonrpc.id_key(parsed.message.get("id")) == wanted
            return not answers or wanted is None

        await self._events(response, take)
        return None if self._over else last

    async def _listen(self) -> None:
        """The stream on which the server sends what nobody asked for; a server need not have one."""
        if self.era == "modern" or self._over:
            return
        headers = {**self.endpoint.headers, "accept": EVENTS, **self._routing({})}
        try:
            async with self._client.stream("GET", self.endpoint.url, headers) as response:
                about, media = self._about(response)
                if media == EVENTS and response.status_code < 300:
                    await self._events(response, lambda event: self._deliver(event.line, about) is not None)
        except OSError:
            return

    async def _farewell(self) -> None:
        if self.session_id and self.era != "modern":
            headers = {**self.endpoint.headers, **self._routing({})}
            await self._client.exchange("DELETE", self.endpoint.url, headers, seconds=FAREWELL_SECONDS)

    def _keep(self, message: Mapping[str, Any], about: Mapping[str, Any]) -> None:
        """Keep the session id that the answer to the handshake carries."""
        if message.get("method") == "initialize" and about["status"] < 300:
            self.session_id = about["headers"].get(SESSION, "")

    def _learn(self, parsed: jsonrpc.Parsed | None, message: Mapping[str, Any]) -> None:
        """Keep which arguments go into headers, and the version where a probe shakes hands itself."""
        result = parsed.message.get("result") if parsed is not None else None
        if message.get("method") == "tools/list" and self.era == "modern":
            self._params = {**self._params, **params.wanted(result)}
        if message.get("method") != "initialize" or self.era != "none":
            return
        found = result.get("protocolVersion") if isinstance(result, dict) else None
        self.version = found if isinstance(found, str) else self.version

    def _routing(self, message: Mapping[str, Any]) -> dict[str, str]:
        """The headers that say what a message is, and to which session it belongs."""
        method = message.get("method")
        if method == "initialize":
            return {}
        if self.era != "modern":
            found = {SESSION: self.session_id, VERSION: self.version}
            return {name: value for name, value in found.items() if _PLAIN.fullmatch(value)}
        given = message.get("params")
        given = given if isinstance(given, dict) else {}
        meta = given.get("_meta")
        version = meta.get(META_VERSION, self.version) if isinstance(meta, dict) else self.version
        repeated: dict[str, Any] = {
            VERSION: version,
            "mcp-method": method,
            "mcp-name": given.get(NAMED.get(str(method), "")),
        }
        if method == "tools/call":
            repeated |= params.values(given, self._params)
        return {name: encoded(value) for name, value in repeated.items() if isinstance(value, str)}


def encoded(value: str) -> str:
    """A text as the value of a header: as it is, or in base64 where it cannot stand there (2026-07-28, transports)."""
    if _PLAIN.fullmatch(value) and not value.startswith("=?base64?"):
        return value
    return f"=?base64?{base64.b64encode(value.encode('utf-8', 'surrogatepass')).decode()}?="
