"""Why did a URL not open a session? From the status, the headers and the words of the transport. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sealmark.reading.visible import visible

_SHOWN = 200


def diagnose_http(target: str, method: str, http: Mapping[str, Any]) -> tuple[str, str, str]:
    """Message, issue code and hint for a response that opened nothing, or for none.

    Args:
        target: the URL, safe to print.
        method: the request of the handshake.
        http: ``status`` (0 without a response), ``headers``, ``failure``.
    """
    status, headers = http.get("status", 0), http.get("headers", {})
    if not status:
        return unreachable(target, str(http.get("failure", "")))
    said = f"{target} answered {method} with HTTP {status}"
    if status in (401, 403):
        challenge = _short(headers.get("www-authenticate", ""))
        return (
            f"{said}{f' ({challenge})' if challenge else ''}",
            "HANDSHAKE_AUTH",
            "Pass credentials with --bearer-env NAME or --header-env 'Header=NAME'; renew those that were passed.",
        )
    if 300 <= status < 400:
        where = _short(headers.get("location", "")) or "nowhere"
        return (
            f"{said}, a redirect to {where}, which is not followed",
            "HANDSHAKE_INVALID",
            "Give the URL that is meant with --url.",
        )
    if status in (404, 405):
        return (
            f"{said}: there is no MCP endpoint",
            "TARGET_NOT_FOUND",
            "Check the path of the URL (often /mcp, or /sse for the older transport).",
        )
    if status >= 500:
        return said, "HANDSHAKE_INVALID", "The server fails on its first message; look at its log."
    media = _short(headers.get("content-type", "")) or "no content type"
    return (
        f"{said}, {media} and no JSON-RPC message",
        "HANDSHAKE_INVALID",
        "Is this the URL of an MCP endpoint? Try --transport sse for the older transport, or another --protocol.",
    )


def unreachable(target: str, failure: str) -> tuple[str, str, str]:
    """Message, issue code and hint for a URL that gave no response."""
    hint = "Check host, port and path, and that the server runs; with --start it is started for you."
    if "certificate" in failure.lower():
        hint = "Name the authority that signed the certificate with --ca-file FILE."
    return f"cannot reach {target}: {_short(failure) or 'no response'}", "TARGET_NOT_FOUND", hint


def _short(text: str) -> str:
    shown = visible(text, newlines="escape")
    return shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"
