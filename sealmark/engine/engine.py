"""The engine: lanes of probes, one per session."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from sealmark.check.seen import succeeded
from sealmark.engine.budget import over_budget
from sealmark.engine.observe import Observer
from sealmark.engine.steps import STEPS, At
from sealmark.errors import ServerError
from sealmark.record.model import Limit, Look, Observation, Open, Probe, Restore, SessionFacts
from sealmark.wire.http import Answer
from sealmark.wire.replies import Opened
from sealmark.wire.session import Session

PARALLEL_SESSIONS = 4
REOPENINGS = 3
"""Openings in a row that may fail before a session is given up."""
HANGS = 2
"""Calls in a row without an answer after which a tool is not called again."""


class World(Protocol):
    """What the engine needs of the bench: sessions, per-run values, looks."""

    def session(self, pack: str, name: str) -> Session:
        """A new, unopened session of the server for one pack."""
        ...

    def values(self, pack: str, session: str) -> Mapping[str, str]:
        """What the marks of a plan stand for in one session of one pack."""
        ...

    def room(self, pack: str) -> str:
        """The pack whose sandbox this pack uses."""
        ...

    async def exchange(
        self, path: str, method: str, headers: Mapping[str, str], body: bytes, *, credentials: bool, seconds: float
    ) -> Answer:
        """One HTTP request to the server; OSError when it has no URL."""
        ...

    def look(self, pack: str, what: str) -> dict[str, Any]:
        """What changed, with per-run values marked."""
        ...

    def restore(self, pack: str, what: str) -> None:
        """Put a resource back as it was."""
        ...

    def tell(self, pack: str, what: str, how: Any) -> None:
        """Tell a resource how to behave until it is restored."""
        ...


@dataclass(slots=True)
class Lane:
    """One session's queue."""

    pack: str
    name: str
    probes: list[Probe] = field(default_factory=list)
    session: Session | None = None
    opened: Opened | None = None
    generation: int = 0
    failures: int = 0


@dataclass(frozen=True, slots=True)
class Bounds:
    """What the engine bears: seconds for an opening, a call, a whole pack; and how much of a listing.

    `calls_per_tool` and `calls_per_run` are budgets; None is no bound.
    """

    connect_sec: float = 60
    call_sec: float = 30
    pack_sec: float = 600
    pages: int = 1000
    items: int = 5000
    listing_mib: int = 32
    calls_per_tool: int | None = None
    calls_per_run: int | None = None


class Engine:
    """Executes probes for one run.

    Args:
        world: the bench and the wire.
        observer: turns replies into observations.
        bounds: deadlines and budgets.
        protocol: the era to open sessions in when a probe does not say.
        on_probe: called after each probe with (pack, done, planned), for progress.
    """

    def __init__(
        self,
        world: World,
        observer: Observer,
        bounds: Bounds,
        *,
        protocol: Literal["auto", "legacy", "modern"] = "auto",
        on_probe: Callable[[str, int, int], None] = lambda pack, done, planned: None,
    ) -> None:
        self.world, self.observer, self.bounds = world, observer, bounds
        self.protocol = protocol
        self.spent = Counter[str]()
        self.on_probe = on_probe
        self.lanes: dict[tuple[str, str], Lane] = {}
        self.sessions: list[SessionFacts] = []
        self.limits: dict[tuple[str, str], Limit] = {}
        self.listings: dict[str, list[Any]] = {}
        self.session_ids: dict[str, list[str]] = {}
        self.stop_reason = ""
        self.last_stderr = ""
        self._seen: dict[str, list[Observation]] = {}
        self._worked: dict[str, asyncio.Future[bool]] = {}
        self._hangs = Counter[str]()
        self._locks: dict[tuple[str, str], asyncio.Lock] = {}
        self._parallel = asyncio.Semaphore(PARALLEL_SESSIONS)
        self._pack_ends: dict[str, float] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._planned = 0

    async def execute(self, probes: Sequence[Probe]) -> list[Observation]:
        """Observations of these probes, in plan order. Sessions stay open for the next call."""
        cut = over_budget(
            probes, per_tool=self.bounds.calls_per_tool, per_run=self.bounds.calls_per_run, spent=self.spent
        )
        self._planned += len(probes)
        for probe in probes:
            self._seen[probe.id] = []
            self._worked[probe.id] = asyncio.get_running_loop().create_future()
            if probe.id in cut:
                self._leave_out(probe, cut[probe.id])
                continue
            lane = self.lanes.setdefault((probe.pack, probe.session), Lane(probe.pack, probe.session))
            lane.probes.append(probe)
        self._tasks = {asyncio.create_task(self._run_lane(lane)) for lane in self.lanes.values() if lane.probes}
        if self._tasks:
            done, _ = await asyncio.wait(self._tasks)
            for task in done:
                if not task.cancelled() and task.exception() is not None:
                    raise task.exception()  # type: ignore[misc]
        for lane in self.lanes.values():
            lane.probes.clear()
        for probe in probes:
            if not self._seen[probe.id]:
                self._leave_out(probe, self.stop_reason or "the session was given up")
        return [seen for probe in probes for seen in self._seen[probe.id]]

    def stop(self, reason: str) -> None:
        """Stop sending; what is running is abandoned and what is left is not sent, for this reason."""
        self.stop_reason = self.stop_reason or reason
        for task in self._tasks:
            task.cancel()

    async def close(self) -> None:
        """Close every session and note how each ended."""
        await asyncio.gather(*(self.end(lane) for lane in self.lanes.values()))

    # -- lanes ----------------------------------------------------------------------------------------------

    async def _run_lane(self, lane: Lane) -> None:
        async with self._parallel:
            for probe in lane.probes:
                if self.stop_reason:
                    self._leave_out(probe, self.stop_reason)
                    continue
                await self._run_probe(lane, probe)
                self.on_probe(lane.pack, sum(f.done() for f in self._worked.values()), self._planned)

    async def _run_probe(self, lane: Lane, probe: Probe) -> None:
        ends = self._pack_ends.setdefault(lane.pack, time.monotonic() + self.bounds.pack_sec)
        reason = await self._why_not(probe, ends)
        if reason:
            self._leave_out(probe, reason)
            return
        async with AsyncExitStack() as stack:
            if probe.resource:
                shared = (self.world.room(lane.pack), probe.resource)
                await stack.enter_async_context(self._locks.setdefault(shared, asyncio.Lock()))
            try:
                async with asyncio.timeout(max(0.0, ends - time.monotonic())):
                    await self._run_steps(lane, probe)
            except TimeoutError:
                self._note(probe, self.observer.without(probe, self._next_step(probe), "unsent", reason="pack-timeout"))
                await self.end(lane)
        self._finish(probe)

    async def _why_not(self, probe: Probe, ends: float) -> str:
        if time.monotonic() >= ends:
            return f"pack-timeout: {self.bounds.pack_sec:g} s"
        if probe.tool and self._hangs[probe.tool] >= HANGS:
            return f"tool-hung: {HANGS} calls in a row got no answer"
        if probe.requires:
            unwanted = probe.requires.startswith("!")
            names = probe.requires.removeprefix("!").split("|")
            worked = [name for name in names if name in self._worked and await self._worked[name]]
            if unwanted and worked:
                return f"control: {worked[0]} worked already"
            if not unwanted and not worked:
                return f"control: {', '.join(names)} did not work"
        return ""

    def _finish(self, probe: Probe) -> None:
        seen = self._seen[probe.id]
        worked = bool(seen) and all(succeeded(item) for item in seen)
        future = self._worked[probe.id]
        if not future.done():
            future.set_result(worked)
        if probe.tool:
            hung = any(item.outcome == "timeout" for item in seen)
            self._hangs[probe.tool] = self._hangs[probe.tool] + 1 if hung else 0

    def _leave_out(self, probe: Probe, reason: str) -> None:
        self._note(probe, self.observer.without(probe, 0, "unsent", reason=reason))
        future = self._worked[probe.id]
        if not future.done():
            future.set_result(False)

    def _note(self, probe: Probe, seen: Observation) -> None:
        self._seen[probe.id].append(seen)

    def _next_step(self, probe: Probe) -> int:
        return min(len(self._seen[probe.id]), len(probe.steps) - 1)

    # -- steps ----------------------------------------------------------------------------------------------

    async def _run_steps(self, lane: Lane, probe: Probe) -> None:
        values = dict(self.world.values(lane.pack, lane.name))
        for number, step in enumerate(probe.steps):
            try:
                seen = await STEPS[type(step)](At(self, lane, probe, number, values), step)
            except KeyError as missing:
                seen = self.observer.without(probe, number, "unsent", reason=f"no value for {missing}")
            self._note(probe, seen)
            if seen.outcome in ("timeout", "closed", "limit"):
                await self.end(lane)
            if seen.outcome in ("timeout", "closed", "limit", "unsent"):
                await self._look_anyway(lane, probe, number)
                return

    async def _look_anyway(self, lane: Lane, probe: Probe, after: int) -> None:
        """State decides: what a probe wanted to look at is looked at, and put back, even after an unanswered call."""
        for number, step in enumerate(probe.steps[after + 1 :], after + 1):
            if isinstance(step, Look | Restore):
                self._note(probe, await STEPS[type(step)](At(self, lane, probe, number, {}), step))

    async def ready(self, lane: Lane, opening: Open | None = None) -> Session:
        """The lane's open session.

        Raises:
            ServerError: it could not be opened.
        """
        if lane.session is not None and lane.session.alive and opening is None:
            return lane.session
        await self.end(lane)
        if lane.failures >= REOPENINGS:
            raise ServerError(f"the session could not be opened {REOPENINGS} times", code="SERVER_CRASHED")
        lane.generation += 1
        lane.session = self.world.session(lane.pack, lane.name)
        wanted = opening or Open(era=self.protocol)
        try:
            lane.opened = await lane.session.open(
                era=wanted.era,
                version=wanted.version,
                handshake=wanted.handshake,
                timeout=wanted.timeout_sec or self.bounds.connect_sec,
            )
        except ServerError:
            lane.failures += 1
            await self.end(lane)
            raise
        lane.failures = 0
        return lane.session

    async def end(self, lane: Lane) -> None:
        """Close a lane's session, if one is open, and note how it lived."""
        session, lane.session = lane.session, None
        if session is None:
            return
        closed = await session.close()
        self.last_stderr = self.observer.stderr(session)
        where = f"{lane.pack}/{lane.name}"
        self.sessions.append(self.observer.session(lane.pack, lane.name, lane.generation, session, lane.opened, closed))
        for name in session.limits:
            self.limits[name, where] = Limit(name, where=where)
