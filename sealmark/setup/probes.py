"""A `probes:` block for a server: one valid call for each tool, aimed at what the harness owns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from sealmark.errors import UsageError
from sealmark.reading.visible import visible
from sealmark.record import marks
from sealmark.record.model import Classified, Json, RunRecord, Tool
from sealmark.settings.document import Document
from sealmark.settings.show import flow, scalar
from sealmark.surface.arguments import CannotFill, fill
from sealmark.surface.consent import read_only, task_only

FORMAT = "sealmark.probes/1"

VALUES: Mapping[str, Mapping[str, Json]] = {
    "path": {
        "read": "{sandbox}/hello.txt",
        "stat": "{sandbox}/hello.txt",
        "edit": "{sandbox}/hello.txt",
        "list": "{sandbox}",
        "search": "{sandbox}",
        "cwd": "{sandbox}",
        "write": "{sandbox}/probe.txt",
        "create": "{sandbox}/probe",
        "delete": "{sandbox}/sub/data.csv",
        "source": "{sandbox}/sub/hello.txt",
        "destination": "{sandbox}/moved.txt",
        "content": "written by a probe",
        "old": "hello",
        "pattern": "*hello*",
    },
    "git": {
        "read": "{sandbox}",
        "write": "{sandbox}",
        "ref": "HEAD",
        "file": "hello.txt",
        "message": "a probe",
        "text": "hello",
    },
    "url": {"fetch": "{listener}"},
    "sql": {"query": "SELECT 1", "write": "SELECT 1"},
    "command": {"run": "echo hello"},
}
"""Class and use of an argument -> the value that it gets."""

OWNED = frozenset({"path", "git", "url"})
"""Classes whose values point at what the harness owns, so that a call changes nothing of the user's."""


class Written(msgspec.Struct, frozen=True, omit_defaults=True):
    """One probe as it stands in a configuration."""

    id: str
    tool: str
    args: dict[str, Json]
    active: bool = False


class LeftOut(msgspec.Struct, frozen=True):
    """A tool that gets no probe, and why."""

    tool: str
    reason: str


class Block(msgspec.Struct, frozen=True):
    """Probes for the tools that can be called, and the tools that cannot."""

    server: str
    probes: tuple[Written, ...]
    left_out: tuple[LeftOut, ...]

    def as_json(self) -> dict[str, Any]:
        """The block for machines."""
        return {
            "format": FORMAT,
            "server": self.server,
            "probes": msgspec.to_builtins(self.probes),
            "leftOut": msgspec.to_builtins(self.left_out),
        }

    def as_yaml(self) -> str:
        """The block as it is pasted into a configuration: tools without a probe are commented out, with the reason."""
        if not self.probes:
            return "probes: []\n" + "".join(f"{line}\n" for out in self.left_out for line in _commented(out))
        lines = ["probes:"]
        lines += [line for probe in self.probes for line in _lines(probe)]
        lines += [line for out in self.left_out for line in _commented(out)]
        return "\n".join(lines) + "\n"


def block_of(record: RunRecord) -> Block:
    """The block for the server of a record that met it; the same surface gives the same block."""
    gathered = record.gathered
    classified = {entry.tool: entry for entry in gathered.classified}
    made = [_probe(tool, classified.get(tool.name)) for tool in gathered.surface.tools if tool.name]
    return Block(
        visible(gathered.server.name, newlines="escape"),
        tuple(probe for probe in made if isinstance(probe, Written)),
        tuple(probe for probe in made if isinstance(probe, LeftOut)),
    )


def _probe(tool: Tool, entry: Classified | None) -> Written | LeftOut:
    if marks.names_in(tool.name) or marks.escape("{sandbox}") in tool.name:
        return LeftOut(tool.name, "its name changes from run to run")
    if task_only(tool):
        return LeftOut(tool.name, "it can only be called as a task, which the harness does not do")
    uses = entry.uses if entry is not None else ()
    values = {use.pointer: VALUES[use.cls][use.use] for use in uses if use.use in VALUES.get(use.cls, {})}
    filled = fill(tool.input_schema, values)
    if isinstance(filled, CannotFill):
        where = f"{filled.pointer}: " if filled.pointer else ""
        return LeftOut(tool.name, f"{where}{filled.reason}")
    owned = any(use.cls in OWNED for use in uses)
    return Written(tool.name, tool.name, filled.arguments, active=not owned and not read_only(tool))


def _lines(probe: Written) -> Iterator[str]:
    yield f"  - id: {scalar(probe.id)}"
    yield f"    tool: {scalar(probe.tool)}"
    if probe.args:
        yield f"    args: {flow(probe.args)}"
    if probe.active:
        yield "    active: true  # not annotated as read-only, so it is called with --active alone"


def _commented(out: LeftOut) -> Iterator[str]:
    yield f"  # - id: {scalar(out.tool)}  # {visible(out.reason, newlines='escape', limit=200)}"
    yield f"  #   tool: {scalar(out.tool)}"
    yield "  #   args: {}"


def refuse_to_append(document: Document) -> None:
    """Say why probes cannot be added at the end of a configuration.

    Raises:
        UsageError: it cannot be read, has probes, or has several servers.
    """
    if document.problems:
        line, column, says = document.problems[0]
        raise UsageError(f"{document.name}:{line}:{column}: {says}", hint="Mend the file first: sealmark config show")
    if "probes" in document.data:
        line, column = document.position(("probes",), at_key=True)
        raise UsageError(
            f"{document.name}:{line}:{column}: there are probes already; nothing was written",
            hint="Leave out --write and paste what you need.",
        )
    if "servers" in document.data:
        raise UsageError(
            f"{document.name} has several servers, and probes at its end would be for all of them",
            hint="Leave out --write and paste the block into the server's entry.",
        )


def appended(document: Document, block: Block) -> str:
    """The text of a configuration with the block at its end."""
    before = document.text if not document.text or document.text.endswith("\n") else document.text + "\n"
    return f"{before}\n{block.as_yaml()}"
