"""Combinations of settings that cannot work, and those that deserve a warning.

Each rule reads merged settings and names the value at fault by its origin, so that a message begins with
`file:line:column` (or the variable or flag) whatever layer the value came from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from sealmark.settings import own_probes, placeholders
from sealmark.settings.commandline import parts
from sealmark.settings.layers import Line, Origin
from sealmark.settings.references import texts
from sealmark.settings.types import did_you_mean
from sealmark.settings.values import Settings

DATABASE = placeholders.database()
STARTED = placeholders.names("launch")
IN_FILES = placeholders.names("files")
IN_PROBES = placeholders.names("probes")
ELSEWHERE = {
    "canary": "it is filled only in probes",
    "token": "it is filled only in probes",
    "matrix": "it is filled only in the args of a probe with a matrix",
    "upstream_token": "it is filled only in a scripted reply",
}

_WORD = re.compile(r"(?<!\$)\{([A-Za-z_][\w-]*)(?:([:.])([\w-]+))?\}")
_LAUNCH = ("server.command", "server.args", "server.env", "server.url", "server.headers")
_PROGRAM = re.compile(r".*\.(?:m?js|cjs|ts|py|jar|rb|sh|php|pl|dll|exe|wasm|lua)$|/(?:usr/|opt/homebrew/)?s?bin/.*")
_SEARCH_PATHS = frozenset({"PATH", "NODE_PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "JAVA_HOME", "SSL_CERT_FILE"})


def problems(settings: Settings, *, several: bool = False) -> Iterator[Line]:
    """Combinations that cannot work.

    With `several` servers, flags and variables are for all of them, and need not make sense for each.
    """
    yield from (line for line in _server(settings) if not several or line[0].kind not in ("flag", "variable", "code"))
    yield from _files(settings)
    yield from _upstream(settings)
    yield from own_probes.problems(settings, [text for _, text, _ in _launch_texts(settings)])
    yield from _run(settings)
    yield from _output(settings)


def warnings(settings: Settings) -> Iterator[Line]:
    """What may not be what the user meant."""
    yield from _unknown_words(settings)
    yield from _real_paths(settings)
    yield from _meant_for_another(settings)
    for key in ("identities.a", "identities.b"):
        value, origin = settings[key], settings.origin(key)
        if value and "${" not in value and origin.kind in ("project", "user"):
            yield origin, f"{key} is written out; take it from the environment: {key.rpartition('.')[2]}: ${{TOKEN}}"
    for name in settings["variables"]:
        origin = settings.origin(settings.entry("variables", name))
        if origin.kind == "project":
            yield (
                origin,
                f"variables.{name} is written out; move it to sealmark.local.yaml, which stays on this machine",
            )
    if settings["scope.tools"] and not settings["scope.allow"]:
        yield settings.origin("scope.tools"), "scope.tools needs scope.allow; without it the scope pack does not apply"
    own = [probe for probe in settings["probes"] if probe.get("check")]
    if own and "custom" not in settings["packs"]:
        yield settings.origin("packs"), "packs leaves out custom, so the probes with a check are not run; add custom"


def _given(settings: Settings, key: str) -> bool:
    return settings[key] not in (None, (), {})


def _server(settings: Settings) -> Iterator[Line]:
    command, url = settings.origin("server.command"), settings.origin("server.url")
    if _given(settings, "server.command") and _given(settings, "server.url") and _place(command) != _place(url):
        yield (
            max(command, url, key=_rank),
            f"server.command ({command}) and server.url ({url}) must come from the same place: "
            "put both in one file, or give both --start and --url",
        )
    for key in ("server.args", "server.env", "server.cwd"):
        if _given(settings, key) and not _given(settings, "server.command"):
            name = key.partition(".")[2]
            yield settings.origin(key), f"{key} needs server.command; add `command:` beside `{name}:`, or use --start"
    if _given(settings, "server.headers") and not _given(settings, "server.url"):
        yield settings.origin("server.headers"), "server.headers needs server.url; add `url:` or use --url"
    transport, origin = settings["server.transport"], settings.origin("server.transport")
    if transport in ("http", "sse") and not _given(settings, "server.url"):
        yield origin, f"server.transport {transport} needs server.url; add `url:`"
    if transport == "stdio" and _given(settings, "server.url"):
        yield origin, "server.transport stdio and server.url exclude each other; remove one"


def _place(origin: Origin) -> tuple[str, str]:
    if origin.kind in ("variable", "flag", "code"):
        return origin.kind, ""
    return "file", origin.where


def _rank(origin: Origin) -> int:
    return ("default", "profile", "user", "project", "local", "variable", "flag", "code").index(origin.kind)


def _files(settings: Settings) -> Iterator[Line]:
    files, origin = settings["server.files"], settings.origin("server.files")
    if not files:
        return
    if not _given(settings, "server.command") and _given(settings, "server.url"):
        yield origin, "server.files needs a server that sealmark starts; add `command:` beside `url:`, or remove files"
    if not settings["sandbox.enabled"]:
        where = settings.origin("sandbox.enabled")
        yield origin, f"server.files are written into the sandbox, which is off ({where}); remove one of the two"
    for at, file in enumerate(files):
        path, name = file["path"], f"server.files[{at}]"
        if not re.match(r"\{(?:sandbox|dir|sandbox_home)\}/[^/]", path) or ".." in path.split("/"):
            yield origin, f"{name}.path must stay in the sandbox; write {{sandbox}}/… without .., not {path!r}"
        for word, _, _ in _words(file["content"]):
            if word in DATABASE:
                says = f"{name}.content cannot hold {{{word}}}: a file is the same for every database role"
                yield origin, f"{says}; pass the connection through args or env"
            elif word == "bearer":
                yield origin, f"{name}.content cannot hold {{bearer}}; put it into server.headers"


def _upstream(settings: Settings) -> Iterator[Line]:
    kind, url = settings["upstream.kind"], settings["server.url"]
    users = [origin for origin, text, _ in _launch_texts(settings) if _uses(text, "upstream")]
    users += [
        settings.origin("server.files") for file in settings["server.files"] if _uses(file["content"], "upstream")
    ]
    if kind and not users and (url or _given(settings, "server.command")):
        says = "upstream.kind starts a stub that the server never hears of; give it {upstream} in args or env"
        yield settings.origin("upstream.kind"), says
    if users and not kind:
        yield users[0], "{upstream} needs `upstream: {kind: http}` (or --upstream)"
    if kind and url and "{" not in url and (urlsplit(url).hostname or "") not in ("localhost", "127.0.0.1", "::1"):
        yield settings.origin("server.url"), "the upstream stub listens on loopback, so the server must run here"


OWN_DATABASE = (
    "db.pg is a Postgres of yours: the harness creates a database and three roles in it whose names begin with "
    "sealmark_, drops them at the end, and drops those of earlier runs that were cut off; confirm with --yes"
)


def _uses(text: str, wanted: str) -> bool:
    return any(word == wanted for word, _, _ in _words(text))


def _run(settings: Settings) -> Iterator[Line]:
    if settings["db.pg"] and not settings["yes"]:
        yield settings.origin("db.pg"), OWN_DATABASE
    packs = settings.origin("packs")
    for pack in ("exec", "inject"):
        if pack in settings["packs"] and packs.kind in ("flag", "code", "variable") and not settings["active"]:
            yield packs, f"the pack {pack} may change something; allow it with --active"
    if not settings["sandbox.enabled"]:
        for key, flag in (("sandbox.keep", "--keep-sandbox"), ("sandbox.dir", "--sandbox-dir")):
            if settings[key] and settings.origin(key).kind == settings.origin("sandbox.enabled").kind:
                yield settings.origin(key), f"{key} ({flag}) has no use without a sandbox; remove it or --no-sandbox"


def _output(settings: Settings) -> Iterator[Line]:
    fail_on = settings.origin("output.fail_on")
    for what in ("regressions", "drift") if fail_on.kind in ("flag", "code", "variable") else ():
        if what in settings["output.fail_on"] and not settings["output.baseline"]:
            yield fail_on, f"fail_on {what} needs an earlier report; give --baseline FILE"
    out, formats = settings["output.out"], settings["output.formats"]
    files = [name for name in formats if name != "summary"]
    if out and len(files) > 1:
        yield settings.origin("output.out"), f"one file cannot hold {len(files)} formats; use --out-dir DIR"


def _words(text: str) -> Iterator[tuple[str, str, str]]:
    """(word, separator, what follows) for each `{word}` of a text."""
    for match in _WORD.finditer(text):
        yield match[1], match[2] or "", match[3] or ""


def _launch_texts(settings: Settings) -> Iterator[tuple[Origin, str, str]]:
    """(origin, text, name) for every text that starts or reaches the server."""
    for key in _LAUNCH:
        value = settings[key]
        if isinstance(value, dict):
            for name, text in value.items():
                yield settings.origin(settings.entry(key, name)), text, f"{key} {name}"
        else:
            for _, text in texts(value):
                yield settings.origin(key), text, key


def _meant_for_another(settings: Settings) -> Iterator[Line]:
    """What a file says of its own server applies to the command of `--start` too, and may not be meant to."""
    if settings.origin("server.command").kind != "flag":
        return
    keys = [
        key for key in ("server.name", "server.env", "server.forward", "server.files", "server.cwd") if settings[key]
    ]
    places = {key: [origin for origin in settings.origins(key) if origin.line] for key in keys}
    named = [key for key in keys if places[key]]
    if named:
        says = f"{', '.join(named)} of the file: also for the command of --start; --no-config leaves the file out"
        yield places[named[0]][0], says


def _unknown_words(settings: Settings) -> Iterator[Line]:
    for origin, text, name in _launch_texts(settings):
        for word, separator, inner in _words(text):
            if word in STARTED and (not separator or (separator == ":" and inner in placeholders.forms(word))):
                continue
            yield origin, f"{name}: {_not_filled(word, separator + inner, STARTED)}"
    for file in settings["server.files"]:
        for word, separator, inner in _words(file["content"]):
            if word not in IN_FILES | DATABASE | {"bearer"}:
                shown = _not_filled(word, separator + inner, IN_FILES)
                yield settings.origin("server.files"), f"content of {file['path']}: {shown}"
    for at, probe in enumerate(settings["probes"]):
        for _, text in texts({key: probe.get(key) for key in ("args", "matrix", "cases")}):
            for word, separator, inner in _words(text):
                if word not in IN_PROBES | {"upstream", "bearer"}:
                    shown = _not_filled(word, separator + inner, IN_PROBES)
                    yield settings.origin_of_item("probes", at), f"probes[{at}]: {shown}"


def _not_filled(word: str, rest: str, known: frozenset[str]) -> str:
    if word in ELSEWHERE and word not in known:
        return f"{{{word}{rest}}} stays as it is: {ELSEWHERE[word]}"
    if word in known:
        choices = ", ".join(f"{{{word}:{form}}}" for form in placeholders.forms(word))
        return f"{{{word}{rest}}} stays as it is; write {choices or f'{{{word}}}'}"
    return f"{{{word}{rest}}} is no placeholder and stays as it is{did_you_mean(word, sorted(known))}"


def _real_paths(settings: Settings) -> Iterator[Line]:
    if not settings["sandbox.enabled"]:
        return
    args: Any = settings["server.args"]
    own = parts((settings["server.command"] or "", *args)).own - 1
    origin = settings.origin("server.args")
    found = [(origin, f"server.args[{at}]", value) for at, value in enumerate(args) if at >= own]
    for name, value in settings["server.env"].items():
        if name not in _SEARCH_PATHS:
            found.append((settings.origin(settings.entry("server.env", name)), f"server.env {name}", value))
    for origin, name, value in found:
        path = value.partition("=")[2] if value.startswith("-") and "=" in value else value
        if re.match(r"~?/[^/]", path) and not _PROGRAM.match(path):
            last = path.rstrip("/").rpartition("/")[2]
            yield (
                origin,
                (
                    f"{name} points at a real path on this machine; valid calls may read or write it. "
                    f"Use {{sandbox}}/{last} unless that is meant"
                ),
            )
