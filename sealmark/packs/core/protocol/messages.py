"""What the plan writes: raw lines, names that no server has, the revisions of the protocol."""

from __future__ import annotations

import json
from typing import Any

PUBLISHED = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Revisions of the legacy era, oldest first. 2024-10-07 was a preview and counts as unpublished."""
MODERN_VERSION = "2026-07-28"
PREFIX = "io.modelcontextprotocol/"
CLIENT = {"name": "sealmark", "version": "1"}

NO_METHOD = "sealmark/no-such-method"
NO_TOOL = "sealmark-no-such-tool"
NO_CURSOR = "sealmark-no-such-cursor"
NO_PROMPT = "sealmark-no-such-prompt"
NO_URI = "sealmark://no-such-resource"
NO_VERSION = "1999-01-01"

IDS: tuple[str | int, ...] = ("sealmark-text", 0, -7, 9007199254740991)
"""Ids that a request may have: a text, zero, a negative number, the largest integer that a double holds exactly."""

LISTENING = "sealmark-listen"
"""The id of a subscription, whose answer nobody waits for."""

GENTLE = frozenset(("ids", "notifications", "listen", "order"))
"""Cases whose raw lines are all proper messages."""

LISTINGS = (
    ("tools", "tools/list", "tools"),
    ("resources", "resources/list", "resources"),
    ("templates", "resources/templates/list", "resourceTemplates"),
    ("prompts", "prompts/list", "prompts"),
)
"""Name of the fact probe, method, member of the result."""


def envelope(**changes: Any) -> dict[str, Any]:
    """The `_meta` of a modern request; a change to None leaves the entry out."""
    entries: dict[str, Any] = {"protocolVersion": MODERN_VERSION, "clientCapabilities": {}, "clientInfo": CLIENT}
    return {PREFIX + key: value for key, value in {**entries, **changes}.items() if value is not None}


def line(method: str, request_id: str | int | None, params: dict[str, Any] | None = None, *, modern: bool) -> str:
    """One message as a line; a notification when the id is None."""
    message: dict[str, Any] = {"jsonrpc": "2.0"}
    if request_id is not None:
        message["id"] = request_id
    message["method"] = method
    if modern:
        params = {**(params or {}), "_meta": envelope()}
    return json.dumps(message if params is None else {**message, "params": params})


def alive(request_id: str | int, *, modern: bool) -> str:
    """A request that every server of the era answers, to see that it lives."""
    return line("server/discover" if modern else "ping", request_id, modern=modern)
