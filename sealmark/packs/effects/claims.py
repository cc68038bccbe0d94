"""Which tools say, or seem, to change nothing or to reach nothing outside, and how each is called to try it.

A valid call goes to a tool only when the tool claims to be read-only, or when it is aimed at something that the harness
owns: a file, a repository or a page. A reader without any annotation and without arguments is called with --active.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sealmark.check import Outcome, Target, slug
from sealmark.packs.fs import aims as files
from sealmark.packs.net import urls
from sealmark.record.model import Call, Tool
from sealmark.surface import consent
from sealmark.surface.arguments import CannotFill
from sealmark.surface.leaves import Leaf, leaves, words
from sealmark.surface.uses import verb
from sealmark.surface.vocabulary import GIT_READERS, VERBS

PAGE = "{listener}/{listener_token}/page"
"""Where the listener's pages begin."""

READING = GIT_READERS.union(*(named for verb, named in VERBS if verb in files.READS))
"""Words of the names of tools that read."""

_GIT = {"read": "{sandbox}", "write": "{sandbox}", "ref": "HEAD", "file": "README.md"}
"""What arguments of a git tool are given, by their use."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A tool that is called to see that it changes nothing.

    `claims` is false for one that has no annotation and reads by its name; `owned` says that it is aimed at something
    of the harness's or takes nothing; `url` that this is a page; `consent` that the call needs --active; `spare` are
    values to try when the first ones do not work.
    """

    tool: Tool
    claims: bool
    values: Mapping[str, Any]
    owned: bool = True
    url: bool = False
    consent: bool = False
    spare: Mapping[str, Any] = field(default_factory=dict)


def readers(target: Target) -> Iterator[Reader]:
    """Yield the tools to call, in listing order."""
    for tool in target.surface_tools:
        claims = consent.read_only(tool)
        seems = "readOnlyHint" not in tool.annotations and _reads(tool)
        if consent.task_only(tool) or not (claims or seems):
            continue
        reader = _aimed(target, tool, claims)
        if reader is not None and not isinstance(target.fill(tool, reader.values), CannotFill):
            yield reader


def _aimed(target: Target, tool: Tool, claims: bool) -> Reader | None:
    """How one tool is aimed, or None when no valid call may go to it."""
    found = target.classified(tool.name)
    classes = {use.cls for use in found.uses} if found.confidence != "low" else set()
    if "command" in classes or "sql" in classes:
        return None
    if "git" in classes:
        return _git(target, tool, claims)
    if "path" in classes:
        return _path(target, tool, claims)
    if "url" in classes:
        pointers = [use.pointer for use in found.uses if use.cls == "url"]
        return Reader(
            tool, claims, dict.fromkeys(_needed(tool, pointers), f"{PAGE}/effects/{slug(tool.name)}"), url=True
        )
    if consent.no_arguments(tool):
        asks = not claims
        return Reader(tool, claims, {}, consent=asks) if claims or target.facts.get("active") else None
    return Reader(tool, claims, {}, owned=False) if claims and consent.closed_world(tool) else None


def _reads(tool: Tool) -> bool:
    """Whether a tool's name says that it reads."""
    return bool(set(words(tool.name)) & READING) and verb(tool) in files.READS


def _git(target: Target, tool: Tool, claims: bool) -> Reader | None:
    uses = target.classified(tool.name).uses
    if not claims and any(use.use == "write" for use in uses):
        return None
    values = {use.pointer: _GIT[use.use] for use in uses if use.cls == "git" and use.use in _GIT}
    return Reader(tool, claims, {name: values[name] for name in _needed(tool, values)})


def _path(target: Target, tool: Tool, claims: bool) -> Reader | None:
    uses = target.classified(tool.name).uses
    if not claims and any(use.use in files.WRITES for use in uses):
        return None
    aims = [aim for aim in files.aims(target, files.READS) if aim.tool.name == tool.name]
    if aims:
        values = {**aims[0].beside, aims[0].pointer: files.inside(aims[0])}
        spare = {**aims[0].beside, aims[0].pointer: files.inside(aims[0], absolute=False)}
        others = dict.fromkeys(aims[0].others, "{sandbox}/hello.txt")
        return Reader(tool, claims, {**others, **values}, spare={**others, **spare})
    named = {use.pointer: files.INSIDE.get(use.use, "{sandbox}/hello.txt") for use in uses if use.cls == "path"}
    return Reader(tool, claims, {name: named[name] for name in _needed(tool, named)}) if claims else None


def _needed(tool: Tool, pointers: Any) -> list[str]:
    """Those of these pointers that the tool requires; the first one when it requires none."""
    required = [leaf.pointer for leaf in leaves(tool.input_schema) if leaf.required]
    names = list(pointers)
    return [name for name in names if name in required] or names[:1]


@dataclass(frozen=True, slots=True)
class Closed:
    """A tool that claims to reach nothing outside, and the text argument that gets the listener's address."""

    tool: Tool
    pointer: str


def closed(target: Target) -> Iterator[Closed]:
    """Yield the tools that claim so and take text: read-only ones, and those whose argument is a URL or a file."""
    for tool in target.surface_tools:
        if not consent.closed_world(tool) or consent.task_only(tool):
            continue
        found = target.classified(tool.name)
        classes = {use.pointer: use.cls for use in found.uses}
        texts = sorted(
            (leaf for leaf in leaves(tool.input_schema) if leaf.textual), key=lambda leaf: _rank(leaf, classes)
        )
        for leaf in texts[:1]:
            if consent.read_only(tool) or classes.get(leaf.pointer) == "url":
                yield Closed(tool, leaf.pointer)


def _rank(leaf: Leaf, classes: Mapping[str, str]) -> int:
    """How likely an argument is to be fetched from."""
    by_class = {"url": 0, "path": 2}.get(classes.get(leaf.pointer, ""), 3)
    named = bool({"url", "uri", "link", "href", "source", "endpoint", "image"} & set(leaf.words))
    return min(by_class, 1 if named else 4) * 2 + (not leaf.required)


def asked(outcome: Outcome, limit: int = 160) -> str:
    """What was asked, in one line: the tool and its arguments."""
    step = next((step for step in outcome.probe.steps if isinstance(step, Call)), None)
    if step is None:
        return "the end"
    text = json.dumps(step.arguments, ensure_ascii=False)
    return f"{step.tool} {text if len(text) <= limit else text[:limit] + '…'}"


visits = urls.hits
"""Who came to the listener while a probe ran."""
