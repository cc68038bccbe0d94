"""The steps of a probe: one function each, and the table that the engine looks them up in."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from sealmark.engine.requests import http
from sealmark.errors import ServerError
from sealmark.reading.payload import read_sought
from sealmark.reading.protocol import invalid_shape
from sealmark.record import marks
from sealmark.record.model import (
    Bind,
    Call,
    Close,
    Http,
    Limit,
    ListAll,
    Look,
    Notify,
    Observation,
    Open,
    Outcome,
    Probe,
    Raw,
    Request,
    Restore,
    Step,
    Tell,
    Wait,
)
from sealmark.surface.digests import digests
from sealmark.wire.replies import Listing, Reply
from sealmark.wire.session import Session

if TYPE_CHECKING:
    from sealmark.engine.engine import Engine, Lane

Asker = Callable[[Session], Awaitable[Reply]]


@dataclass(frozen=True, slots=True)
class At:
    """Where a step is carried out: which probe, which of its steps, on which lane, with which values for its marks."""

    engine: Engine
    lane: Lane
    probe: Probe
    number: int
    values: dict[str, str]

    def without(self, outcome: Outcome, **more: Any) -> Observation:
        """An observation of this step that has no reply."""
        generation = self.lane.generation or 1
        return self.engine.observer.without(self.probe, self.number, outcome, generation=generation, **more)

    def reply(self, reply: Reply, session: Session) -> Observation:
        """The observation of a reply to this step."""
        return self.engine.observer.reply(
            self.probe, self.number, reply, version=session.protocol_version, generation=self.lane.generation
        )

    def mark(self, value: Any) -> Any:
        """`value` with per-run values marked."""
        return self.engine.observer.marks.mark_json(value)


async def open_session(at: At, step: Open) -> Observation:
    """Opens the lane's session as the probe says."""
    try:
        await at.engine.ready(at.lane, step)
    except ServerError as error:
        facts = {"code": error.code, "message": at.mark(error.message), "hint": at.mark(error.hint)}
        return at.without("closed", reason=error.message, facts=facts)
    opened = at.lane.opened
    if opened is None or opened.era == "none":
        return at.without("done")
    facts = {"era": opened.era, "protocolVersion": at.mark(opened.protocol_version), "result": at.mark(opened.result)}
    return at.without("opened", facts=facts, elapsed_ms=opened.elapsed_ms)


async def _with_session(at: At, use: Callable[[Session], Awaitable[Observation]]) -> Observation:
    try:
        session = await at.engine.ready(at.lane)
    except ServerError as error:
        return at.without("unsent", reason=f"no session: {error.message}")
    return await use(session)


async def _ask(at: At, ask: Asker, binds: Sequence[Bind] = (), sought: Mapping[str, Any] | None = None) -> Observation:
    async def use(session: Session) -> Observation:
        reply = await ask(session)
        for bind in binds:
            at.values["bind." + bind.name] = value_at(reply.message, bind.pointer)
        seen = at.reply(reply, session)
        if not sought or reply.message is None:
            return seen
        return msgspec.structs.replace(seen, facts=read_sought(reply.message, sought))

    return await _with_session(at, use)


async def call(at: At, step: Call) -> Observation:
    """`tools/call`."""
    params = {"name": marks.fill(step.tool, at.values), "arguments": marks.fill_json(step.arguments, at.values)}
    timeout = step.timeout_sec or at.engine.bounds.call_sec
    sought = marks.fill_json(step.sought, at.values)
    return await _ask(at, lambda session: session.request("tools/call", params, timeout=timeout), step.bind, sought)


async def request(at: At, step: Request) -> Observation:
    """Any request."""
    params = None if step.params is None else marks.fill_json(step.params, at.values)
    timeout = step.timeout_sec or at.engine.bounds.call_sec
    return await _ask(
        at, lambda session: session.request(step.method, params, timeout=timeout, bare=step.bare), step.bind
    )


async def raw(at: At, step: Raw) -> Observation:
    """Bytes as they are."""
    data = marks.fill(step.text, at.values).encode("utf-8", "surrogatepass") + (b"\n" if step.newline else b"")
    timeout = step.timeout_sec or at.engine.bounds.call_sec
    seen = await _ask(
        at,
        lambda session: session.raw(data, expect_id=step.expect, wait_any=step.any_reply, timeout=timeout),
    )
    refused = at.lane.session is not None and at.lane.session.remote and seen.outcome == "error"
    return at.without("done") if step.optional and (seen.outcome == "timeout" or refused) else seen


async def notify(at: At, step: Notify) -> Observation:
    """A notification."""
    params = None if step.params is None else marks.fill_json(step.params, at.values)

    async def use(session: Session) -> Observation:
        await session.notify(step.method, params)
        return at.without("done")

    return await _with_session(at, use)


async def list_all(at: At, step: ListAll) -> Observation:
    """A listing, paged to its end."""

    async def use(session: Session) -> Observation:
        bounds = at.engine.bounds
        caps = {"max_pages": bounds.pages, "max_items": bounds.items, "max_bytes": bounds.listing_mib * 2**20}
        listing = await session.list_all(step.method, step.key, timeout=bounds.connect_sec, **caps)
        at.engine.listings[at.probe.id] = list(listing.items)
        if f"max_{listing.stopped_by}" in caps:
            limit = Limit(f"listing {listing.stopped_by}", str(caps[f"max_{listing.stopped_by}"]), step.method)
            at.engine.limits[limit.name, limit.where] = limit
        return _listed(at, step, listing, session)

    return await _with_session(at, use)


def _listed(at: At, step: ListAll, listing: Listing, session: Session) -> Observation:
    replies = [at.reply(reply, session) for reply in listing.replies]
    if not replies:
        return at.without("unsent", reason="nothing was asked")
    if len(replies) == 1 and replies[0].outcome != "result":
        return replies[0]
    results = [reply.result for reply in listing.replies if isinstance(reply.result, dict)]
    problems = [invalid_shape(step.method, session.protocol_version, result) for result in results]
    facts = {
        "items": len(listing.items),
        "pages": listing.pages,
        "stoppedBy": listing.stopped_by or "",
        "problems": at.mark([problem for problem in problems if problem]),
        "repeated": listing.stopped_by == "cursor-loop",
        "cursors": sorted({type(result.get("nextCursor")).__name__ for result in results if "nextCursor" in result}),
        "oddities": listing.oddities,
        "digests": digests(at.mark(item) for item in listing.items),
    }
    return at.without(
        "listing",
        facts=facts,
        body=replies[-1].body,
        flags=tuple(dict.fromkeys(flag for seen in replies for flag in seen.flags)),
        sightings=tuple(sighting for seen in replies for sighting in seen.sightings),
        elapsed_ms=sum(seen.elapsed_ms for seen in replies),
    )


PROCESSES = "processes"
"""What a look watches that no bench can: the processes of the session's tree."""

MAX_PROCESSES = 64
"""Names of processes that one look reports."""


async def look(at: At, step: Look) -> Observation:
    """What changed in something that the harness owns, or which processes of the session's tree are alive."""
    if step.what == PROCESSES:
        session = at.lane.session
        living = await asyncio.to_thread(session.living) if session is not None else []
        names = sorted(facts.name for facts in living)[:MAX_PROCESSES]
        return at.without("look", facts={"processes": at.mark(names)})
    facts = await asyncio.to_thread(at.engine.world.look, at.lane.pack, step.what)
    return at.without("look", facts=facts)


async def restore(at: At, step: Restore) -> Observation:
    """Put a resource back."""
    await asyncio.to_thread(at.engine.world.restore, at.lane.pack, step.what)
    return at.without("done")


async def wait(at: At, step: Wait) -> Observation:
    """Let time pass, or less when the session ends."""
    if at.lane.session is not None:
        await at.lane.session.wait_ended(step.seconds)
    return at.without("done")


async def tell(at: At, step: Tell) -> Observation:
    """Tell something of the bench how to behave."""
    await asyncio.to_thread(at.engine.world.tell, at.lane.pack, step.what, step.how)
    return at.without("done")


async def close(at: At, step: Close) -> Observation:
    """Close the session, and look through what its server logged."""
    session = at.lane.session
    await at.engine.end(at.lane)
    if not step.sought or session is None:
        return at.without("done")
    kept = session.stderr_head + session.stderr_tail + b"\n" + bytes(session.notified)
    logged = kept.decode("utf-8", "replace").lower()
    whole = session.logs and session.stderr_bytes <= len(session.stderr_head) + len(session.stderr_tail)
    held = [marks.fill(text, at.values).lower() in logged for text in step.sought]
    return at.without("look", facts={"log": held, "whole": whole})


STEPS: Mapping[type[Step], Callable[[At, Any], Awaitable[Observation]]] = {
    Open: open_session,
    Call: call,
    Request: request,
    Notify: notify,
    Raw: raw,
    Http: http,
    ListAll: list_all,
    Look: look,
    Restore: restore,
    Tell: tell,
    Wait: wait,
    Close: close,
}


def value_at(message: Any, pointer: str) -> str:
    """The text at a JSON pointer of a reply; empty when there is none."""
    for part in pointer.strip("/").split("/"):
        if isinstance(message, list) and part.isdigit() and int(part) < len(message):
            message = message[int(part)]
        elif isinstance(message, dict):
            message = message.get(part)
        else:
            return ""
    return message if isinstance(message, str) else "" if message is None else str(message)
