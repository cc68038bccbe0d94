"""What the checks of this pack send, and how they read the answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sealmark.check import Group, Outcome, Target
from sealmark.packs.core.protocol.messages import CLIENT, MODERN_VERSION
from sealmark.record.model import Bind, Http, Observation

FOREIGN = "http://evil.example"
SESSION, VERSION = "Mcp-Session-Id", "MCP-Protocol-Version"
META = "io.modelcontextprotocol/"
LEGACY_VERSION = "2025-11-25"


def facts(target: Target) -> Mapping[str, Any]:
    """What the harness knows of the URL; empty for a server without one."""
    found: Mapping[str, Any] = target.facts.get("http", {})
    return found


def modern(target: Target) -> bool:
    """Whether the server speaks the era without sessions."""
    return target.gathered.surface.era == "modern"


def older(target: Target) -> bool:
    """Whether the server speaks the transport of 2024-11-05."""
    return target.gathered.server.transport == "sse"


def opening(target: Target, headers: Mapping[str, str] | None = None, **more: Any) -> Http:
    """The request by which any client begins: the handshake, discovery, or the stream of the older transport."""
    given = dict(headers or {})
    if older(target):
        return Http(method="GET", headers={"Accept": "text/event-stream", **given}, **more)
    if modern(target):
        return modern_request("server/discover", given, **more)
    params = {"protocolVersion": LEGACY_VERSION, "capabilities": {}, "clientInfo": CLIENT}
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    return Http(headers=given, body=body, **more)


def modern_request(
    method: str, headers: Mapping[str, str] | None = None, version: str = MODERN_VERSION, **more: Any
) -> Http:
    """A request of the modern era with its envelope; ``headers`` go over those that repeat the message."""
    meta = {META + "protocolVersion": version, META + "clientCapabilities": {}, META + "clientInfo": CLIENT}
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": meta}}
    return Http(headers={VERSION: version, "Mcp-Method": method, **(headers or {})}, body=body, **more)


def begun(target: Target) -> tuple[Http, Http]:
    """The handshake of a legacy session of its own; its id is `{bind.session}` from here on."""
    first = opening(target, bind=(Bind("session", "header:mcp-session-id"),))
    return first, in_session(target, "notifications/initialized")


def in_session(target: Target, method: str, headers: Mapping[str, str] | None = None, **more: Any) -> Http:
    """A message in that session, with the negotiated version; a request unless it is a notification."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    if not method.startswith("notifications/"):
        message["id"] = 2
    own = {SESSION: "{bind.session}", VERSION: target.gathered.surface.protocol_version}
    return Http(headers={**own, **(headers or {})}, body=message, **more)


def last(outcome: Outcome | None) -> Observation | None:
    """What the last step of a probe brought, None when it brought nothing."""
    found = (
        [seen for seen in outcome.observations if seen.outcome in ("result", "error")] if outcome is not None else []
    )
    return found[-1] if found and outcome is not None and found[-1].step == len(outcome.probe.steps) - 1 else None


def status(outcome: Outcome | None) -> int:
    """The status of the last answer, 0 without one."""
    seen = last(outcome)
    return int(seen.facts["status"]) if seen is not None and seen.facts else 0


def header(outcome: Outcome | None, name: str) -> str:
    """A header of the last answer, empty without one."""
    seen = last(outcome)
    return str(seen.facts["headers"].get(name, "")) if seen is not None and seen.facts else ""


def served(outcome: Outcome | None) -> bool:
    """Whether the last request was carried out: a status below 300, and no JSON-RPC error in it."""
    seen = last(outcome)
    return seen is not None and bool(seen.facts) and seen.facts["status"] < 300 and seen.facts["rpc"] != "error"


def case(group: Group, name: str) -> Outcome | None:
    """The outcome of the probe of one case."""
    found = group.case(name)
    return found[0] if found else None


def got(outcome: Outcome) -> str:
    """One line of evidence: what came back."""
    seen = last(outcome)
    if seen is None or not seen.facts:
        reasons = [seen.reason or seen.outcome for seen in outcome.observations]
        return f"{outcome.probe.case}: {reasons[-1] if reasons else 'not sent'}"
    kind = f", a JSON-RPC {seen.facts['rpc']}" if seen.facts["rpc"] else ""
    return f"{outcome.probe.case}: HTTP {seen.facts['status']}{kind}"
