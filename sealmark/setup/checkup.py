"""A server looked over the way a run would begin: started, met and listed, and nothing of it called."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

import msgspec

from sealmark.arrange import launch_of
from sealmark.bench.isolation import level
from sealmark.conductor import Conductor
from sealmark.configfile import Loaded, Prepared
from sealmark.errors import ConfigError, SealmarkError
from sealmark.record.model import RunRecord
from sealmark.settings import Origin, Settings
from sealmark.settings.integrity import assess, header
from sealmark.setup.probes import block_of
from sealmark.setup.suggestions import Suggestion, for_entry, for_error, suggestions

FORMAT = "sealmark.doctor/1"
CONNECT_SEC = 10
"""Seconds that the server gets to start unless somebody says otherwise: enough to see what is wrong."""

Status = Literal["ok", "warning", "failed"]


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that was looked at: what was seen, and for what failed, the code and what to do."""

    id: str
    status: Status
    detail: str
    code: str = ""
    hint: str = ""


class PackLine(msgspec.Struct, frozen=True):
    """Whether a pack would run, why, and how many probes it would send."""

    pack: str
    applies: bool
    reason: str
    probes: int


class Checkup(msgspec.Struct, frozen=True):
    """What was found out about one server."""

    server: str
    steps: tuple[Step, ...]
    packs: tuple[PackLine, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    stderr: str = ""

    @property
    def failed(self) -> bool:
        """Whether any step failed."""
        return any(step.status == "failed" for step in self.steps)

    def as_json(self) -> dict[str, Any]:
        """For machines; `format` is added by the caller."""
        return {
            "server": self.server,
            "ok": not self.failed,
            "steps": msgspec.to_builtins(self.steps),
            "packs": msgspec.to_builtins(self.packs),
            "packsApplied": [pack.pack for pack in self.packs if pack.applies],
            "suggestions": msgspec.to_builtins(self.suggestions),
        }


async def look_over(
    prepared: Prepared,
    loaded: Loaded,
    environ: Mapping[str, str],
    on_progress: Callable[[str, int, int], None] = lambda what, done, planned: None,
) -> Checkup:
    """Start one server as a run would, and say what works and what does not. Calls no tool."""
    settings = patient(prepared.settings)
    steps = [_configuration(prepared, loaded)]
    beside = Path(loaded.path).parent if loaded.path else Path()
    try:
        before = list(_before(settings, environ))
    except SealmarkError as error:
        steps.append(Step("variables", "failed", error.message, error.code, error.hint))
        return _ended(prepared, loaded, steps, for_error(error.code, error.hint, settings))
    steps += before
    if any(step.status == "failed" for step in before):
        return _ended(prepared, loaded, steps, for_error("TARGET_NOT_FOUND", "", settings))
    conductor = Conductor.of(msgspec.structs.replace(prepared, settings=settings), environ, on_progress=on_progress)
    try:
        record = await conductor.plan()
    except ConfigError as error:
        steps[0] = Step("configuration", "failed", error.message, error.code, error.hint)
        return _ended(prepared, loaded, steps, ())
    except SealmarkError as error:
        steps.append(Step("start", "failed", error.message, error.code, error.hint))
        return _ended(prepared, loaded, steps, for_error(error.code, error.hint, settings))
    steps += _met(record)
    packs = () if record.failure else tuple(_packs(record))
    found = suggestions(record, settings, beside)
    named = record.gathered.server.name if not loaded.several else ""
    return _ended(prepared, loaded, steps, found, packs, conductor.stderr, named)


def patient(settings: Settings) -> Settings:
    """The settings with the doctor's own patience, unless somebody chose one."""
    if settings.origin("timeouts.connect_sec").kind not in ("default", "profile"):
        return settings
    return settings.replace({"timeouts.connect_sec": CONNECT_SEC}, Origin("code", "doctor"))


def _ended(
    prepared: Prepared,
    loaded: Loaded,
    steps: list[Step],
    found: tuple[Suggestion, ...],
    packs: tuple[PackLine, ...] = (),
    stderr: str = "",
    named: str = "",
) -> Checkup:
    """The checkup, without secrets: suggestions quote the server's command line, which may hold some."""
    if loaded.several:
        found = tuple(for_entry(one, prepared.name) for one in found)
    clean = prepared.redact
    steps = [msgspec.structs.replace(step, detail=clean(step.detail), hint=clean(step.hint)) for step in steps]
    found = tuple(
        msgspec.structs.replace(one, why=clean(one.why), yaml=clean(one.yaml), flags=clean(one.flags)) for one in found
    )
    return Checkup(named or prepared.name, tuple(steps), packs, found, stderr)


# -- before anything is started


def _configuration(prepared: Prepared, loaded: Loaded) -> Step:
    where = loaded.path or "no file"
    integrity = assess(prepared.settings, prepared.plugins.build)
    return Step("configuration", "ok", f"{where}; a run would be {header(integrity)}")


def _before(settings: Settings, environ: Mapping[str, str]) -> Iterator[Step]:
    """The program and the variables.

    Raises:
        ConfigError: a variable is not set.
        UsageError: there is nothing that could be started.
    """
    if not settings["server.command"]:
        return
    launch = launch_of(settings, environ)
    names = sorted({*re.findall(r"\$\{(\w+)", " ".join(_texts(settings))), *settings["server.forward"]})
    yield Step("variables", "ok", f"set: {', '.join(names)}" if names else "none are needed")
    program = launch.argv[0]
    search = launch.env.get("PATH") or environ.get("PATH", os.defpath)
    found = shutil.which(program, path=search)
    if found is None:
        close = _close(program, search)
        hint = f"Did you mean {close}?" if close else "Install it, or write its whole path."
        lost = "is not on PATH" if "/" not in program else "is no program that can be run"
        yield Step("program", "failed", f"{settings['server.command']} {lost}", "TARGET_NOT_FOUND", hint)
    else:
        yield Step("program", "ok", found if os.path.isabs(program) else f"{program} is {found}")
    yield _isolation(settings["isolation"])


def _isolation(wanted: str) -> Step:
    """What can be had of what was asked for; a run says itself when it cannot begin."""
    can = level()
    says = f"{can.name}{f' ({can.reason})' if can.reason else ''}"
    if wanted == "none":
        return Step("isolation", "ok", f"not asked for; this machine could do: {says}")
    if wanted == "auto" or can.allows(wanted):
        return Step("isolation", "ok" if can.name == "full" else "warning", says)
    hint = "Type --isolate auto to go on with what there is, or --isolate none."
    return Step("isolation", "warning", f"{wanted} was asked for; this machine can do: {says}", "NO_ISOLATION", hint)


def _texts(settings: Settings) -> Iterator[str]:
    yield settings["server.command"] or ""
    yield from settings["server.args"]
    yield from settings["server.env"].values()
    yield from settings["server.headers"].values()
    yield settings["server.url"] or ""


def _close(program: str, search: str) -> str:
    """The program on PATH whose name is closest, or nothing."""
    if "/" in program:
        return ""
    names: set[str] = set()
    for folder in search.split(os.pathsep):
        try:
            names.update(os.listdir(folder))
        except OSError:
            continue
    return next(iter(get_close_matches(program, sorted(names), n=1, cutoff=0.75)), "")


# -- what came of the meeting


def _met(record: RunRecord) -> Iterator[Step]:
    failure = record.failure
    if failure is not None:
        yield Step("start", "failed", failure.message, failure.code, failure.hint)
        return
    gathered, surface = record.gathered, record.gathered.surface
    opened = next((session.opened_ms for session in gathered.sessions if session.opened_ms), 0)
    named = f"{surface.server_name} {surface.server_version}".strip() or "a server without a name"
    yield Step("start", "ok", f"{named} answered in {opened:.0f} ms; protocol {surface.protocol_version}")
    if database := gathered.facts.get("database"):
        about = f"{database['engine']} {database['version']} ({database['source']})"
        yield Step("database", "ok", f"{about} for {{dsn}}, with the roles {', '.join(database['roles'])}")
    yield _listed(record)
    yield _callable(record)
    yield from _manners(record)


def _listed(record: RunRecord) -> Step:
    surface = record.gathered.surface
    counts = f"{len(surface.tools)} tools, {len(surface.resources)} resources, {len(surface.prompts)} prompts"
    cut = [f"{listing.method} stopped: {listing.stopped_by}" for listing in surface.listings if listing.stopped_by]
    if cut:
        return Step("listing", "warning", f"{counts}; {'; '.join(cut)}")
    if not surface.tools:
        hint = "Without a tool only the core checks say anything."
        return Step("listing", "warning", counts, "NO_TOOLS", hint)
    return Step("listing", "ok", counts)


def _callable(record: RunRecord) -> Step:
    block = block_of(record)
    total = len(block.probes) + len(block.left_out)
    says = f"{len(block.probes)} of {total} tools can be called with valid arguments"
    if not block.left_out:
        return Step("arguments", "ok", says)
    first = block.left_out[0]
    return Step("arguments", "warning", f"{says}; not {first.tool}: {first.reason}")


def _manners(record: RunRecord) -> Iterator[Step]:
    """What the server wrote that it should not have, and what it left running."""
    sessions = record.gathered.sessions
    noise = sum(stray.count for session in sessions for stray in session.strays if stray.kind == "unparsable")
    if noise:
        hint = "Text for people belongs on stderr; the protocol check counts it."
        yield Step("stdout", "warning", f"{noise} lines on stdout are not JSON-RPC", "STDOUT_NOISE", hint)
    if record.gathered.server.transport != "stdio":
        return
    left = sorted({name for session in sessions for name in session.leftover})
    if left:
        yield Step("end", "warning", f"still running after its first process had ended: {', '.join(left)}")
    elif sessions and sessions[0].ended_by:
        yield Step("end", "ok", f"it did not end when its input closed; {sessions[0].ended_by} ended it")
    elif sessions:
        yield Step("end", "ok", "it ended when its input closed")


def _packs(record: RunRecord) -> Iterator[PackLine]:
    planned: dict[str, int] = {}
    for probe in record.gathered.probes:
        if probe.check != "surface":
            planned[probe.pack] = planned.get(probe.pack, 0) + 1
    for state in record.gathered.packs:
        yield PackLine(state.pack, state.applies, state.reason, planned.get(state.pack, 0))
