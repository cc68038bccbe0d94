"""What the checks of this pack share: which tools take which arguments, and what they are filled with."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sealmark.check import Target, call
from sealmark.record.model import Call, Look, Restore, Tool
from sealmark.surface.arguments import CannotFill
from sealmark.surface.leaves import Leaf, leaves, words

AFTER = (Look("git"), Restore("git"))
"""What follows every call: state decides for reading tools too."""

_MAKES = frozenset(["create", "new", "add", "make"])
_SWITCHES = frozenset(["checkout", "switch", "merge", "rebase", "pick", "cherry"])
_CLONES = frozenset(["clone", "worktree"])
_CHOICES = frozenset(["type", "mode", "kind", "scope", "filter"])
_QUOTED = re.compile(r"['\"`]([a-z][\w-]{1,19})['\"`]")


@dataclass(frozen=True, slots=True)
class Aim:
    """One tool on repositories: where its repository stands, what it does, and values for what else it requires.

    `rest` are its other arguments that take text, by pointer, with what they are: message, file, ref or text.
    """

    tool: Tool
    pointer: str
    use: str
    values: Mapping[str, str]
    rest: Mapping[str, str]

    @property
    def verbs(self) -> frozenset[str]:
        """The words of the tool's name."""
        return frozenset(words(self.tool.name))


def aims(target: Target) -> tuple[Aim, ...]:
    """Every tool that takes the path of a repository, in listing order, however sure that is."""
    found: dict[str, Aim] = {}
    for tool, use in target.taking("git", "read", "write", sure=False):
        if tool.name not in found:
            found[tool.name] = _aim(target, tool, use.pointer, use.use)
    return tuple(found.values())


def _aim(target: Target, tool: Tool, pointer: str, use: str) -> Aim:
    by_pointer = {leaf.pointer: leaf for leaf in leaves(tool.input_schema)}
    uses = {item.pointer: item.use for item in target.classified(tool.name).uses if item.pointer != pointer}
    rest = {name: kind for name, kind in uses.items() if name in by_pointer and kind not in ("read", "write")}
    needed = {name: kind for name, kind in rest.items() if by_pointer[name].required}
    values = {name: _value(tool, by_pointer[name], kind) for name, kind in needed.items()}
    return Aim(tool, pointer, use, {name: value for name, value in values.items() if value}, rest)


def _value(tool: Tool, leaf: Leaf, kind: str) -> str:
    """A value with which the tool works in every repository of the harness; empty when any will do."""
    verbs = set(words(tool.name))
    told = _QUOTED.search(leaf.description)
    if kind == "fetch" or {"url", "uri"} & set(leaf.words):
        return "{sandbox}"  # a repository, too, and no host is contacted
    if kind == "message":
        return "{written}"
    if kind == "file":
        return "made" if verbs & _CLONES else "tracked.txt"
    if kind == "ref" and verbs & _MAKES and {"branch", "tag", "name"} & set(leaf.words):
        return "made"
    if kind == "ref" and "remote" in leaf.words:
        return "origin"
    if told and (kind != "ref" or _CHOICES & set(leaf.words)):
        return told[1]
    if kind == "ref":
        return "feature" if verbs & _SWITCHES else "HEAD"
    return ""


def calling(target: Target, aim: Aim, path: str, more: Mapping[str, str] | None = None) -> Call | None:
    """A call on the repository at `path` (a template), with `more` values; None when the schema cannot be filled."""
    arguments = target.fill(aim.tool, {**aim.values, aim.pointer: path, **(more or {})})
    return None if isinstance(arguments, CannotFill) else call(aim.tool, arguments)
