"""Why did a server not start? From what was seen to a message, an issue code and a hint. Pure; runs nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from sealmark.reading.visible import visible
from sealmark.wire.complaints import missing_variables, not_found, refused
from sealmark.wire.diagnose_http import diagnose_http, unreachable

_STDERR_LINES = 5
_LINE = 300


class StartFacts(msgspec.Struct, frozen=True):
    """What was seen of a start that failed.

    Attributes:
        target: the command line or the URL.
        spawn_error: the operating system's words if nothing could be started.
        method: the request of the handshake that failed.
        outcome: of that request, see `sealmark.wire.replies.Reply`.
        exit_code: of the process, None while it runs.
        message: the reply, if one came.
        limit: the limit that ended the session, if one did.
        stderr: what the server wrote there, redacted.
        noise_count: lines on stdout that were not JSON-RPC.
        noise: the first of them, redacted.
        timeout_sec: what was granted.
        elapsed_ms: from the start to the failure.
        http: what HTTP says about the reply: ``status``, ``headers``, ``failure``; None for stdio and for a silence.
    """

    target: str = ""
    spawn_error: str = ""
    method: str = "initialize"
    outcome: str = ""
    exit_code: int | None = None
    message: dict[str, Any] | None = None
    limit: str = ""
    stderr: str = ""
    noise_count: int = 0
    noise: tuple[bytes, ...] = ()
    timeout_sec: float = 0
    elapsed_ms: float = 0
    http: Mapping[str, Any] | None = None

    @property
    def remote(self) -> bool:
        """Whether the target is a URL."""
        return self.target.startswith(("http://", "https://"))


class Diagnosis(msgspec.Struct, frozen=True):
    """What to tell: the message, the issue code, and one hint."""

    message: str
    code: str
    hint: str


def diagnose(facts: StartFacts) -> Diagnosis:
    """Say what happened and what to type next.

    Codes: TARGET_NOT_FOUND, TARGET_EXITED, HANDSHAKE_TIMEOUT, HANDSHAKE_AUTH, HANDSHAKE_INVALID, STDOUT_NOISE,
    ENV_MISSING.
    """
    target = _short(facts.target)
    if facts.spawn_error and facts.remote:
        return Diagnosis(*unreachable(target, facts.spawn_error))
    if facts.http is not None and (facts.message is None or facts.http.get("status") in (401, 403)):
        return Diagnosis(*diagnose_http(target, facts.method, facts.http))
    if facts.spawn_error:
        return Diagnosis(
            f"cannot start {target}: {_short(facts.spawn_error)}",
            "TARGET_NOT_FOUND",
            "Check the spelling of the command and that it is installed and on PATH.",
        )
    if facts.message is not None:
        return _refused(facts, target)
    if facts.outcome in ("closed", "unsent") and facts.exit_code is not None:
        return _exited(facts, target)
    if facts.outcome == "limit":
        return Diagnosis(
            f"{target} exceeded the limit {facts.limit} before it answered {facts.method}{_tail(facts)}",
            "HANDSHAKE_INVALID",
            "The server must write nothing but JSON-RPC messages to stdout, and little of it before it is asked.",
        )
    if facts.outcome in ("closed", "unsent"):
        return Diagnosis(
            f"{target} closed its streams before it answered {facts.method} and still runs{_tail(facts)}",
            "HANDSHAKE_INVALID",
            "A stdio server must read stdin and write stdout until its input ends.",
        )
    return _silent(facts, target)


def _exited(facts: StartFacts, target: str) -> Diagnosis:
    how = f"exited with code {facts.exit_code}"
    if facts.exit_code is not None and facts.exit_code < 0:
        how = f"was killed by signal {-facts.exit_code}"
    message = f"{target} {how} before it answered {facts.method}"
    words = not_found(facts.stderr)
    if words:
        return Diagnosis(
            f"{message}: {words}{_tail(facts)}",
            "TARGET_NOT_FOUND",
            "Check the name and the version in the start command.",
        )
    missing = missing_variables(facts.stderr)
    if missing:
        names = ", ".join(missing[:5])
        return Diagnosis(
            f"{message}: it needs the environment variable {names}{_tail(facts)}",
            "ENV_MISSING",
            f"Set it and pass it on with {' '.join(f'--env {name}' for name in missing[:5])}.",
        )
    if refused(facts.stderr):
        return Diagnosis(
            f"{message}: its credentials were refused{_tail(facts)}",
            "HANDSHAKE_AUTH",
            "Pass the server's credentials on with --env NAME.",
        )
    return Diagnosis(
        f"{message}{_tail(facts)}",
        "TARGET_EXITED",
        "Run the start command by itself to see why it ends; it must wait for input on stdin.",
    )


def _refused(facts: StartFacts, target: str) -> Diagnosis:
    """Diagnose a reply that came and opened nothing."""
    message = facts.message or {}
    shown = _short(json.dumps(message.get("error", message.get("result")), ensure_ascii=False, default=str))
    if "error" not in message:
        return Diagnosis(
            f"{target} answered {facts.method} with a result that the protocol does not allow: {shown}",
            "HANDSHAKE_INVALID",
            "The result must be an object that names the protocol version; try another era with --protocol.",
        )
    if refused(shown):
        return Diagnosis(
            f"{target} refused {facts.method}: {shown}",
            "HANDSHAKE_AUTH",
            "Pass the server's credentials on with --env NAME, or configure the ones for its URL.",
        )
    return Diagnosis(
        f"{target} answered {facts.method} with an error: {shown}",
        "HANDSHAKE_INVALID",
        "If the server speaks only one era of the protocol, name it with --protocol legacy or --protocol 2026-07-28.",
    )


def _silent(facts: StartFacts, target: str) -> Diagnosis:
    granted = f"{facts.timeout_sec:g} s"
    missing = missing_variables(facts.stderr)
    also = f" Its stderr names {', '.join(missing[:3])}: pass it on with --env {missing[0]}." if missing else ""
    if facts.noise_count:
        return Diagnosis(
            f"{target} wrote {facts.noise_count} line(s) to stdout that are not JSON-RPC and did not answer "
            f"{facts.method} within {granted}{_tail(facts)}",
            "STDOUT_NOISE",
            f"Is this an MCP server on stdio? Its messages for people belong on stderr.{also}",
        )
    return Diagnosis(
        f"{target} did not answer {facts.method} within {granted}{_tail(facts)}",
        "HANDSHAKE_TIMEOUT",
        f"If it only needs longer to start, raise --connect-timeout.{also}",
    )


def _tail(facts: StartFacts) -> str:
    """Quote the first line of noise on stdout and the last lines of stderr, made safe to print."""
    if facts.remote and not facts.stderr:
        return ""
    noise = _short(facts.noise[0].decode("utf-8", "replace")) if facts.noise else ""
    begins = f"; its stdout begins: {noise}" if noise else ""
    lines = [line for line in visible(facts.stderr).split("\n") if line.strip()]
    if not lines:
        return f"{begins}; its stderr is empty"
    quoted = "\n".join(f"  | {line[:_LINE]}" for line in lines[-_STDERR_LINES:])
    return f"{begins}\nits stderr ends:\n{quoted}"


def _short(text: str) -> str:
    shown = visible(text, newlines="escape")
    return shown if len(shown) <= _LINE else shown[:_LINE] + "…"
