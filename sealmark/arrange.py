"""From settings to what the bench, the wire and the engine take, and to what the record keeps of them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Literal

import msgspec

from sealmark.bench import Launch
from sealmark.check import Pack, Target
from sealmark.engine import Bounds
from sealmark.errors import UsageError
from sealmark.record.model import PackState, ServerFacts, Setting, Surface
from sealmark.settings import Settings
from sealmark.settings.references import resolve
from sealmark.settings.secrets import shown
from sealmark.settings.table import row_of
from sealmark.wire.connection import WireLimits

ERAS: Mapping[str, Literal["auto", "legacy", "modern"]] = {"auto": "auto", "legacy": "legacy", "2026-07-28": "modern"}

RECORDED_SERVER_KEYS = frozenset({"server.rootless", "server.protocol"})
"""Keys of the server's section that a judgement reads; the others stand in `ServerFacts`."""


def launch_of(settings: Settings, environ: Mapping[str, str]) -> Launch:
    """How the server is started. `${NAME}` references are filled from `environ`; nothing here is ever recorded.

    Raises:
        UsageError: the settings name no command.
        ConfigError: a referenced variable is not set.
    """
    filled = resolve(settings, environ)
    command = filled["server.command"]
    if not command:
        raise UsageError(
            "no server to run",
            hint='Type: sealmark run --start "<command line>", or write a sealmark.yaml with `sealmark init`.',
        )
    return Launch(
        argv=(command, *filled["server.args"]),
        env=dict(filled["server.env"]),
        inherit=tuple(settings["sandbox.inherit"]),
        cwd=filled["server.cwd"] or "",
        confined=settings["sandbox.enabled"],
    )


def bounds_of(settings: Settings) -> Bounds:
    """The engine's deadlines and budgets."""
    return Bounds(
        connect_sec=settings["timeouts.connect_sec"],
        call_sec=settings["timeouts.call_sec"],
        pack_sec=settings["timeouts.pack_sec"],
        pages=settings["limits.pages"],
        items=settings["limits.tools"],
        listing_mib=settings["limits.listing_mib"],
        calls_per_tool=settings["budgets.calls_per_tool"],
        calls_per_run=settings["budgets.calls_per_run"],
    )


def wire_limits_of(settings: Settings) -> WireLimits:
    """How much of the server one session bears."""
    return WireLimits(
        line_bytes=settings["limits.line_mib"] * 2**20,
        frames=settings["limits.events"],
        bytes=settings["limits.session_mib"] * 2**20,
        stderr_bytes=settings["limits.stderr_mib"] * 2**20,
    )


def server_facts(settings: Settings) -> ServerFacts:
    """What the record says of how the server was started: as written, nothing expanded, secrets left out."""
    command = (settings["server.command"], *shown(settings, "server.args")) if settings["server.command"] else ()
    return ServerFacts(
        name=settings["server.name"] or "",
        version=settings["server.version"] or "",
        command=command,
        url=shown(settings, "server.url") or "",
        env=shown(settings, "server.env"),
        package=package_of(command),
        invented=bool(settings["server.invented"]),
    )


_NPM = re.compile(r"(@[\w.-]+/)?[a-z0-9][\w.-]*(@[\w.^~-]+)?")
_PYPI = re.compile(r"[A-Za-z0-9][\w.-]*(\[[\w,-]+\])?((==|@)[\w.+!-]+)?")


def package_of(command: Sequence[str]) -> str:
    """The registry package that a command line names (`npm:@scope/name@1.2.3`, `pypi:name==1.0`), or nothing."""
    words = [word for word in command[1:] if word not in ("-y", "--yes", "-q", "--quiet", "exec", "tool", "run")]
    if not command or not words:
        return ""
    program = command[0].rsplit("/", 1)[-1]
    if program in ("npx", "npm") and _NPM.fullmatch(words[0]):
        return f"npm:{words[0]}"
    if program in ("uvx", "uv", "pipx"):
        named = words[words.index("--from") + 1] if "--from" in words[:-1] else words[0]
        if _PYPI.fullmatch(named):
            return f"pypi:{named}"
    return ""


def named(server: ServerFacts, surface: Surface) -> ServerFacts:
    """`server` with the name and version that the surface gives, where the configuration gave none."""
    return msgspec.structs.replace(
        server,
        name=server.name or surface.server_name or shlex.join(server.command)[:80],
        version=server.version or surface.server_version,
    )


def selected(tool: str, include: Sequence[str], exclude: Sequence[str]) -> bool:
    """Whether a tool is probed: it matches an include pattern (or there is none) and no exclude pattern."""
    wanted = not include or any(fnmatchcase(tool, pattern) for pattern in include)
    return wanted and not any(fnmatchcase(tool, pattern) for pattern in exclude)


def chosen_facts(settings: Settings, tools: Sequence[str] = ()) -> dict[str, Any]:
    """Facts that come from settings rather than from the world."""
    include, exclude = settings["tools.include"], settings["tools.exclude"]
    return {
        "active": bool(settings["active"]),
        "excluded_tools": [tool for tool in tools if not selected(tool, include, exclude)],
        "not_covered_extra": list(settings["not_covered.extra"]),
    }


def recorded_settings(settings: Settings) -> tuple[Setting, ...]:
    """The settings that a judgement depends on: whatever somebody chose, and every threshold that is locked.

    How the server is started stands in `ServerFacts`; what has its built-in default and affects no grade is left out.
    """
    recorded = (row for row in settings.to_record() if _recorded(row))
    return tuple(Setting(row.key, as_json(row.value), row.origin) for row in recorded)


def as_json(value: Any) -> Any:
    """A value as it is after a journey through JSON, so that a record is equal to itself when it was stored."""
    if isinstance(value, tuple | list):
        return [as_json(item) for item in value]
    return {key: as_json(item) for key, item in value.items()} if isinstance(value, Mapping) else value


def _recorded(row: Setting) -> bool:
    if row.key.startswith(("server.", "output.")) and row.key not in RECORDED_SERVER_KEYS:
        return False
    by_default = row.origin == "default" or row.origin == "profile standard"
    return not by_default or (row_of(row.key).locked and not row.key.endswith((".enabled", ".severity")))


def pack_state(pack: Pack, target: Target, settings: Settings) -> PackState:
    """Whether a pack is run, and why."""
    if pack.id not in settings["packs"]:
        return PackState(pack.id, pack.title, False, "not selected (--pack)", pack.status)
    if pack.active_only and not settings["active"]:
        return PackState(pack.id, pack.title, False, "it runs commands: pass --active to allow it", pack.status)
    applies, reason = pack.applies(Target(target.gathered, pack.id))
    return PackState(pack.id, pack.title, applies, reason, pack.status)
