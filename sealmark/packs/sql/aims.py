"""Which tools take a statement, how one is put into their arguments, and the controls that show that they work.

The tool list decides; `sql_tools` of the configuration adds tools, corrects arguments and gives values for others. It
never takes a tool away, and a tool that its own name or annotations call a writer stays one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sealmark.check import Outcome, Target, call
from sealmark.record.model import Call, Probe, Step, Tool
from sealmark.surface.arguments import CannotFill
from sealmark.surface.leaves import Leaf, leaves

APPROVALS = frozenset(
    ["approve", "approved", "approval", "confirm", "confirmed", "confirmation", "consent", "allow", "force", "unsafe"]
)
"""Words in the name of an argument that approves a write."""


@dataclass(frozen=True, slots=True)
class Aim:
    """One argument of one tool that takes a statement.

    Attributes:
        tool: the tool.
        pointer: its argument for the statement.
        writer: whether it is there to write, by its own account or by the configuration's.
        detected_writer: whether it is by its own account.
        args: values for other arguments, by pointer.
        approval: the argument that approves a write; empty when there is none.
    """

    tool: Tool
    pointer: str
    writer: bool = False
    detected_writer: bool = False
    args: Mapping[str, Any] = field(default_factory=dict)
    approval: str = ""


def aims(target: Target) -> tuple[Aim, ...]:
    """Every tool that takes SQL, in listing order, one argument each: the configured one, else the first detected."""
    detected: dict[str, tuple[str, bool]] = {}
    for tool, use in target.taking("sql"):
        detected.setdefault(tool.name, (use.pointer, use.use == "write"))
    configured = {entry["tool"]: entry for entry in target.setting("sql_tools", ()) or ()}
    return tuple(
        _aim(tool, detected.get(tool.name), configured.get(tool.name, {}))
        for tool in target.surface_tools
        if tool.name in detected or tool.name in configured
    )


def readers(target: Target) -> tuple[Aim, ...]:
    """The tools that must not change anything: all but those that call themselves writers.

    That the configuration calls a tool a writer does not excuse it: a list could hide a tool that way.
    """
    return tuple(aim for aim in aims(target) if not aim.detected_writer)


def writers(target: Target) -> tuple[Aim, ...]:
    """The tools that are there to write, by their own account or by the configuration's."""
    return tuple(aim for aim in aims(target) if aim.writer)


def _aim(tool: Tool, found: tuple[str, bool] | None, entry: Mapping[str, Any]) -> Aim:
    every = leaves(tool.input_schema)
    pointer = found[0] if found else ""
    if entry:
        texts = [leaf.pointer for leaf in every if leaf.textual]
        named = [leaf for leaf in texts if leaf == entry["arg"] or leaf.startswith(f"{entry['arg']}/")]
        pointer = named[0] if named else str(entry["arg"])
    wrote = bool(found and found[1])
    approval = entry.get("approval") or next((leaf.pointer for leaf in every if _approves(leaf)), "")
    args = {_escaped(name): value for name, value in (entry.get("args") or {}).items()}
    return Aim(tool, pointer, wrote or entry.get("role") == "writer", wrote, args, approval)


def _approves(leaf: Leaf) -> bool:
    return "boolean" in leaf.types and bool(APPROVALS & set(leaf.words))


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def calling(
    target: Target, aim: Aim, statement: str, *, approved: bool | None = None, timeout_sec: float = 0
) -> Call | CannotFill:
    """A call of the aim's tool with this statement (a template), its required arguments filled, or why there is none.

    `approved` sets the argument that approves a write, where there is one; None leaves it as the schema has it.
    """
    values: dict[str, Any] = {**aim.args, aim.pointer: statement}
    if approved is not None and aim.approval:
        values[aim.approval] = approved
    arguments = target.fill(aim.tool, values)
    return arguments if isinstance(arguments, CannotFill) else call(aim.tool, arguments, timeout_sec=timeout_sec)


def control_id(target: Target, aim: Aim, case: str = "read") -> str:
    """The id of an aim's control probe in the bound check."""
    return target.probe("control", case, tool=aim.tool.name).id


def probe(
    target: Target,
    aim: Aim,
    case: str,
    statements: Iterable[str],
    *,
    why: str,
    role: Any = "attack",
    after: Iterable[Step] = (),
    session: str = "main",
    requires: str = "",
    resource: str = "",
    approved: bool | None = None,
    timeout_sec: float = 0,
) -> Iterator[Probe]:
    """A probe that sends one statement after another through one tool; none when its schema cannot be filled."""
    steps: list[Step] = []
    for statement in statements:
        step = calling(target, aim, statement, approved=approved, timeout_sec=timeout_sec)
        if isinstance(step, CannotFill):
            return
        steps.append(step)
    yield target.probe(
        role,
        case,
        *steps,
        *after,
        tool=aim.tool.name,
        why=why,
        session=session,
        requires=requires,
        resource=resource,
    )


def statement_of(outcome: Outcome, limit: int = 240) -> str:
    """What was asked, in one line: the tool and the statements, or its arguments where no text is among them."""
    shown = [_shown(step.arguments) for step in outcome.probe.steps if isinstance(step, Call)]
    text = " then ".join(" ".join(one.split()) for one in shown)
    return f"{outcome.probe.tool}: {text if len(text) <= limit else text[:limit] + '…'}"


def _shown(arguments: Any) -> str:
    texts = list(_texts(arguments))
    return max(texts, key=len) if texts else json.dumps(arguments)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ():
        yield from _texts(inner)


def reply_of(outcome: Outcome, limit: int = 160) -> str:
    """What came back last, in one line."""
    last = outcome.last
    if last is None:
        return "was not answered"
    said = " ".join((last.readings.text if last.readings is not None else "").split())[:limit]
    return f"came back with {said}" if said else "was answered"
