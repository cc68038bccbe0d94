"""One server as a client's configuration describes it, in our spelling: `${NAME}` for variables, paths in full."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from sealmark.reading.visible import visible


class Entry(msgspec.Struct, frozen=True):
    """A server that a client knows.

    Attributes:
        name: as the client calls it.
        client: the client's name.
        file: where it stands, for people.
        command, args, env, cwd: how it is started; no command for one that is only reached.
        url, headers: how it is reached.
        off: why it is not taken unless it is asked for; empty when it is.
        notes: what the user should know about it.
    """

    name: str
    client: str = ""
    file: str = ""
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = {}
    cwd: str = ""
    url: str = ""
    headers: Mapping[str, str] = {}
    off: str = ""
    notes: tuple[str, ...] = ()

    @property
    def same(self) -> tuple[Any, ...]:
        """What two entries share when they are one server."""
        return (self.command, self.args, tuple(sorted(self.env.items())), self.cwd, self.url)


def entry_of(
    name: str, raw: Any, *, client: str, file: str, root: Path, home: Path | None, elsewhere: str = ""
) -> Entry | str:
    """The entry that a client's JSON describes, or what is wrong with it.

    Args:
        name: its key.
        raw: its value.
        client: the client's name.
        file: where it stands, for people.
        root: the project that the client's variables speak of.
        home: the user's home.
        elsewhere: the project that it belongs to, when that is another one.
    """
    called = repr(visible(name, newlines="escape", limit=60))
    if not isinstance(raw, Mapping):
        return f"{client}: the server {called} is no object; it is not imported"
    reading = _Reading(root, home)
    command, args = _command(raw)
    url = next((raw[key] for key in ("url", "serverUrl", "httpUrl") if isinstance(raw.get(key), str)), "")
    if not command and not url:
        return f"{client}: the server {called} has neither a command nor a URL; it is not imported"
    off = "it is switched off there" if raw.get("disabled") is True else f"of {elsewhere}" if elsewhere else ""
    entry = Entry(
        name=_tame(name),
        client=client,
        file=file,
        command=reading.text(command),
        args=tuple(map(reading.text, args)),
        env=reading.texts(raw.get("env")) if command else {},
        cwd=reading.text(raw["cwd"]) if command and isinstance(raw.get("cwd"), str) else "",
        url=reading.text(url) if not command else "",
        headers=reading.texts(raw.get("headers")) if not command else {},
        off=off or (FAR if not command and not _here(url) else ""),
    )
    if raw.get("envFile"):
        reading.notes.append("its envFile is not read; pass its variables on with `forward:` or --env NAME")
    return msgspec.structs.replace(entry, notes=tuple(dict.fromkeys(reading.notes)))


FAR = "it is reached over the network, and only servers that you may test should be"


def _here(url: str) -> bool:
    """Whether a URL leads to this machine."""
    return (urlsplit(url).hostname or "") in ("localhost", "127.0.0.1", "::1")


def _tame(name: str) -> str:
    """A name that can be typed after --server."""
    plain = re.sub(r"\s+", "-", visible(name, newlines="escape").strip())[:60].strip("-")
    return "all-servers" if plain == "all" else plain or "server"


def _command(raw: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The program and its arguments; a command line in one text is taken apart."""
    command, args = raw.get("command"), raw.get("args")
    words = [_word(item) for item in args] if isinstance(args, list) else _split(args)
    if isinstance(command, list) and command:
        return _word(command[0]), [*map(_word, command[1:]), *words]
    if not isinstance(command, str):
        return "", []
    if re.search(r"\s", command.strip()) and not os.path.exists(os.path.expanduser(command)):
        program, *before = _split(command) or [""]
        return program, [*before, *words]
    return command.strip(), words


def _split(text: Any) -> list[str]:
    if not isinstance(text, str):
        return []
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _word(item: Any) -> str:
    return item if isinstance(item, str) else str(item).lower() if isinstance(item, bool) else str(item)


_VARIABLE = re.compile(r"\$\{([^{}]*)\}")
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?")


class _Reading:
    """Turns a client's variables into sealmark's, and notes what cannot be."""

    def __init__(self, root: Path, home: Path | None) -> None:
        self._fixed = {
            "workspaceFolder": str(root),
            "workspaceRoot": str(root),
            "CLAUDE_PROJECT_DIR": str(root),
            "workspaceFolderBasename": root.name,
            "cwd": str(root),
            "userHome": str(home or "~"),
            "pathSeparator": "/",
            "/": "/",
        }
        self._home = str(home) if home else ""
        self.notes: list[str] = []

    def texts(self, values: Any) -> dict[str, str]:
        """The texts of a mapping; what is null is left out."""
        if not isinstance(values, Mapping):
            return {}
        return {str(name): self.text(_word(value)) for name, value in values.items() if value is not None}

    def text(self, text: str) -> str:
        """One text with its variables in sealmark's spelling, and a leading `~` as the home directory."""
        text = _VARIABLE.sub(lambda match: self._variable(match[1]), text)
        if self._home and re.match(r"~(/|$)", text):
            text = self._home + text[1:]
        return text

    def _variable(self, inner: str) -> str:
        kind, _, name = inner.partition(":")
        if inner in self._fixed:
            return self._fixed[inner]
        if kind == "env" and _PLAIN.fullmatch(name):
            return f"${{{name}}}"
        if kind == "input" and name:
            variable = re.sub(r"\W", "_", name).upper()
            variable = variable if not variable[0].isdigit() else f"_{variable}"
            self.notes.append(f"the client asks for {variable}; export it before a run")
            return f"${{{variable}}}"
        if _PLAIN.fullmatch(inner) and kind not in ("config", "command"):
            return f"${{{inner}}}"
        self.notes.append(f"${{{visible(inner, newlines='escape', limit=40)}}} is not known here and stays as it is")
        return f"$${{{inner}}}"


def entry_from(words: Sequence[str], name: str) -> Entry:
    """The entry of a command line."""
    return Entry(name=name, command=words[0], args=tuple(words[1:]))
