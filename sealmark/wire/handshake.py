"""Begin a session in one of the two eras of the protocol.

Legacy (2024-11-05 to 2025-11-25): ``initialize``, then ``notifications/initialized``. Modern (2026-07-28): no
handshake; ``server/discover`` tells what the server can do, and every request carries the envelope in ``_meta``.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import msgspec

from sealmark.errors import ServerError
from sealmark.wire.diagnose import StartFacts, diagnose
from sealmark.wire.replies import Era, Handshake, Opened, Reply

if TYPE_CHECKING:
    from sealmark.wire.session import Session

LEGACY_VERSION = "2025-11-25"
MODERN_VERSION = "2026-07-28"
PROBE_SECONDS = 3.0


async def open_session(session: Session, *, era: Era, version: str, handshake: Handshake, timeout: float) -> Opened:
    """Start the server of a session and negotiate; see `Session.open`."""
    began = time.perf_counter()
    try:
        await session.connect()
    except OSError as error:
        raise _failure(session, began, timeout, StartFacts(spawn_error=error.strerror or str(error))) from error
    if era == "none" or handshake == "none":
        return Opened("none", "", {}, _since(began))
    opening = _Opening(session, began, timeout)
    try:
        if era == "modern":
            return await opening.modern(version or MODERN_VERSION, timeout)
        return await opening.legacy(version or LEGACY_VERSION, handshake, auto=era == "auto")
    except BaseException:
        await session.close()
        raise


class _Opening:
    """One attempt at a session, possibly on two processes."""

    def __init__(self, session: Session, began: float, timeout: float) -> None:
        self.session = session
        self.began = began
        self.timeout = timeout
        self.restarted = False

    async def legacy(self, version: str, handshake: Handshake, *, auto: bool) -> Opened:
        session = self.session
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": session.client}
        reply = await session.request("initialize", params, timeout=self.timeout)
        result = reply.result
        if isinstance(result, dict) and isinstance(result.get("protocolVersion"), str):
            session.settle("legacy", result["protocolVersion"])
            if handshake == "full":
                await session.notify("notifications/initialized")
            return self._opened("legacy", result["protocolVersion"], reply)
        error = await self._error("initialize", reply)
        refused = reply.outcome == "error" and error.code != "HANDSHAKE_AUTH"
        if auto and (refused or (reply.outcome == "closed" and error.code == "TARGET_EXITED")):
            opened = await self._instead(reply)
            if opened is not None:
                return opened
        raise error

    async def modern(self, version: str, timeout: float) -> Opened:
        session = self.session
        session.settle("modern", version)
        reply = await session.request("server/discover", {}, timeout=timeout)
        result = reply.result
        supported = result.get("supportedVersions", [version]) if isinstance(result, dict) else []
        if isinstance(supported, list) and version in supported:
            return self._opened("modern", version, reply)
        raise await self._error("server/discover", reply)

    async def _instead(self, reply: Reply) -> Opened | None:
        """Try the modern era after ``initialize`` failed; on a fresh process if the server died of it."""
        seconds = PROBE_SECONDS
        if reply.outcome == "closed":
            seconds += time.perf_counter() - self.began
            self.restarted = True
            try:
                await self.session.connect()
            except OSError:
                return None
        try:
            return await self.modern(MODERN_VERSION, min(seconds, self.timeout))
        except ServerError:
            self.session.settle("none", "")
            return None

    def _opened(self, era: Era, version: str, reply: Reply) -> Opened:
        result = reply.result if isinstance(reply.result, dict) else {}
        return Opened(era, version, result, _since(self.began), self.restarted, reply)

    async def _error(self, method: str, reply: Reply) -> ServerError:
        if reply.outcome in ("timeout", "closed", "limit", "unsent"):
            await self.session.wait_ended(0.5)
        facts = StartFacts(
            method=method,
            outcome=reply.outcome,
            exit_code=reply.exit_code if reply.exit_code is not None else self.session.exit_code,
            message=reply.message,
            limit=reply.limit,
            http=reply.transport,
        )
        return _failure(self.session, self.began, self.timeout, facts)


def _failure(session: Session, began: float, timeout: float, facts: StartFacts) -> ServerError:
    count, noise = session.stdout_noise
    stderr = session.redact(session.stderr_head + session.stderr_tail).decode("utf-8", "replace")
    facts = msgspec.structs.replace(
        facts,
        target=session.redact(session.target.encode("utf-8", "surrogateescape")).decode("utf-8", "replace"),
        message=_redacted(session, facts.message),
        stderr=stderr,
        noise_count=count,
        noise=tuple(session.redact(line) for line in noise),
        timeout_sec=timeout,
        elapsed_ms=_since(began),
    )
    found = diagnose(facts)
    message = session.redact(found.message.encode("utf-8", "surrogateescape")).decode("utf-8", "replace")
    return ServerError(message, hint=found.hint, code=found.code, stderr=stderr)


def _redacted(session: Session, message: dict[str, Any] | None) -> dict[str, Any] | None:
    """A message without secrets, before a diagnosis quotes a part of it."""
    if message is None:
        return None
    try:
        clean = json.loads(session.redact(json.dumps(message).encode()))
    except (ValueError, RecursionError):
        clean = None
    return clean if isinstance(clean, dict) else {"error": "not shown"}


def _since(began: float) -> float:
    return round((time.perf_counter() - began) * 1000, 3)
