"""From settings to what the bench, the wire and the engine take, and to what the record keeps of them."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec

from sealmark.bench import Launch, Reach
from sealmark.bench.reached import is_loopback
from sealmark.check import Check, Pack, Target
from sealmark.corpora import Case, cases
from sealmark.engine import Bounds
from sealmark.errors import ConfigError, UsageError
from sealmark.reading.visible import visible
from sealmark.record.marks import escape
from sealmark.record.model import PackState, ServerFacts, Setting, Surface, Tool
from sealmark.settings import Origin, Settings
from sealmark.settings.commandline import parts
from sealmark.settings.methodology import current
from sealmark.settings.references import resolve
from sealmark.settings.secrets import looks_secret, shown
from sealmark.settings.table import row_of
from sealmark.settings.types import did_you_mean
from sealmark.surface.classify import override_problem
from sealmark.surface.leaves import leaves
from sealmark.wire.connection import WireLimits
from sealmark.wire.sidecar import SidecarFile

ERAS: Mapping[str, Literal["auto", "legacy", "modern"]] = {"auto": "auto", "legacy": "legacy", "2026-07-28": "modern"}

RECORDED_SERVER_KEYS = frozenset({"server.rootless", "server.protocol", "server.auth_policy"})
"""Keys of the server's section that a judgement reads; the others stand in `ServerFacts`."""


def launch_of(settings: Settings, environ: Mapping[str, str]) -> Launch:
    """How the server is started. `${NAME}` references are filled from `environ`; nothing here is ever recorded.

    Raises:
        UsageError: the settings name neither a command nor a URL.
        ConfigError: a referenced or forwarded variable is not set, or credentials would travel in the clear.
    """
    filled = _resolved(settings, environ)
    forward = _forwarded(settings, environ)
    command = filled["server.command"]
    reach = _reach(settings, filled) if filled["server.url"] else None
    if not command and reach is not None:
        return Launch((), reach=reach)
    if not command:
        raise UsageError(
            "no server to run",
            hint='Type: sealmark run --start "<command line>", or write a sealmark.yaml with `sealmark init`.',
        )
    origin = settings.origin("server.command")
    beside = Path(origin.where).parent if origin.line else Path()
    argv, cwd = (command, *filled["server.args"]), filled["server.cwd"] or ""
    where = _rooted(cwd, beside.absolute()) if cwd else escape(str(beside.absolute())) if reach is not None else ""
    return Launch(
        argv=tuple(map(_called, argv if cwd else rooted(argv, beside.absolute()))),
        env={name: _called(text) for name, text in filled["server.env"].items()},
        inherit=tuple(settings["sandbox.inherit"]),
        forward=forward,
        cwd=where,
        confined=settings["sandbox.enabled"],
        shutdown_sec=settings["timeouts.shutdown_sec"],
        reach=reach,
    )


_CALLER = re.compile(r"\{bearer(?::([ab]))?\}")


def _called(text: str) -> str:
    """`text` with what stands for callers' tokens as marks: `{bearer}` is the token of the session's own caller."""
    return _CALLER.sub(lambda m: f"{{bearer_{m[1]}}}" if m[1] else "{caller}", text)


def _reach(settings: Settings, filled: Mapping[str, Any]) -> Reach:
    """How a URL is reached.

    Raises:
        ConfigError: credentials would travel unencrypted to another machine.
    """
    url, headers = filled["server.url"], filled["server.headers"]
    written = settings["server.headers"]
    carried = [name for name in headers if looks_secret(name) or "${" in written[name] or "{bearer" in written[name]]
    plain = urlsplit(url).scheme == "http" and not is_loopback(url)
    if plain and (carried or urlsplit(url).password):
        origin = settings.origin(settings.entry("server.headers", carried[0]) if carried else "server.url")
        says = f"{origin.position}: credentials ({', '.join(carried) or 'in the URL'}) would be sent unencrypted"
        raise ConfigError([says], hint="Use https:// for a server on another machine, or leave the credentials out.")
    return Reach(
        url=url,
        headers={name: _called(text) for name, text in headers.items()},
        transport=settings["server.transport"] if settings["server.transport"] != "stdio" else "auto",
        start_sec=settings["server.start_timeout_sec"],
        ca_file=settings["server.ca_file"] or "",
    )


def staged_files(settings: Settings, environ: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """(path template, content template) of `server.files`.

    Raises:
        ConfigError: a referenced variable is not set.
    """
    if not settings["server.files"]:
        return ()
    return tuple((file["path"], file["content"]) for file in _resolved(settings, environ)["server.files"])


def _resolved(settings: Settings, environ: Mapping[str, str]) -> dict[str, Any]:
    """What starts the server, as templates: what looks like a placeholder inside a variable's value stays text."""
    return resolve(settings, {name: escape(value) for name, value in {**settings["variables"], **environ}.items()})


def _forwarded(settings: Settings, environ: Mapping[str, str]) -> tuple[str, ...]:
    key = "server.forward"
    wanted = dict(zip(settings[key], settings.origins(key), strict=True))
    lost = [(name, origin) for name, origin in wanted.items() if name not in environ]
    if lost:
        lines = [f"{origin.position}: the variable {name} is to be passed on and is not set" for name, origin in lost]
        error = ConfigError(lines, hint=f"Type `export {lost[0][0]}=…` first.")
        error.code = "ENV_MISSING"
        raise error
    return tuple(wanted)


def rooted(argv: Sequence[str], beside: Path) -> tuple[str, ...]:
    """The command line with programs and scripts that are named relative to the configuration named in full.

    The server starts in its sandbox, where such names would lead nowhere. Only what exists is renamed, and never what
    the server itself is told.
    """
    found = parts(argv)
    relative = {at for at in found.programs if "/" in argv[at]} | set(found.places)
    relative |= {at for at in found.packages if argv[at].startswith(".")}
    return tuple(_rooted(word, beside) if at in relative else word for at, word in enumerate(argv))


def _rooted(word: str, beside: Path) -> str:
    there = not word.startswith(("/", "~", "{")) and (beside / word).exists()
    return escape(os.path.normpath(beside / word)) if there else word


def transcript_file(settings: Settings) -> AbstractContextManager[SidecarFile | None]:
    """The file that takes every message of a run, when one is asked for.

    Raises:
        UsageError: it cannot be written.
    """
    path = settings["output.transcript"]
    if not path:
        return nullcontext()
    try:
        return SidecarFile(path)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}", hint="Choose another --transcript.") from None


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
        transport="stdio" if not settings["server.url"] else "sse" if settings["server.transport"] == "sse" else "http",
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
        name=server.name or surface.server_name or shlex.join(server.command)[:80] or server.url[:80],
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
        **({} if settings["output.redact"] else {"redacted": False}),
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
    if row.key.startswith(("server.", "output.", "variables")) and row.key not in RECORDED_SERVER_KEYS:
        return False
    by_default = row.origin == "default" or row.origin == "profile standard"
    return not by_default or (row_of(row.key).locked and not row.key.endswith((".enabled", ".severity")))


def corpus_problems(settings: Settings, packs: Sequence[Pack]) -> list[str]:
    """What is wrong with `corpus.add` and `corpus.remove`, one line each."""
    checks = {check.id: (pack, check) for pack in packs for check in pack.checks}
    known = {check.id for pack in current().packs for check in pack.checks} | set(checks)
    lines: list[str] = []

    def wrong(origin: Origin, says: str) -> None:
        lines.append(f"{origin.position}: {says}")

    for name, origin in zip(settings["corpus.remove"], settings.origins("corpus.remove"), strict=True):
        check, _, case = name.partition("/")
        if check not in known:
            wrong(origin, f"corpus.remove: no check {check!r}{did_you_mean(check, known)}; write it as check/case")
        elif check in checks and case not in (ids := [case.id for case in _cases(*checks[check])]):
            wrong(origin, f"corpus.remove: {check} has no case {case!r}{did_you_mean(case, ids)}")
    seen: set[tuple[str, str]] = set()
    for entry, origin in zip(settings["corpus.add"], settings.origins("corpus.add"), strict=True):
        check, case = entry["check"], entry["id"]
        if check not in known:
            wrong(origin, f"corpus.add: no check {check!r}{did_you_mean(check, known)}")
            continue
        shipped = _cases(*checks[check]) if check in checks else ()
        if (check, case) in seen or case in [other.id for other in shipped]:
            wrong(origin, f"corpus.add: {check} has a case {case!r} already; give yours another id")
        needed = set.intersection(*(set(other.data) for other in shipped)) if shipped else set()
        lacking = sorted(needed - set(entry.get("data", {})))
        if lacking:
            wrong(origin, f"corpus.add: the case {case!r} lacks {', '.join(lacking)} in data, as every case of {check}")
        seen.add((check, case))
    return lines


def _cases(pack: Pack, check: Check) -> tuple[Case, ...]:
    return cases(check.corpus or f"{pack.id}/{check.id}")


def surface_problems(settings: Settings, tools: Sequence[Tool]) -> tuple[list[str], list[str]]:
    """What the configuration says of tools that the server cannot bear out: (mistakes, warnings), one line each."""
    by_name = {tool.name: tool for tool in tools}
    wrong: list[str] = []
    odd: list[str] = []
    for name, override in settings["tools.overrides"].items():
        at = settings.origin(settings.entry("tools.overrides", name)).position
        shown = f"{at}: tools.overrides.{visible(name, newlines='escape', limit=80)}"
        if name not in by_name:
            odd.append(f"{shown}: the server lists no such tool{did_you_mean(name, by_name)}")
        elif problem := override_problem(by_name[name], override):
            wrong.append(f"{shown}: {problem}")
    for key, argument in (("sql_tools", "arg"), ("scope.tools", "param")) if tools else ():
        for number, entry in enumerate(settings[key]):
            problem = _unlisted(by_name, entry["tool"], entry[argument])
            if problem:
                wrong.append(f"{settings.origin(key).position}: {key}[{number}]: {problem}")
    return wrong, odd


def _unlisted(tools: Mapping[str, Tool], name: str, argument: str) -> str:
    """Why a tool's argument cannot be used as text, or nothing."""
    if name not in tools:
        return f"the server lists no tool {name!r}{did_you_mean(name, tools)}"
    found = [leaf for leaf in leaves(tools[name].input_schema) if leaf.textual]
    names = [leaf.pointer for leaf in found]
    if not names or argument in names or any(pointer.startswith(f"{argument}/") for pointer in names):
        return ""
    return f"the tool {name!r} takes no text as {argument!r}{did_you_mean(argument, names)}"


def chosen(pack: Pack, settings: Settings) -> bool:
    """Whether a pack is selected; a plugin's own pack always is, since naming the plugin selects it."""
    return pack.id in settings["packs"] or current().pack(pack.id) is None


def pack_state(pack: Pack, target: Target, settings: Settings) -> PackState:
    """Whether a pack is run, and why."""
    if not chosen(pack, settings):
        return PackState(pack.id, pack.title, False, "not selected (--pack)", pack.status)
    applies, reason = pack.applies(Target(target.gathered, pack.id))
    if applies and pack.active_only and not settings["active"]:
        applies, reason = False, f"it may change something: pass --active to allow it ({reason})"
    return PackState(pack.id, pack.title, applies, reason, pack.status)
