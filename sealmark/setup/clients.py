"""Where MCP clients keep their servers, and what they say of each, in one shape.

Nothing here decides what to do with a server; a file that cannot be read is a warning with its place, never an error.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from sealmark.setup.entries import Entry, entry_of
from sealmark.setup.jsonc import Broken, parse

MAX_BYTES = 64 * 1024 * 1024
"""Of one file; Claude Code keeps more than its servers in one."""


class Place(msgspec.Struct, frozen=True):
    """One file of a client: where it is, below which base, and the keys of which one holds its servers.

    A key with a dot is looked for as one word and as nested ones. `projects` marks a file that also keeps servers for
    single projects.
    """

    client: str
    base: str
    path: str
    keys: tuple[str, ...] = ("mcpServers", "servers")
    projects: bool = False


_SETTINGS = ("mcp.servers", "mcp.mcpServers")

PLACES = (
    Place("Claude Code", "project", ".mcp.json"),
    Place("Claude Code", "claude", ".claude.json", projects=True),
    Place("Claude Desktop", "config", "Claude/claude_desktop_config.json"),
    Place("Cursor", "project", ".cursor/mcp.json"),
    Place("Cursor", "home", ".cursor/mcp.json"),
    Place("VS Code", "project", ".vscode/mcp.json"),
    Place("VS Code", "project", ".vscode/settings.json", _SETTINGS),
    Place("VS Code", "config", "Code/User/mcp.json"),
    Place("VS Code", "config", "Code/User/settings.json", _SETTINGS),
    Place("GitHub Copilot CLI", "project", ".github/mcp.json"),
    Place("GitHub Copilot CLI", "copilot", "mcp-config.json"),
    Place("Windsurf", "home", ".codeium/windsurf/mcp_config.json"),
)
"""In the order in which a server that several clients know is taken from one of them: the project's files first."""


class Found(msgspec.Struct, frozen=True):
    """Every server of every client, and one line for each thing that could not be read."""

    entries: tuple[Entry, ...] = ()
    warnings: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def find(directory: Path, environ: Mapping[str, str], platform: str = sys.platform) -> Found:
    """Look through the files of every client.

    Args:
        directory: the project.
        environ: the user's environment.
        platform: as in `sys.platform`.
    """
    entries: list[Entry] = []
    warnings: list[str] = []
    files: list[str] = []
    bases = _bases(directory, environ, platform)
    for place in PLACES:
        base = bases[place.base]
        if base is None or not (base / place.path).is_file():
            continue
        path = base / place.path
        shown = _shown(path, directory, bases["home"])
        files.append(shown)
        try:
            data = _read(path)
        except (Broken, OSError) as error:
            at = f":{error.line}:{error.column}" if isinstance(error, Broken) else ""
            says = error.says if isinstance(error, Broken) else error.strerror or "cannot be read"
            warnings.append(f"{shown}{at}: {place.client}: {says}; its servers are not imported")
            continue
        for entry in _entries(place, data, directory, shown, bases["home"]):
            if isinstance(entry, str):
                warnings.append(f"{shown}: {entry}")
            else:
                entries.append(entry)
    return Found(tuple(entries), tuple(warnings), tuple(files))


def _bases(directory: Path, environ: Mapping[str, str], platform: str) -> Mapping[str, Path | None]:
    home = Path(environ["HOME"]) if environ.get("HOME") else None
    config: Path | None
    if platform == "darwin":
        config = home / "Library/Application Support" if home else None
    elif platform == "win32":
        config = Path(environ["APPDATA"]) if environ.get("APPDATA") else None
    else:
        config = Path(environ["XDG_CONFIG_HOME"]) if environ.get("XDG_CONFIG_HOME") else home and home / ".config"
    copilot = Path(environ["COPILOT_HOME"]) if environ.get("COPILOT_HOME") else home and home / ".copilot"
    claude = Path(environ["CLAUDE_CONFIG_DIR"]) if environ.get("CLAUDE_CONFIG_DIR") else home
    return {"project": directory, "home": home, "config": config, "copilot": copilot, "claude": claude}


def _shown(path: Path, directory: Path, home: Path | None) -> str:
    """A path as messages show it: from the project, else from home."""
    for base, prefix in ((directory, ""), (home, "~/")):
        if base is not None and path.is_relative_to(base):
            return prefix + path.relative_to(base).as_posix()
    return str(path)


def _read(path: Path) -> Any:
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise Broken(f"larger than {MAX_BYTES // 2**20} MiB", 1, 1)
    return parse(data)


def _entries(place: Place, data: Any, directory: Path, shown: str, home: Path | None) -> Iterator[Entry | str]:
    """The entries of one file, or what is wrong with one of them."""
    if data is None:
        return
    if not isinstance(data, Mapping):
        yield f"{place.client}: not an object; its servers are not imported"
        return
    sections = [(_section(data, place.keys), "")]
    projects = data.get("projects") if place.projects else None
    if isinstance(projects, Mapping):
        sections += [
            (_section(body, place.keys), str(path)) for path, body in projects.items() if isinstance(body, Mapping)
        ]
    for servers, project in sections:
        if servers is None:
            continue
        if not isinstance(servers, Mapping):
            yield f"{place.client}: its servers are no object; they are not imported"
            continue
        elsewhere = "" if not project or _holds(project, directory) else project
        root = Path(project) if project else directory
        for name, raw in servers.items():
            yield entry_of(str(name), raw, client=place.client, file=shown, root=root, home=home, elsewhere=elsewhere)


def _section(data: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    for key in keys:
        if key in data:
            return data[key]
        value: Any = data
        for part in key.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        if value is not None:
            return value
    return None


def _holds(project: str, directory: Path) -> bool:
    """Whether the directory is the project's, or inside it."""
    return Path(os.path.realpath(directory)).is_relative_to(os.path.realpath(project))
