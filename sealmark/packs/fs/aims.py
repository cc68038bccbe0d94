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
from sealmark.surface.leaves import leaves, words

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


_CELLS = (
    (re.compile(r"(?:work)?sheet(?: name)?"), "Sheet1"),
    (re.compile(r"(?:data |source |cell |target )?range(?: ref| address)?"), "A1:B3"),
    (re.compile(r"(?:start |top left |target |anchor )?cell(?: ref| address)?|start|anchor"), "A1"),
)
"""Names of arguments of tools on workbooks -> what they can name there."""

_FIRST = re.compile(r"\b(?:start|first|from|line)\b")


@dataclass(frozen=True, slots=True)
class Aim:
    """One path argument of one tool.

    `file` is the kind of file that the tool works on; `beside` are values for arguments that go with the path, by
    pointer; `others` are the use and the kind of file of other paths that the tool requires. `suffix` tells apart
    cases of one tool.
    """

    tool: Tool
    pointer: str
    use: str
    file: str
    beside: Mapping[str, Any]
    others: Mapping[str, tuple[str, str]]
    suffix: str = ""


def aims(target: Target, uses: Sequence[str]) -> tuple[Aim, ...]:
    """Every path argument with one of these uses, in listing order; a search once for each pattern."""
    tools = {tool.name: tool for tool, _ in target.taking("path")}
    return tuple(
        aim
        for tool in tools.values()
        for pointer, use in _uses(target, tool).items()
        if use in uses
        for aim in _variants(target, tool, pointer, use)
    )


def _uses(target: Target, tool: Tool) -> dict[str, str]:
    """Pointer -> use of the tool's paths.

    What a tool reads in order to write elsewhere is its source, since no reply need show it; a search in a file of some
    format reads that file.
    """
    found = {
        use.pointer: use.use for use in target.classified(tool.name).uses if use.cls == "path" and use.use in INSIDE
    }
    writes = any(use in WRITES and _required(tool, pointer) for pointer, use in found.items())
    for pointer, use in found.items():
        if use == "read" and writes:
            found[pointer] = "source"
        elif use == "search" and file_for(tool, pointer) == "book.xlsx":
            found[pointer] = "read"
    return found


def _variants(target: Target, tool: Tool, pointer: str, use: str) -> Iterator[Aim]:
    every, paths = target.classified(tool.name).uses, _uses(target, tool)
    beside = {other.pointer: _content(other.pointer) for other in every if other.use == "content"}
    beside |= {other.pointer: "hello" for other in every if other.use == "old"}
    beside |= dict(_in_file(tool))
    others = {
        name: (other, file_for(tool, name))
        for name, other in paths.items()
        if name != pointer and (_required(tool, name) or {use, other} == {"source", "destination"})
    }
    same = sum(other == use for other in paths.values()) > 1
    aim = Aim(tool, pointer, use, file_for(tool, pointer), beside, others, f"@{slug(pointer)}" if same else "")
    patterns = [other.pointer for other in every if other.use == "pattern"] if use in ("search", "read") else []
    if not patterns:
        yield replace(aim, use="list") if use == "search" else aim
    for suffix, pattern in PATTERNS.items() if patterns else ():
        wanted = {name: pattern for name in patterns if _required(tool, name)} or {patterns[0]: pattern}
        yield replace(aim, beside={**beside, **wanted}, suffix=aim.suffix + suffix)


def _content(pointer: str) -> str:
    """What is written: a secret of the run, packed where the argument's name asks for base64."""
    return "{written|base64}" if {"base", "64"} <= set(words(pointer)) else "{written}\n"


def _in_file(tool: Tool) -> Iterator[tuple[str, Any]]:
    """Values for required arguments that name a place in a file: a sheet and cells of a workbook, a first line."""
    book = file_for(tool) == "book.xlsx"
    for leaf in leaves(tool.input_schema):
        name = " ".join(leaf.words)
        if leaf.required and leaf.textual and book:
            yield from ((leaf.pointer, value) for pattern, value in _CELLS if pattern.fullmatch(name))
        elif leaf.required and "/0" in leaf.pointer and _FIRST.search(name) and "integer" in leaf.types:
            yield leaf.pointer, 1


def _required(tool: Tool, pointer: str) -> bool:
    required = tool.input_schema.get("required") if isinstance(tool.input_schema, dict) else None
    return isinstance(required, list) and pointer.split("/")[0] in required


def file_for(tool: Tool, pointer: str = "") -> str:
    """The kind of file that an argument of a tool names.

    By the argument's own name, else by the names of the tool and its arguments, for workbooks also by the description.
    """
    properties = tool.input_schema.get("properties") if isinstance(tool.input_schema, dict) else None
    named = " ".join(words(tool.name) + tuple(w for name in properties or () for w in words(str(name))))
    for text in (" ".join(words(pointer)), named):
        for file, pattern in _KINDS:
            if pattern.search(text):
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
    elif use == "create":
        path += _suffix(file)
    return path if absolute else path.removeprefix("{sandbox}").lstrip("/") or "."


def _suffix(file: str) -> str:
    """The suffix of what is created: none (a folder) unless the tool works on files of one format."""
    return "" if file == "hello.txt" else PurePosixPath(file).suffix


def aimed(aim: Aim, path: str) -> str:
    """The path of a case (it names `hello.txt`) as this aim needs it: a directory, a new file, a file of its kind."""
    if aim.use in ("list", "search", "cwd"):
        return path.removesuffix("/hello.txt") or "/"
    if aim.use == "stat":
        return path.replace("hello.txt", "measured.bin")
    if aim.use in ("write", "destination"):
        return path.replace("hello.txt", "escaped" + PurePosixPath(aim.file).suffix)
    if aim.use == "create":
        return path.replace("hello.txt", "escaped" + _suffix(aim.file))
    return path.replace("hello.txt", aim.file)


def calling(target: Target, aim: Aim, path: str, *, before: str = "") -> Call | None:
    """A call of the aim's tool with `path` (a template), or None when its schema cannot be filled.

    With `before`, the aim is an item of an array: `before` comes first and `path` second.
    """
    absolute = path.startswith(("{", "/", "file:"))
    values: dict[str, Any] = {
        name: _inside(use, file, absolute=absolute) for name, (use, file) in aim.others.items()
    } | dict(aim.beside)
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
