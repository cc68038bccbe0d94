"""One conversation with one server: requests matched to replies, everything else kept apart and counted.

A reply answers a request only if it carries the request's id, of the same type. Every await is bounded by the clock of
the event loop; nothing here waits for the server's goodwill.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

from sealmark import __version__
from sealmark.processes import ProcessFacts
from sealmark.wire import jsonrpc
from sealmark.wire.connection import Connection, Frame, Sent, WireLimits
from sealmark.wire.handshake import open_session
from sealmark.wire.inbox import Inbox, Pending
from sealmark.wire.listing import list_all
from sealmark.wire.replies import Closed, Era, Handshake, Listing, Opened, Outcome, Reply
from sealmark.wire.transcript import Transcript

META = "io.modelcontextprotocol/"
CLIENT = {"name": "sealmark", "version": __version__}
_LARGEST_ID = 2**31
_NEVER_CANCELLED = frozenset({"initialize", "server/discover"})


class Session(Inbox):
    """A session over the connection that ``connect`` makes; a fresh one is made when a handshake killed the first.

    Attributes:
        transcript: everything on the wire, over restarts.
        target: the command line or the URL of the server, once `open` was called.
        era: ``legacy``, ``modern`` or ``none``, once open.
        protocol_version: what was negotiated, empty before.

    What came unasked is in the attributes of `sealmark.wire.inbox.Inbox`.
    """

    def __init__(
        self,
        connect: Callable[[Transcript], Connection],
        *,
        transcript: Transcript | None = None,
        limits: WireLimits | None = None,
        redact: Callable[[bytes], bytes] | None = None,
        client: Mapping[str, str] = CLIENT,
    ) -> None:
        super().__init__(limits)
        self.transcript = transcript or Transcript()
        self.protocol_version = ""
        self.redact = redact or (lambda data: data)
        self.client = dict(client)
        self.target = ""
        self._connect = connect
        self._connection: Connection | None = None
        self._closed: Closed | None = None
        self._limits: tuple[str, ...] = ()
        self._last_id = 0

    # ---- life ----

    async def open(
        self,
        *,
        era: Era = "auto",
        version: str = "",
        handshake: Handshake = "full",
        timeout: float = 30.0,
    ) -> Opened:
        """Start the server and negotiate.

        Args:
            era: ``auto`` tries ``initialize`` and then ``server/discover``; ``none`` sends nothing.
            version: the protocol version to offer, by default the newest of the era.
            handshake: ``no-initialized`` leaves out ``notifications/initialized``, ``none`` sends nothing.
            timeout: seconds for all of it.

        Raises:
            ServerError: the server did not start or did not answer; its processes are gone by then.
        """
        return await open_session(self, era=era, version=version, handshake=handshake, timeout=timeout)

    async def connect(self) -> None:
        """Make a connection and start it, after closing the one before; used by the handshake.

        Raises:
            OSError: the server cannot be started.
        """
        if self._connection is not None:
            await self._connection.close()
        connection = self._connect(self.transcript)
        self.target = connection.target
        self._limits = self.limits
        self.renew()
        await connection.start(self)
        self._connection = connection

    def settle(self, era: Era, version: str) -> None:
        """Fix the era and the protocol version; used by the handshake."""
        self.era, self.protocol_version = era, version
        if self._connection is not None:
            self._connection.settle(era, version)

    async def close(self) -> Closed:
        """End the server and all its processes; a second call returns what the first one did."""
        if self._closed is None:
            if self._connection is None:
                self._closed = Closed()
            else:
                ended = await self._connection.close()
                self._closed = msgspec.convert(msgspec.structs.asdict(ended), Closed)
            self.ended(self.limit)
            self.transcript.close()
        return self._closed

    async def wait_ended(self, timeout: float) -> bool:
        """Wait until the server ends or ``timeout`` seconds have passed; True if it has ended."""
        try:
            await asyncio.wait_for(self.over.wait(), timeout)
        except TimeoutError:
            return False
        return True

    # ---- talking ----

    async def request(
        self,
        method: str,
        params: Any = None,
        *,
        timeout: float,
        id: str | int | None = None,
        meta: Mapping[str, Any] | None = None,
        bare: bool = False,
    ) -> Reply:
        """Send a request and wait for its reply, at most ``timeout`` seconds in all.

        Args:
            method: of the request.
            params: of the request, sent as they are but for ``_meta``.
            timeout: seconds; a request that timed out is cancelled, except a handshake.
            id: by default the next integer of the session.
            meta: entries to put into ``params._meta``.
            bare: leave out the ``_meta`` that the modern era requires.
        """
        if id is None:
            self._last_id += 1
            id = self._last_id
        message = jsonrpc.request(method, self._with_meta(params, meta, bare), id=id)
        reply = await self._exchange(message, Pending(jsonrpc.id_key(id), False), timeout)
        if reply.outcome == "timeout" and method not in _NEVER_CANCELLED:
            self.post(jsonrpc.notification("notifications/cancelled", {"requestId": id, "reason": "timed out"}))
        return reply

    async def raw(
        self, data: bytes, *, expect_id: str | int | None = None, wait_any: bool = False, timeout: float
    ) -> Reply:
        """Send bytes as they are and wait for the reply to ``expect_id``.

        With ``wait_any`` the first response that answers nobody else counts too, whatever its id, and so does a
        batch. With neither, the outcome is ``timeout`` when the server is still there after ``timeout`` seconds.
        """
        key = None if expect_id is None else jsonrpc.id_key(expect_id)
        return await self._exchange(data, Pending(key, wait_any), timeout)

    async def notify(self, method: str, params: Any = None, *, timeout: float = 5.0) -> bool:
        """Send a notification; False if it could not be written whole within ``timeout`` seconds."""
        if self._connection is None or self.over.is_set():
            return False
        message = jsonrpc.notification(method, params)
        return (await self._send(message, timeout, None)).complete

    async def list_all(
        self,
        method: str,
        key: str,
        *,
        timeout: float,
        max_pages: int = 500,
        max_items: int = 5000,
        max_bytes: int = 32 * 1024 * 1024,
    ) -> Listing:
        """Page a listing to its end or to a limit; ``timeout`` is for the whole listing, in seconds."""
        return await list_all(
            self, method, key, timeout=timeout, max_pages=max_pages, max_items=max_items, max_bytes=max_bytes
        )

    # ---- facts ----

    @property
    def alive(self) -> bool:
        """Whether the server can still answer."""
        return self._connection is not None and not self.over.is_set()

    @property
    def remote(self) -> bool:
        """Whether the server is reached by a URL."""
        return self.target.startswith(("http://", "https://"))

    @property
    def exit_code(self) -> int | None:
        """The exit code of the server's process, None while it runs."""
        return self._connection.exit_code if self._connection else None

    @property
    def limits(self) -> tuple[str, ...]:
        """Names of the limits of `WireLimits` that the server exceeded."""
        now = self._connection.limits if self._connection else ()
        return tuple(dict.fromkeys(self._limits + now))

    @property
    def stderr_head(self) -> bytes:
        """The first bytes of stderr."""
        return self._connection.stderr[0] if self._connection else b""

    @property
    def stderr_tail(self) -> bytes:
        """The last bytes of stderr, without those that are in the head."""
        return self._connection.stderr[1] if self._connection else b""

    @property
    def stderr_bytes(self) -> int:
        """How much the server has written to stderr."""
        return self._connection.stderr[2] if self._connection else 0

    @property
    def logs(self) -> bool:
        """Whether what the server writes to stderr is seen in this session."""
        return self._connection is not None and self._connection.logs

    @property
    def tag(self) -> str:
        """The tag of the server's processes, for `sealmark.processes.living`."""
        return self._connection.tag if self._connection else ""

    def living(self) -> list[ProcessFacts]:
        """Every live process of the server's tree."""
        return self._connection.living() if self._connection else []

    # ---- within ----

    def _with_meta(self, params: Any, meta: Mapping[str, Any] | None, bare: bool) -> Any:
        """Merge ``_meta``; params that are no object, or whose ``_meta`` is none, stay as they are."""
        entries: dict[str, Any] = {}
        if self.era == "modern" and not bare:
            entries = {META + "protocolVersion": self.protocol_version, META + "clientCapabilities": {}}
            entries[META + "clientInfo"] = self.client
        entries |= meta or {}
        own = params.get("_meta", {}) if isinstance(params, dict) else {}
        if not entries or not isinstance(own, dict) or not (params is None or isinstance(params, dict)):
            return params
        return {**(params or {}), "_meta": {**entries, **own}}

    def post(self, message: Mapping[str, Any]) -> bool:
        """Write a message without waiting; False if that is not possible."""
        if self._connection is None or self.over.is_set():
            return False
        try:
            return self._connection.post(jsonrpc.encode(message))
        except ValueError:  # an id of the server's, nested beyond writing
            return False

    async def _send(self, data: Mapping[str, Any] | bytes, timeout: float, until: asyncio.Future[Any] | None) -> Sent:
        assert self._connection is not None
        deadline = asyncio.get_running_loop().time() + timeout
        if isinstance(data, bytes):
            return await self._connection.send(data, deadline=deadline, until=until)
        return await self._connection.send(jsonrpc.encode(data), deadline=deadline, until=until, message=data)

    async def _exchange(self, data: Mapping[str, Any] | bytes, pending: Pending, timeout: float) -> Reply:
        if self._connection is None or self.over.is_set():
            return Reply("unsent", exit_code=self.exit_code, limit=self.limit)
        if pending.key is not None and pending.key[0] == "int":
            self._last_id = max(self._last_id, min(int(pending.key[1]), _LARGEST_ID))  # never asked twice
        if pending.key is not None and any(other.key == pending.key for other in self.pending):
            raise ValueError(f"a request with the id {pending.key[1]!r} is under way")
        self.pending.append(pending)
        alarm = asyncio.get_running_loop().call_later(timeout, pending.resolve, "late")
        try:
            sent = await self._send(data, timeout, pending.future)
            pending.sent = sent.seq
            if not sent.complete and not pending.future.done():
                await self.wait_ended(min(timeout, 1.0))  # a server that died of the message is about to be noticed
                pending.resolve("late")
            arrived = await pending.future
        finally:
            alarm.cancel()
            self.pending.remove(pending)
        return self._reply(pending, sent, arrived)

    def _reply(self, pending: Pending, sent: Sent, arrived: Frame | Literal["late"] | None) -> Reply:
        elapsed = round(max(0.0, time.perf_counter() - sent.at) * 1000, 3)
        if not isinstance(arrived, Frame):
            outcome: Outcome = "timeout" if arrived == "late" else "limit" if self.limit else "closed"
            if sent.seq == 0 and outcome != "limit":
                outcome = "unsent"
            self.expire(pending)
            flags = () if sent.complete or outcome == "unsent" else ("partly-sent",)
            return Reply(
                outcome,
                flags=flags,
                elapsed_ms=elapsed,
                sent=sent.seq,
                exit_code=self.exit_code,
                limit=self.limit,
            )
        parsed = pending.parsed or jsonrpc.Parsed("invalid", None)
        outcome = _outcome(parsed)
        limit = ""
        if parsed.kind == "invalid":
            beyond = ("line-bytes",) if arrived.line.cut else tuple(jsonrpc.BEYOND & set(parsed.flags))
            outcome, limit = ("limit", beyond[0]) if beyond else (_without_message(arrived, pending), "")
        return Reply(
            outcome,
            parsed.message or None,
            arrived.line.data,
            arrived.line.length,
            tuple(dict.fromkeys(parsed.flags + arrived.flags)),
            round(max(0.0, arrived.at - sent.at) * 1000, 3),
            sent.seq,
            arrived.seq,
            self.exit_code,
            limit,
            arrived.transport,
        )


def _without_message(frame: Frame, pending: Pending) -> Outcome:
    """What an HTTP response that carries no reply is: a refusal by its status, an acceptance, or no answer."""
    status = (frame.transport or {}).get("status", 0)
    if not status:
        return "closed"
    if status >= 300:
        return "error"
    return "timeout" if pending.key is not None else "result"


def _outcome(parsed: jsonrpc.Parsed) -> Outcome:
    members = parsed.value if isinstance(parsed.value, list) else [parsed.message]
    failed = [member for member in members if isinstance(member, dict) and "error" in member]
    return "error" if failed and len(failed) == len(members) else "result"
