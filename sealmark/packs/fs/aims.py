"""What the checks of this pack share: which tools take which paths, and how a path is put into their arguments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from sealmark.check import Outcome, Target, call, slug
from sealmark.record.model import Call, Request, Tool
from sealmark.surface.arguments import CannotFill
from sealmark.surface.leaves import words

READS = ("read", "list", "search", "stat")
"""Uses of a path that show something."""
WRITES = ("write", "create", "edit", "delete", "destination", "source")
"""Uses of a path that change something; moving from a path takes the file away."""

INSIDE = {
    "read": "{sandbox}/hello.txt",
    "list": "{sandbox}",
    "search": "{sandbox}",
    "cwd": "{sandbox}",
    "stat": "{sandbox}/big.txt",
    "write": "{sandbox}/made.txt",
    "create": "{sandbox}/made",
    "edit": "{sandbox}/hello.txt",
    "delete": "{sandbox}/sub/data.csv",
    "source": "{sandbox}/sub/hello.txt",
    "destination": "{sandbox}/made.txt",
}
"""Use -> a path in the allowed root for which the tool must work."""

PATTERNS = {"": "hello", "+glob": "*hello*"}
"""Suffix of a case -> what a search asks for: some tools take words, others wildcards; both occur in every area."""

_KINDS = (
    ("book.xlsx", re.compile(r"\b(?:xlsx?|excel|workbooks?|spreadsheets?|worksheets?|sheets?)\b", re.IGNORECASE)),
    ("pixel.png", re.compile(r"\b(?:images?|pictures?|photos?|png|media|ocr|screenshot)\b", re.IGNORECASE)),
    ("data.csv", re.compile(r"\b(?:csv|tsv|dataframe)\b", re.IGNORECASE)),
    ("data.json", re.compile(r"\bjson\b", re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True)
class Aim:
    """One path argument of one tool.

    `file` is the kind of file that the tool works on; `beside` are values for arguments that go with the path, by
    pointer; `others` are the uses of other paths that the tool requires. `suffix` tells apart cases of one tool.
    """

    tool: Tool
    pointer: str
    use: str
    file: str
    beside: Mapping[str, str]
    others: Mapping[str, str]
    suffix: str = ""


def aims(target: Target, uses: Sequence[str]) -> tuple[Aim, ...]:
    """Every path argument with one of these uses, in listing order; a search once for each pattern."""
    return tuple(
        aim for tool, use in target.taking("path", *uses) for aim in _variants(target, tool, use.pointer, use.use)
    )


def _variants(target: Target, tool: Tool, pointer: str, use: str) -> Iterator[Aim]:
    every = [other for other in target.classified(tool.name).uses if other.cls == "path"]
    beside = {other.pointer: "{written}\n" for other in every if other.use == "content"}
    beside |= {other.pointer: "hello" for other in every if other.use == "old"}
    others = {
        other.pointer: other.use
        for other in every
        if other.use in INSIDE
        and other.pointer != pointer
        and (_required(tool, other.pointer) or {use, other.use} == {"source", "destination"})
    }
    same = sum(other.use == use for other in every) > 1
    aim = Aim(tool, pointer, use, file_for(tool), beside, others, f"@{slug(pointer)}" if same else "")
    patterns = [other.pointer for other in every if other.use == "pattern"] if use == "search" else []
    if not patterns:
        yield replace(aim, use="list") if use == "search" else aim
    for suffix, pattern in PATTERNS.items() if patterns else ():
        wanted = {name: pattern for name in patterns if _required(tool, name)} or {patterns[0]: pattern}
        yield replace(aim, beside={**beside, **wanted}, suffix=aim.suffix + suffix)


def _required(tool: Tool, pointer: str) -> bool:
    required = tool.input_schema.get("required") if isinstance(tool.input_schema, dict) else None
    return isinstance(required, list) and pointer.split("/")[0] in required


def file_for(tool: Tool) -> str:
    """The kind of file that a tool works on, by its name and arguments, for workbooks also by its description."""
    properties = tool.input_schema.get("properties") if isinstance(tool.input_schema, dict) else None
    named = " ".join(words(tool.name) + tuple(w for name in properties or () for w in words(str(name))))
    for file, pattern in _KINDS:
        if pattern.search(named):
            return file
    return (
        "book.xlsx"
        if re.search(r"\bexcel\b|\bworkbook\b|\.xlsx\b", tool.description[:2000], re.IGNORECASE)
        else "hello.txt"
    )


def first(found: Sequence[Aim], *uses: str) -> Aim | None:
    """The aim that gets every spelling, for all: a plain path to a text, of the first of these uses that has one."""
    for use in uses:
        fitting = [aim for aim in found if aim.use == use]
        plain = [aim for aim in fitting if "/" not in aim.pointer and aim.file == "hello.txt"]
        if fitting:
            return (plain or fitting)[0]
    return None


def inside(aim: Aim, *, absolute: bool = True) -> str:
    """A path in the allowed root for which the aim's tool must work."""
    return _inside(aim.use, aim.file, absolute=absolute)


def _inside(use: str, file: str, *, absolute: bool) -> str:
    path = INSIDE[use]
    if use in ("read", "edit", "source"):
        path = path.replace("hello.txt", file)
    elif use in ("write", "destination"):
        path = path.replace(".txt", PurePosixPath(file).suffix)
    return path if absolute else path.removeprefix("{sandbox}").lstrip("/") or "."


def aimed(aim: Aim, path: str) -> str:
    """The path of a case (it names `hello.txt`) as this aim needs it: a directory, a new file, a file of its kind."""
    if aim.use in ("list", "search", "cwd"):
        return path.removesuffix("/hello.txt") or "/"
    if aim.use == "stat":
        return path.replace("hello.txt", "measured.bin")
    if aim.use in ("write", "destination"):
        return path.replace("hello.txt", "escaped" + PurePosixPath(aim.file).suffix)
    if aim.use == "create":
        return path.replace("hello.txt", "escaped")
    return path.replace("hello.txt", aim.file)


def calling(target: Target, aim: Aim, path: str, *, before: str = "") -> Call | None:
    """A call of the aim's tool with `path` (a template), or None when its schema cannot be filled.

    With `before`, the aim is an item of an array: `before` comes first and `path` second.
    """
    absolute = path.startswith(("{", "/", "file:"))
    values = {name: _inside(use, aim.file, absolute=absolute) for name, use in aim.others.items()} | dict(aim.beside)
    pointer = aim.pointer
    if before:
        values[pointer] = before
        values |= {second(name): value for name, value in aim.beside.items()}
        pointer = second(pointer)
    arguments = target.fill(aim.tool, {**values, pointer: path})
    return None if isinstance(arguments, CannotFill) else call(aim.tool, arguments)


def second(pointer: str) -> str:
    """The pointer of the second item, for a pointer into the first."""
    return re.sub(r"(^|/)0(?=/|$)", r"\g<1>1", pointer, count=1)


def asked(outcome: Outcome, limit: int = 200) -> str:
    """What was asked, in one line: the tool and its arguments."""
    step = next((step for step in outcome.probe.steps if isinstance(step, Call | Request)), None)
    sent: Any = step.arguments if isinstance(step, Call) else step.params if step is not None else {}
    text = json.dumps(sent)
    return f"{subject(outcome)} {text if len(text) <= limit else text[:limit] + '…'}"


def subject(outcome: Outcome) -> str:
    """The tool that a probe is aimed at, or the method when it is aimed at none."""
    return outcome.probe.tool or "resources/read"
