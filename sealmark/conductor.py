"""The whole story of one server on one page: open the bench, meet the server, plan, execute, judge.

Gathering and judging meet only here. Whatever happens, sessions are closed and the bench is gone before judging begins,
and a record comes out: complete, partial, failed or interrupted.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from sealmark import __version__
from sealmark.arrange import (
    ERAS,
    bounds_of,
    chosen,
    chosen_facts,
    corpus_problems,
    launch_of,
    named,
    pack_state,
    recorded_settings,
    server_facts,
    staged_files,
    surface_problems,
    wire_limits_of,
)
from sealmark.bench import Bench
from sealmark.bench.parts import parts_of
from sealmark.check import Check, Pack, Seen, Target
from sealmark.check.seen import CUT
from sealmark.compare.fingerprint import stamp
from sealmark.configfile import Prepared
from sealmark.engine import Engine
from sealmark.engine.observe import Observer
from sealmark.errors import ConfigError, SealmarkError, ServerError
from sealmark.judging.judge import outcomes
from sealmark.judging.regrade import judged
from sealmark.packs import PACKS
from sealmark.packs.custom import PACK as OWN
from sealmark.packs.custom import coverage, with_own
from sealmark.packs.custom.mistakes import probe_problems
from sealmark.record.model import (
    SCHEMA,
    Classified,
    Failure,
    Gathered,
    ListAll,
    Observation,
    Open,
    PackState,
    Probe,
    RunRecord,
    ServerFacts,
    Status,
    Surface,
)
from sealmark.settings import Settings
from sealmark.surface.classify import classify
from sealmark.surface.meeting import LISTINGS, meeting_probe
from sealmark.surface.surface import build_surface
from sealmark.wire.sidecar import SidecarFile
from sealmark.wire.transcript import Transcript

FOLLOW_UPS = 2
"""Rounds of follow-up probes at most."""

STDERR_SHOWN = 2048
"""Characters of a failed server's stderr that the record keeps: the last ones."""


@dataclass
class Story:
    """What a run has gathered so far; complete at any moment, so that an interrupted run still has a record."""

    server: ServerFacts
    surface: Surface = field(default_factory=Surface)
    facts: dict[str, Any] = field(default_factory=dict)
    packs: tuple[PackState, ...] = ()
    classified: tuple[Classified, ...] = ()
    probes: list[Probe] = field(default_factory=list)
    observations: list[Observation] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def _refuse(problems: Sequence[str]) -> None:
    if problems:
        raise ConfigError(problems)


class Conductor:
    """Runs one server from settings.

    Args:
        settings: of this server.
        environ: the user's environment.
        redact: replaces secrets in everything that is kept.
        packs: what to run; by default all that this build has.
        plugins: module -> hash of its source, for the plugins among them.
        on_progress: called with (what is running, probes done, probes planned).
        warnings: of the configuration, which the record keeps.
        transcript: takes every event of every session.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        environ: Mapping[str, str],
        redact: Callable[[str], str] | None = None,
        packs: Sequence[Pack] = PACKS,
        plugins: Mapping[str, str] | None = None,
        on_progress: Callable[[str, int, int], None] = lambda what, done, planned: None,
        warnings: Iterable[str] = (),
        transcript: SidecarFile | None = None,
    ) -> None:
        self.settings, self.environ, self.redact = settings, environ, redact
        self.transcript = transcript
        self.packs = with_own(packs, settings["probes"])
        self.plugins = dict(plugins or {})
        self.on_progress = on_progress
        self.story = Story(server_facts(settings), warnings=list(warnings))
        self.engine: Engine | None = None
        self.stopped = ""
        self.bench: Bench | None = None
        self.stderr = ""

    @classmethod
    def of(cls, server: Prepared, environ: Mapping[str, str], **watching: Any) -> Conductor:
        """The conductor of a server that the configuration prepared; `watching` is on_progress and transcript."""
        return cls(
            server.settings,
            environ=environ,
            redact=server.redact,
            packs=server.plugins.packs,
            plugins=server.plugins.digests,
            warnings=server.warnings,
            **watching,
        )

    def stop(self, reason: str) -> None:
        """Stop as soon as possible; the record is then marked interrupted. Safe to call at any time on the loop."""
        self.stopped = self.stopped or reason
        if self.engine is not None:
            self.engine.stop(reason)

    async def run(self) -> RunRecord:
        """The record of the run, judged. A server that cannot be started gives a failed record, not an exception."""
        record = await self._record(execute=True)
        return stamp(judged(record, tool_version=__version__, packs=self.packs))

    def failed(self, error: SealmarkError) -> RunRecord:
        """The record of a run that an error kept from beginning, so that it does not stop the runs of other servers."""
        redact = self.redact or (lambda text: text)
        failure = Failure(error.code, redact(error.message), redact(error.hint))
        return stamp(self._with(self._gathered(), failure, datetime.now(UTC), 0))

    async def plan(self) -> RunRecord:
        """The record of what would be sent: the server is met and listed, and nothing of the plan is carried out."""
        return await self._record(execute=False)

    async def inventory(self) -> RunRecord:
        """The record of what the server offers: it is met and listed, and nothing is planned."""
        self.packs = ()
        return await self._record(execute=False)

    async def _record(self, *, execute: bool) -> RunRecord:
        started, clock = datetime.now(UTC), time.monotonic()
        failure: Failure | None = None
        try:
            gathered = await self._gather(execute=execute)
        except ServerError as error:
            gathered = self._gathered()
            self.stderr = error.stderr
            if not self.stopped:
                failure = Failure(error.code, error.message, error.hint, error.stderr[-STDERR_SHOWN:])
        return self._with(gathered, failure, started, time.monotonic() - clock)

    def _with(self, gathered: Gathered, failure: Failure | None, started: datetime, seconds: float) -> RunRecord:
        return RunRecord(
            schema=SCHEMA,
            tool_version=__version__,
            started_at=started.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            duration_ms=round(seconds * 1000),
            status=self._status(gathered, failure),
            gathered=gathered,
            failure=failure,
        )

    # -- gathering ------------------------------------------------------------------------------------------------

    async def _gather(self, *, execute: bool) -> Gathered:
        settings = self.settings
        _refuse(corpus_problems(settings, self.packs))
        with self._open_bench() as bench:
            self.bench = bench
            self.story.facts = bench.facts() | self._chosen_facts()
            observer = Observer(bench.marks, bench.owned)
            self.engine = engine = Engine(
                bench,
                observer,
                bounds_of(settings),
                protocol=ERAS[settings["server.protocol"]],
                on_probe=self.on_progress,
            )
            deadline = settings["timeouts.deadline_sec"]
            alarm = asyncio.get_running_loop().call_later(deadline, self.engine.stop, "deadline") if deadline else None
            try:
                await bench.fetch(settings["timeouts.connect_sec"])
                await bench.serve(lambda: engine.stop_reason)
                self._reached(bench)
                await self._meet(engine)
                self._prepare(observer)
                planned = self._plan(Target(self._gathered(engine)))
                if execute:
                    await self._execute(engine, planned)
                else:
                    self.story.probes += planned
            finally:
                if alarm is not None:
                    alarm.cancel()
                try:
                    await engine.close()
                finally:
                    await bench.unserve()
            return self._gathered(engine)

    def _reached(self, bench: Bench) -> None:
        """Note how a server behind a URL is spoken to."""
        if bench.served is not None:
            self.story.facts |= bench.facts()
            self.story.server = msgspec.structs.replace(self.story.server, transport=bench.served.transport)

    def _chosen_facts(self, tools: Sequence[str] = ()) -> dict[str, Any]:
        return chosen_facts(self.settings, tools) | ({"plugins": self.plugins} if self.plugins else {})

    def _open_bench(self) -> Bench:
        settings = self.settings
        wanted = [pack.id for pack in self.packs if chosen(pack, settings) or pack.id == OWN]
        packs = tuple(dict.fromkeys(["core", *wanted]))
        launch = launch_of(settings, self.environ)
        return Bench(
            launch,
            self.environ,
            packs,
            parts=parts_of(settings, launch, packs, self.environ),
            files=staged_files(settings, self.environ),
            sandbox_dir=Path(settings["sandbox.dir"]) if settings["sandbox.dir"] else None,
            keep=settings["sandbox.keep"],
            big_mib=settings["checks.fs-size-cap.file_mib"],
            redact=self.redact,
            limits=wire_limits_of(settings),
            transcript=self._transcript,
        )

    def _transcript(self, pack: str, name: str) -> Transcript:
        """The transcript of one session; what goes into the file is marked, unless nothing is to be hidden."""
        if self.transcript is None:
            return Transcript()
        assert self.bench is not None
        redact = self.bench.marks.mark if self.settings["output.redact"] else None
        server = self.settings["server.name"]
        return Transcript(
            sidecar=self.transcript.session("/".join([*([server] if server else []), pack, name]), redact)
        )

    async def _meet(self, engine: Engine) -> None:
        """Open the main session, list what is offered, and build the surface.

        Raises:
            ServerError: the server did not start or did not answer.
        """
        self.on_progress("start", 0, 0)
        opening = meeting_probe("open", Open(era=engine.protocol))
        (opened,) = await self._send(engine, [opening])
        if opened.outcome != "opened":
            facts = opened.facts or {}
            raise ServerError(
                facts.get("message", opened.reason or "the server was not started"),
                hint=facts.get("hint", ""),
                code=facts.get("code", "TARGET_NOT_FOUND"),
                stderr=engine.last_stderr,
            )
        result = opened.facts["result"]
        capabilities = result.get("capabilities") if isinstance(result.get("capabilities"), dict) else {}
        asked = [
            meeting_probe(case, ListAll(method, key))
            for case, method, key, capability in LISTINGS
            if case == "tools" or capability in capabilities
        ]
        listed = await self._send(engine, asked)
        engine.protocol = opened.facts["era"]
        marks = engine.observer.marks
        listings = {
            probe.steps[0].method: {  # type: ignore[union-attr]
                "items": marks.mark_json(engine.listings.get(probe.id, [])),
                "pages": (seen.facts or {}).get("pages", 0),
                "stopped_by": (seen.facts or {}).get("stoppedBy", seen.outcome),
            }
            for probe, seen in zip(asked, listed, strict=True)
        }
        self.story.surface = build_surface(
            result, listings, era=opened.facts["era"], protocol_version=opened.facts["protocolVersion"]
        )
        self.story.server = named(self.story.server, self.story.surface)

    def _prepare(self, observer: Observer) -> None:
        """Classify the tools, and tell the observer about them.

        Raises:
            ConfigError: the configuration says of a tool what cannot be.
        """
        settings, surface = self.settings, self.story.surface
        wrong, odd = surface_problems(settings, surface.tools)
        left_out = self._chosen_facts([tool.name for tool in surface.tools])["excluded_tools"]
        wrong += probe_problems(settings, surface.tools, left_out)
        _refuse(wrong)
        self.story.warnings += odd
        overrides = settings["tools.overrides"]
        self.story.classified = tuple(
            classify(tool, overrides.get(tool.name, {})) for tool in surface.tools if tool.name
        )
        self.story.facts |= self._chosen_facts([tool.name for tool in surface.tools])
        observer.tools = {tool.name: tool for tool in surface.tools}

    def _plan(self, target: Target) -> list[Probe]:
        self.story.packs = tuple(pack_state(pack, target, self.settings) for pack in self.packs)
        asked = [probe for pack, check in self._applying(target) for probe in check.plan(target.bound(pack.id, check))]
        return [*asked, *(coverage(target) if self.packs else ())]

    def _applying(self, target: Target) -> Iterable[tuple[Pack, Check]]:
        applying = {state.pack for state in self.story.packs if state.applies}
        for pack in self.packs:
            for check in pack.checks:
                if pack.id in applying and target.setting(f"checks.{check.id}.enabled", True):
                    yield pack, check

    async def _execute(self, engine: Engine, planned: list[Probe]) -> None:
        await self._send(engine, planned)
        for number in range(1, FOLLOW_UPS + 1):
            target = Target(self._gathered(engine))
            every = outcomes(target.gathered)
            known = {probe.id for probe in self.story.probes}
            more = [
                msgspec.structs.replace(probe, round=number)
                for pack, check in self._applying(target)
                if check.follow_up is not None
                for probe in check.follow_up(
                    target.bound(pack.id, check), Seen(target.bound(pack.id, check), check, every)
                )
                if probe.id not in known
            ]
            if not more or self.stopped:
                return
            await self._send(engine, more)

    async def _send(self, engine: Engine, probes: list[Probe]) -> list[Observation]:
        self.story.probes += probes
        seen = await engine.execute(probes)
        self.story.observations += seen
        return seen

    # -- the record -----------------------------------------------------------------------------------------------

    def _gathered(self, engine: Engine | None = None) -> Gathered:
        story, engine = self.story, engine or self.engine
        order = {pack.id: index for index, pack in enumerate(self.packs)}
        sessions = sorted(
            engine.sessions if engine else (), key=lambda s: (order.get(s.pack, 99), s.name, s.generation)
        )
        return Gathered(
            server=story.server,
            surface=story.surface,
            facts=story.facts,
            settings=recorded_settings(self.settings),
            classified=story.classified,
            packs=story.packs,
            probes=tuple(story.probes),
            observations=tuple(story.observations),
            sessions=tuple(sessions),
            bodies=dict(sorted(engine.observer.bodies.items())) if engine else {},
            limits=tuple(limit for _, limit in sorted(engine.limits.items())) if engine else (),
            warnings=tuple(story.warnings),
        )

    def _status(self, gathered: Gathered, failure: Failure | None) -> Status:
        if self.stopped:
            return "interrupted"
        if failure is not None:
            return "failed"
        cut = any(seen.reason.startswith(CUT) for seen in gathered.observations)
        return "partial" if cut else "complete"
