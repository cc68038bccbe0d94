"""Which arguments are tried, and how a value is put into one: what no other pack owns, ranked, two of a tool."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sealmark.check import Outcome, Target, call, slug
from sealmark.record.model import Call, Probe, Role, Step, Tool
from sealmark.surface import consent
from sealmark.surface.arguments import CannotFill
from sealmark.surface.leaves import Leaf, leaves

MAX_LEAVES = 2
"""Arguments of one tool that one check tries."""

MAX_TOOLS = 12
"""Tools that one check tries, those first whose arguments rank highest; the others are named."""

OWNED = frozenset(["command", "sql", "git", "path", "url"])
"""Classes of arguments that other packs try."""

PLAIN = "sealmark"
"""A value that means nothing to anybody."""


@dataclass(frozen=True, slots=True)
class Aim:
    """One argument of one tool, and the ordinary value that goes before every other."""

    tool: Tool
    pointer: str
    plain: str
    score: int

    @property
    def suffix(self) -> str:
        """What tells the argument in the name of a case."""
        return f"@{slug(self.pointer.replace('/', '.'))}"

    @property
    def name(self) -> str:
        """Tool and argument, for people."""
        return f"{self.tool.name}.{self.pointer}"


def free(target: Target) -> Iterator[tuple[Tool, Leaf]]:
    """Every argument for text that no other pack owns. Tools that say that they destroy are left alone."""
    for tool in target.surface_tools:
        if consent.task_only(tool) or tool.annotations.get("destructiveHint") is True:
            continue
        found = target.classified(tool.name)
        owned = {use.pointer for use in found.uses if use.cls in OWNED} if found.confidence != "low" else set()
        yield from ((tool, leaf) for leaf in leaves(tool.input_schema) if leaf.textual and leaf.pointer not in owned)


def ranked(target: Target, telling: frozenset[str]) -> tuple[list[Aim], list[Aim]]:
    """The arguments to try and those left out, best first.

    Args:
        target: what the plan sees.
        telling: words of arguments that are likely to end where the check looks.
    """
    by_tool: dict[str, list[Aim]] = {}
    for tool, leaf in free(target):
        plain = leaf.default if isinstance(leaf.default, str) and leaf.default else PLAIN
        by_tool.setdefault(tool.name, []).append(Aim(tool, leaf.pointer, plain, _score(leaf, telling)))
    kept: list[list[Aim]] = []
    left: list[Aim] = []
    for every in by_tool.values():
        every.sort(key=lambda aim: -aim.score)
        fitting = [aim for aim in every if calling(target, aim, aim.plain) is not None]
        kept.append(fitting[:MAX_LEAVES])
        left += [aim for aim in every if aim not in fitting[:MAX_LEAVES]]
    kept.sort(key=lambda every: -max((aim.score for aim in every), default=-1))
    chosen = [aim for every in kept[:MAX_TOOLS] for aim in every]
    return chosen, [*(aim for every in kept[MAX_TOOLS:] for aim in every), *left]


def _score(leaf: Leaf, telling: frozenset[str]) -> int:
    return 2 * bool(telling & set(leaf.words)) + leaf.required


def calling(target: Target, aim: Aim, value: str) -> Call | None:
    """A call with this value (a template) in the argument and nothing else but what is required; None without any."""
    arguments = target.fill(aim.tool, {aim.pointer: value})
    return None if isinstance(arguments, CannotFill) else call(aim.tool, arguments)


def trying(
    target: Target, aim: Aim, role: Role, case: str, values: Iterable[str], why: str, *after: Step, requires: str = ""
) -> Iterator[Probe]:
    """A probe that sends these values, one call each; none when the schema takes one of them not."""
    steps = [calling(target, aim, value) for value in values]
    calls = [step for step in steps if step is not None]
    if len(calls) == len(steps):
        yield target.probe(
            role,
            case + aim.suffix,
            *calls,
            *after,
            tool=aim.tool.name,
            why=why,
            requires=requires,
            resource="inject",
            consent=True,
        )


def asked(outcome: Outcome, limit: int = 200) -> str:
    """What was sent, in one line: the tool and its arguments."""
    step = next((step for step in reversed(outcome.probe.steps) if isinstance(step, Call)), None)
    text = json.dumps(step.arguments if step is not None else {}, ensure_ascii=False)
    return f"{outcome.probe.tool} {text if len(text) <= limit else text[:limit] + '…'}"
