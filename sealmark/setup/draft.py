"""The text of a new configuration, and of its local file, from the servers that were chosen."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from sealmark.settings.commandline import parts
from sealmark.settings.show import flow, scalar
from sealmark.setup.entries import Entry
from sealmark.setup.split import split

SCHEMA = ".sealmark/schema.json"
"""Where the file's JSON Schema is put for editors, beside the configuration."""

WIDTH = 100
"""Characters of a line before a list is spread over several."""

_HEAD = f"""\
# yaml-language-server: $schema={SCHEMA}
# What else can stand here: docs/configuration.md. For editors: sealmark config schema > {SCHEMA}
schema_version: 1
"""
_LOCAL_HEAD = """\
# Values for the ${NAME} of sealmark.yaml. They stay on this machine: keep this file out of version control.
# A variable of the environment goes before its value here.
variables:
"""


class Draft(msgspec.Struct, frozen=True):
    """What to write: the configuration, and the local file when there is anything for it."""

    project: str
    local: str = ""
    variables: tuple[str, ...] = ()


def draft(entries: Sequence[Entry], directory: Path, home: Path | None) -> Draft:
    """The configuration of these servers; secrets are in the local file alone.

    Args:
        entries: at least one, with names of their own.
        directory: where the configuration will stand.
        home: the user's, which is not written down.
    """
    values: dict[str, str] = {}
    clean: list[Entry] = []
    for entry in entries:
        parted = split(entry, values)
        values |= parted.values
        clean.append(portable(parted.entry, directory, home))
    if len(clean) == 1:
        lines = [f"name: {scalar(clean[0].name)}", *_comments(clean[0], ""), "server:", *_server(clean[0], "  ")]
    else:
        lines = ["servers:"]
        for entry in clean:
            lines += [*_comments(entry, "  "), f"  {scalar(entry.name)}:", *_server(entry, "    ")]
    local = "".join(f"  {name}: {scalar(value)}\n" for name, value in values.items())
    return Draft(_HEAD + "\n".join(lines) + "\n", _LOCAL_HEAD + local if local else "", tuple(values))


def unique(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Entries that are one server once, and each with a name of its own; the first keeps its name."""
    kept: dict[Any, Entry] = {}
    for entry in entries:
        if entry.same not in kept or (kept[entry.same].off and not entry.off):
            kept[entry.same] = entry
    names: set[str] = set()
    found = []
    for entry in kept.values():
        client = re.sub(r"\W+", "-", entry.client).strip("-").lower()
        tries = [entry.name, f"{entry.name}-{client}", *(f"{entry.name}-{number}" for number in range(2, 1000))]
        name = next(name for name in tries if name not in names)
        names.add(name)
        found.append(msgspec.structs.replace(entry, name=name))
    return tuple(found)


def portable(entry: Entry, directory: Path, home: Path | None) -> Entry:
    """The entry with nothing of this machine in it that can be said otherwise.

    Scripts of the project are named relative to it, programs on PATH by their plain name, and the home directory
    becomes `${HOME}`.
    """
    words = (entry.command, *entry.args) if entry.command else ()
    located = {*parts(words).places, *parts(words).packages, *parts(words).programs} if words else set()
    renamed = [_in_project(word, directory) if at in located else _at_home(word, home) for at, word in enumerate(words)]
    renamed = [_at_home(word, home) for word in renamed]
    if renamed and words[0].startswith("/") and shutil.which(Path(words[0]).name) == words[0]:
        renamed[0] = Path(words[0]).name
    return msgspec.structs.replace(
        entry,
        command=renamed[0] if renamed else "",
        args=tuple(renamed[1:]),
        env={name: _at_home(text, home) for name, text in entry.env.items()},
        cwd=_at_home(entry.cwd, home),
    )


def _in_project(word: str, directory: Path) -> str:
    path = Path(word)
    inside = path.is_absolute() and path != directory and path.is_relative_to(directory) and path.exists()
    return f"./{path.relative_to(directory).as_posix()}" if inside else word


def _at_home(text: str, home: Path | None) -> str:
    if home is None or len(home.parts) < 2:
        return text
    return re.sub(rf"(?<![\w/.-]){re.escape(str(home))}(?=[/:;,]|$)", "${HOME}", text)


def _comments(entry: Entry, indent: str) -> Iterator[str]:
    if entry.client:
        yield f"{indent}# from {entry.client} ({entry.file})"
    for note in entry.notes:
        yield f"{indent}# {note}"
    if entry.command and parts((entry.command, *entry.args)).container:
        yield f"{indent}# it runs in a container, which sees no directory of the harness unless {{sandbox}} is mounted"


def _server(entry: Entry, indent: str) -> Iterator[str]:
    if entry.command:
        yield f"{indent}command: {scalar(entry.command)}"
        yield from _list("args", entry.args, indent)
        if entry.cwd:
            yield f"{indent}cwd: {scalar(entry.cwd)}"
        yield from _mapping("env", entry.env, indent)
    else:
        yield f"{indent}url: {scalar(entry.url)}"
        yield from _mapping("headers", entry.headers, indent)


def _list(name: str, items: Sequence[str], indent: str) -> Iterator[str]:
    if not items:
        return
    line = f"{indent}{name}: {flow(tuple(items))}"
    if len(line) <= WIDTH:
        yield line
        return
    yield f"{indent}{name}:"
    yield from (f"{indent}  - {scalar(item)}" for item in items)


def _mapping(name: str, items: Mapping[str, str], indent: str) -> Iterator[str]:
    if items:
        yield f"{indent}{name}:"
        yield from (f"{indent}  {scalar(key)}: {scalar(value)}" for key, value in items.items())
