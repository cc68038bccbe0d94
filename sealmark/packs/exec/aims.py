"""What the checks of this pack share: which tools run commands, and how a command line is put into their arguments."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from sealmark.check import Outcome, Target, call
from sealmark.record.model import Call, Tool
from sealmark.surface.arguments import CannotFill
from sealmark.surface.leaves import Leaf, leaves

MAX_TOOLS = 4
"""Tools of one server that are asked; the first ones in listing order."""

_ARGUMENTS = frozenset(["args", "arguments", "argv", "params", "parameters"])
_UNITS = frozenset(["ms", "millis", "milliseconds", "msec"])


@dataclass(frozen=True, slots=True)
class Aim:
    """One tool that runs commands.

    Attributes:
        pointer: where the command stands; of its first word when the command is a list of words.
        arguments: where the first of its arguments stands when they are apart from the program, else empty.
        words: whether the command is a list of words.
        cwd: where the working directory stands, or empty.
        timeout: where the time that a command may take stands, or empty.
        milliseconds: whether that time is in milliseconds.
    """

    tool: Tool
    pointer: str
    arguments: str = ""
    words: bool = False
    cwd: str = ""
    timeout: str = ""
    milliseconds: bool = False

    @property
    def listed(self) -> bool:
        """Whether words are passed one by one, so that nothing need split a line."""
        return self.words or bool(self.arguments)


def aims(target: Target) -> tuple[Aim, ...]:
    """The tools that run commands, in listing order, one command of each."""
    found: dict[str, Aim] = {}
    for tool, use in target.taking("command", "run"):
        if tool.name not in found and len(found) < MAX_TOOLS:
            found[tool.name] = _aim(target, tool, use.pointer)
    return tuple(found.values())


def _aim(target: Target, tool: Tool, pointer: str) -> Aim:
    every = leaves(tool.input_schema)
    own = next((leaf for leaf in every if leaf.pointer == pointer), None)
    words = own is not None and own.array
    apart = next((leaf for leaf in every if leaf.array and leaf.textual and _ARGUMENTS & set(leaf.words)), None)
    cwd = next((use.pointer for use in target.classified(tool.name).uses if use.use == "cwd"), "")
    time = next((leaf for leaf in every if "timeout" in leaf.words and {"integer", "number"} & set(leaf.types)), None)
    return Aim(
        tool,
        pointer,
        arguments=apart.pointer if apart is not None and not words else "",
        words=words,
        cwd=cwd,
        timeout=time.pointer if time is not None else "",
        milliseconds=time is not None and _milliseconds(time),
    )


def _milliseconds(leaf: Leaf) -> bool:
    large = isinstance(leaf.default, int | float) and leaf.default >= 1000
    return large or bool(_UNITS & set(leaf.words)) or "millisecond" in leaf.description.lower()


def split(line: str) -> list[str]:
    """The words of a line as a shell would split it; at spaces where its quotes do not match."""
    try:
        return shlex.split(line)
    except ValueError:
        return line.split(" ")


def calling(
    target: Target,
    aim: Aim,
    command: str | Sequence[str],
    *,
    cwd: str = "{sandbox}",
    timeout: float = 0,
    wait_sec: float = 0,
) -> Call | None:
    """A call that runs a command (a line, or its words), or None when the schema cannot be filled.

    Args:
        target: what the plan sees.
        aim: the tool.
        command: a template.
        cwd: the working directory, where the tool takes one.
        timeout: seconds that the tool is told to wait, where it can be told; 0 leaves it out.
        wait_sec: seconds that the harness waits for the answer.
    """
    words = split(command) if isinstance(command, str) else list(command)
    values: dict[str, object] = {}
    if aim.words:
        values |= {f"{aim.pointer.removesuffix('/0')}/{at}": word for at, word in enumerate(words)}
    elif aim.arguments:
        values[aim.pointer] = words[0]
        values |= {f"{aim.arguments.removesuffix('/0')}/{at}": word for at, word in enumerate(words[1:])}
    else:
        values[aim.pointer] = command if isinstance(command, str) else shlex.join(command)
    if aim.cwd:
        values[aim.cwd] = cwd
    if aim.timeout and timeout:
        values[aim.timeout] = round(timeout * 1000) if aim.milliseconds else round(timeout)
    arguments = target.fill(aim.tool, values)
    return None if isinstance(arguments, CannotFill) else call(aim.tool, arguments, timeout_sec=wait_sec)


def asked(outcome: Outcome, limit: int = 200) -> str:
    """What was asked, in one line: the tool and its arguments."""
    step = next(step for step in outcome.probe.steps if isinstance(step, Call))
    text = json.dumps(step.arguments)
    return f"{outcome.probe.tool} {text if len(text) <= limit else text[:limit] + '…'}"
