"""The step that is a single HTTP request: sent beside every session, its status and a few headers kept as facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sealmark.reading.blocks import content_of
from sealmark.reading.session_ids import read_ids
from sealmark.record import marks
from sealmark.record.model import Http, Observation, Outcome
from sealmark.wire import jsonrpc
from sealmark.wire.http import Answer
from sealmark.wire.http.client import EVENTS, JSON
from sealmark.wire.http.streamable import SESSION

if TYPE_CHECKING:
    from sealmark.engine.steps import At

KEPT = (
    "content-type",
    "www-authenticate",
    "location",
    "allow",
    "access-control-allow-origin",
    "access-control-allow-credentials",
    "access-control-allow-headers",
    "access-control-allow-methods",
    "mcp-protocol-version",
    "strict-transport-security",
)
"""Response headers that a record keeps; of a session id it keeps a reading."""
HEADER_CHARACTERS = 300
BINDS = "header:"


async def http(at: At, step: Http) -> Observation:
    """Send one request and keep what a judge needs of the answer."""
    own = {"accept": f"{JSON}, {EVENTS}"} | ({"content-type": JSON} if step.body is not None else {})
    given = {name.lower(): marks.fill(value, at.values) for name, value in step.headers.items()}
    headers = {name: value for name, value in (own | given).items() if value}
    path = marks.fill(step.path, at.values)
    seconds = step.timeout_sec or at.engine.bounds.call_sec
    try:
        answer = await at.engine.world.exchange(
            path, step.method, headers, _body(step, at.values), credentials=step.credentials, seconds=seconds
        )
    except OSError as error:
        return at.without("unsent", reason=str(error))
    return _observed(at, step, answer)


def _body(step: Http, values: Mapping[str, str]) -> bytes:
    if step.body is None:
        return b""
    if isinstance(step.body, str):
        return marks.fill(step.body, values).encode("utf-8", "surrogatepass")
    return jsonrpc.encode(marks.fill_json(step.body, values))


def _observed(at: At, step: Http, answer: Answer) -> Observation:
    given_out = answer.headers.get(SESSION, "")
    ids = at.engine.session_ids.setdefault(at.probe.id, [])
    if given_out:
        ids.append(given_out)
        at.engine.observer.marks.learn("session_id", given_out)
    for bind in step.bind:
        at.values["bind." + bind.name] = answer.headers.get(bind.pointer.removeprefix(BINDS), "")
    if not answer.status:
        outcome: Outcome = "timeout" if answer.failure == "timeout" else "closed"
        return at.without(outcome, reason="" if outcome == "timeout" else answer.failure)
    parsed = answer.message
    error = parsed.message.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    text = answer.body.decode("utf-8", "replace")
    facts: dict[str, Any] = {
        "status": answer.status,
        "headers": {name: at.mark(answer.headers[name])[:HEADER_CHARACTERS] for name in KEPT if name in answer.headers},
        "rpc": ("error" if "error" in parsed.message else "result") if parsed.kind == "response" else "",
        **({"session": read_ids(ids)} if given_out else {}),
        **({"tls": answer.tls} if answer.tls else {}),
    }
    return at.without(
        "result" if answer.status < 300 else "error",
        facts=facts,
        body=at.engine.observer.keep(text) if text else "",
        error_code=code if isinstance(code, int) else None,
        sightings=at.engine.observer.sightings(at.probe.pack, content_of(parsed.message, ""), text),
    )
