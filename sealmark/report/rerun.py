"""How to do a run again: a command line, and the configuration as a file would have it."""

from __future__ import annotations

import shlex
from typing import Any

import yaml

from sealmark.reading.shown import command_line, line
from sealmark.record.model import RunRecord, Setting


def command(run: RunRecord) -> str:
    """A command that runs the same server with the settings that came from the command line; empty without a server."""
    server = run.gathered.server
    if not server.command and not server.url:
        return ""
    words = ["sealmark", "run"]
    if server.command:
        words += ["--start", command_line(server.command)]
    if server.url:
        words += ["--url", server.url]
    for setting in run.gathered.settings:
        words += _flag(setting)
    return line(shlex.join(words), 1000)


def _flag(setting: Setting) -> list[str]:
    """The flag that a setting came from, with its value; a switch has none."""
    origin = setting.origin.removeprefix("flag ")
    if origin == setting.origin or not origin.startswith("--"):
        return []
    if isinstance(setting.value, bool):
        return [origin]
    values = setting.value if isinstance(setting.value, list | tuple) else [setting.value]
    return [word for value in values for word in (origin, str(value))]


def configuration(run: RunRecord) -> str:
    """The server and every setting that somebody chose, as `sealmark.yaml` (ASCII, so that nothing in it hides)."""
    server = run.gathered.server
    block: dict[str, Any] = {}
    if server.command:
        block |= {"command": server.command[0], "args": list(server.command[1:])}
    if server.url:
        block["url"] = server.url
    if server.env:
        block["env"] = dict(server.env)
    document: dict[str, Any] = {"schema_version": 1, "name": server.name, "server": block}
    for setting in run.gathered.settings:
        if setting.origin != "default" and not setting.origin.startswith("profile "):
            _put(document, setting.key.split("."), setting.value)
    return yaml.safe_dump(document, sort_keys=False, width=100)


def _put(document: dict[str, Any], path: list[str], value: Any) -> None:
    for key in path[:-1]:
        below = document.setdefault(key, {})
        if not isinstance(below, dict):
            return
        document = below
    document[path[-1]] = list(value) if isinstance(value, tuple) else value
