"""The listening half of a session: every message from the server goes to who waits for it, or is kept apart."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Literal

from sealmark.wire import jsonrpc
from sealmark.wire.connection import Frame, WireLimits
from sealmark.wire.replies import Era, ServerRequest, Stray

_HEAD = 2048
_NOISE_LINES, _NOISE_BYTES = 5, 512
_METHOD = 200


class Pending:
    """A caller that waits for one reply."""

    def __init__(self, key: tuple[str, str] | None, any_reply: bool) -> None:
        self.future: asyncio.Future[Frame | Literal["late"] | None] = asyncio.get_running_loop().create_future()
        self.key = key
        self.any_reply = any_reply
        self.parsed: jsonrpc.Parsed | None = None
        self.sent = 0

    def resolve(self, value: Frame | Literal["late"] | None, parsed: jsonrpc.Parsed | None = None) -> None:
        """Wake the caller with a frame, with None when the session has ended, or with ``late``."""
        if not self.future.done():
            self.parsed = parsed
            self.future.set_result(value)


class Inbox(ABC):
    """Sorts what comes in. A `sealmark.wire.connection.Listener`.

    Attributes:
        era: decides whether the requests of a server may be answered.
        strays: lines that answered nothing, the first of them; ``stray_count`` counts all.
        server_requests: requests from the server, the first of them; ``server_request_count`` counts all.
        notifications: notifications by method, the first methods of them; ``notification_count`` counts all.
        notified: their lines one after another, as far as `WireLimits.notified_keep` goes.
        pending: the callers that wait.
        over: set once nothing more will come from the connection.
        limit: the limit that ended the connection, empty if none did.
    """

    def __init__(self, limits: WireLimits | None) -> None:
        self.era: Era = "none"
        self.strays: list[Stray] = []
        self.stray_count = 0
        self.server_requests: list[ServerRequest] = []
        self.server_request_count = 0
        self.notifications: dict[str, int] = {}
        self.notification_count = 0
        self.notified = bytearray()
        self.pending: list[Pending] = []
        self._caps = limits or WireLimits()
        self._answered: set[tuple[str, str]] = set()
        self._late: set[tuple[str, str]] = set()
        self.renew()

    def renew(self) -> None:
        """Begin again with a fresh connection; what was counted stays, noise is forgotten."""
        self.over, self.limit = asyncio.Event(), ""
        self._noise: list[bytes] = []
        self._noise_count = 0

    @abstractmethod
    def post(self, message: Mapping[str, Any]) -> bool:
        """Write a message without waiting; False if that is not possible."""

    @property
    def stdout_noise(self) -> tuple[int, tuple[bytes, ...]]:
        """How many lines on stdout were not JSON-RPC, and the first few of them."""
        return self._noise_count, tuple(self._noise)

    def expire(self, pending: Pending) -> None:
        """Remember the id of a caller who gave up, so that a late reply is known as one."""
        if pending.key is not None:
            self._late.add(pending.key)

    def frame(self, frame: Frame) -> None:
        """Sort one message from the server."""
        if frame.line.cut:
            self._unreadable(frame, "too-long", frame.flags)
            return
        parsed = jsonrpc.parse(frame.line.data)
        beyond = [flag for flag in parsed.flags if flag in jsonrpc.BEYOND]
        if beyond:
            self._unreadable(frame, beyond[0], parsed.flags)
        elif parsed.kind == "response":
            self._response(frame, parsed)
        elif parsed.kind == "notification":
            self._notification(frame, parsed.message["method"])
        elif parsed.kind == "request":
            self._server_request(frame, parsed)
        elif parsed.kind == "batch":
            self._offer(frame, parsed, "batch")
        else:
            self._stray("blank" if "blank" in parsed.flags else "unparsable", frame, parsed.flags)
            self._noise_count += 1
            if len(self._noise) < _NOISE_LINES:
                self._noise.append(frame.line.data[:_NOISE_BYTES])

    def unanswered(self, sent: int, frame: Frame) -> None:
        """Wake the caller whose message, sent as event ``sent``, will get no reply beside this frame.

        An error without an id that stands in the frame is that reply.
        """
        parsed = jsonrpc.parse(frame.line.data) if frame.line.length and not frame.line.cut else None
        own = parsed is not None and (
            (parsed.kind == "response" and parsed.message.get("id") is None) or bool(jsonrpc.BEYOND & set(parsed.flags))
        )
        for pending in self.pending:
            if pending.sent == sent:
                pending.resolve(frame, parsed if own else None)

    def ended(self, limit: str) -> None:
        """Wake everybody: nothing more will come."""
        self.limit = self.limit or limit
        self.over.set()
        for pending in self.pending:
            pending.resolve(None)

    def _response(self, frame: Frame, parsed: jsonrpc.Parsed) -> None:
        given = parsed.message.get("id")
        key = jsonrpc.id_key(given)
        if key is not None:
            for pending in self.pending:
                if pending.key == key and not pending.future.done():
                    self._answered.add(key)
                    pending.resolve(frame, parsed)
                    return
        kind = "unmatched"
        for flag in ("no-id", "id-null", "bad-id"):
            kind = flag if flag in parsed.flags else kind
        if key in self._answered or key in self._late:
            self._stray("duplicate" if key in self._answered else "late", frame, parsed.flags)
        else:
            self._offer(frame, parsed, kind)

    def _offer(self, frame: Frame, parsed: jsonrpc.Parsed, kind: str) -> None:
        """Give what matches no id to the first caller that takes anything, else keep it as a stray."""
        for pending in self.pending:
            if pending.any_reply and not pending.future.done():
                pending.resolve(frame, parsed)
                return
        self._stray(kind, frame, parsed.flags)

    def _unreadable(self, frame: Frame, kind: str, flags: tuple[str, ...]) -> None:
        """End the wait of the one caller to whom a line that exceeds a limit of ours can belong."""
        waiting = [pending for pending in self.pending if not pending.future.done()]
        if len(waiting) == 1:
            waiting[0].resolve(frame, jsonrpc.Parsed("invalid", None, flags))
        else:
            self._stray(kind, frame, flags)

    def _notification(self, frame: Frame, method: str) -> None:
        self.notification_count += 1
        if len(self.notified) + len(frame.line.data) < self._caps.notified_keep:
            self.notified += frame.line.data + b"\n"
        name = method[:_METHOD]
        if name in self.notifications or len(self.notifications) < self._caps.notes:
            self.notifications[name] = self.notifications.get(name, 0) + 1

    def _server_request(self, frame: Frame, parsed: jsonrpc.Parsed) -> None:
        """Answer at once: ping with an empty result, all else with a refusal; nothing in the modern era.

        Sources: 2025-11-25 basic/lifecycle and basic/utilities/ping; 2026-07-28 basic/transports (a client writes no
        responses).
        """
        method, id = parsed.message["method"], parsed.message["id"]
        answer = (
            jsonrpc.result_reply(id, {})
            if method == "ping"
            else jsonrpc.error_reply(id, jsonrpc.METHOD_NOT_FOUND, "not supported: no capability was declared")
        )
        answered = self.era != "modern" and jsonrpc.id_key(id) is not None and self.post(answer)
        self.server_request_count += 1
        if len(self.server_requests) < self._caps.notes:
            self.server_requests.append(ServerRequest(method[:_METHOD], frame.seq, answered))
        self._stray("request", frame, parsed.flags, method[:_METHOD])

    def _stray(self, kind: str, frame: Frame, flags: tuple[str, ...], method: str = "") -> None:
        self.stray_count += 1
        if len(self.strays) < self._caps.notes:
            line = frame.line
            flags = tuple(dict.fromkeys(flags + frame.flags))
            self.strays.append(Stray(kind, frame.seq, line.data[:_HEAD], line.length, method, flags))
