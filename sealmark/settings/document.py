"""YAML text as plain values with a line and a column for each.

The text is composed into nodes and read by hand, so that every mistake of a file is found at once and no tag can
construct anything. Depth and the work of aliases are bounded.
"""

from __future__ import annotations

from typing import Any

import msgspec
import yaml

from sealmark.settings.types import Path

MAX_DEPTH = 40
"""Most levels of nesting."""

MAX_NODES = 100_000
"""Most values once aliases are followed."""


class Document(msgspec.Struct, frozen=True):
    """A parsed file.

    Attributes:
        name: the path as messages show it.
        text: the whole text.
        data: its top mapping, with plain values.
        values: path -> (line, column) of the value, from 1.
        keys: path -> (line, column) of the key.
        written: path of a scalar -> its text.
        problems: what is wrong with it as YAML, as lines that begin with a position.
    """

    name: str
    text: str
    data: dict[str, Any]
    values: dict[Path, tuple[int, int]] = {}
    keys: dict[Path, tuple[int, int]] = {}
    written: dict[Path, str] = {}
    problems: tuple[tuple[int, int, str], ...] = ()

    def position(self, path: Path, at_key: bool = False) -> tuple[int, int]:
        """Line and column of what stands at a path, or of the closest thing above it."""
        for end in range(len(path), -1, -1):
            found = (self.keys if at_key else self.values).get(path[:end]) or self.keys.get(path[:end])
            if found:
                return found
        return (1, 1)


def parse(text: str, name: str = "sealmark.yaml") -> Document:
    """Parse YAML text into plain values with positions. What is wrong with it stands in `problems`."""
    document = Document(name, text, {})
    try:
        nodes = list(yaml.compose_all(text, Loader=yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        says = " ".join(part for part in (error.problem, error.context) if part)
        return msgspec.structs.replace(document, problems=((*at, f"not YAML: {says}"),))
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        return msgspec.structs.replace(document, problems=((line, 1, "not YAML: a control character"),))
    except (RecursionError, ValueError):
        return msgspec.structs.replace(document, problems=((1, 1, f"nested deeper than {MAX_DEPTH} levels"),))
    if not nodes or nodes[0] is None:
        return document
    walker = _Walker(document)
    if len(nodes) > 1:
        walker.wrong(nodes[1], "a second document begins; keep one")
    if isinstance(nodes[0], yaml.MappingNode):
        document.data.update(walker.mapping(nodes[0], ()))
    elif nodes[0].tag != "tag:yaml.org,2002:null":
        walker.wrong(nodes[0], "the file must be a mapping of settings, like `server:` and under it `command: …`")
    return msgspec.structs.replace(document, problems=tuple(walker.problems))


_SCALARS = {f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "timestamp")}
_MERGE = "tag:yaml.org,2002:merge"


class _Walker:
    """Turns nodes into plain values and notes where each stood."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._nodes = 0
        self._constructor = yaml.constructor.SafeConstructor()
        self.problems: list[tuple[int, int, str]] = []

    def wrong(self, node: yaml.Node, says: str) -> None:
        """Note a mistake at a node."""
        self.problems.append((*_mark(node), says))

    def value(self, node: yaml.Node, path: Path) -> Any:
        """The plain value of a node."""
        self._document.values[path] = _mark(node)
        self._nodes += 1
        if self._nodes > MAX_NODES or len(path) > MAX_DEPTH:
            if self._nodes <= MAX_NODES + 1:
                self._nodes = MAX_NODES + 2
                self.wrong(node, f"more than {MAX_NODES} values or {MAX_DEPTH} levels once aliases are followed")
            return None
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            if node.tag != "tag:yaml.org,2002:seq":
                self.wrong(node, f"the tag {_tag(node)} is not allowed here")
            return [self.value(item, (*path, at)) for at, item in enumerate(node.value)]
        return self._scalar(node, path)

    def mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        """The plain mapping of a node; a repeated key is a mistake, and the first stays."""
        if node.tag != "tag:yaml.org,2002:map":
            self.wrong(node, f"the tag {_tag(node)} is not allowed here")
        found: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key, item in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self.wrong(key, "a key must be a word")
                continue
            here = (*path, key.value)
            if key.tag == _MERGE:
                merged = {**self._merged(item, path), **merged}
            elif key.value in found:
                self.wrong(
                    key, f"the key {key.value!r} stands here twice (first in line {self._document.keys[here][0]})"
                )
            else:
                self._document.keys[here] = _mark(key)
                found[key.value] = self.value(item, here)
        return {**{name: value for name, value in merged.items() if name not in found}, **found}

    def _merged(self, node: yaml.Node, path: Path) -> dict[str, Any]:
        parts = node.value if isinstance(node, yaml.SequenceNode) else [node]
        merged: dict[str, Any] = {}
        for part in parts:
            value = self.value(part, path)
            if isinstance(value, dict):
                merged = {**value, **merged}
            else:
                self.wrong(part, "`<<` must name a mapping")
        return merged

    def _scalar(self, node: yaml.Node, path: Path) -> Any:
        self._document.written[path] = node.value
        kind = node.tag.rpartition(":")[2]
        if node.tag not in _SCALARS:
            self.wrong(node, f"the tag {_tag(node)} is not allowed here")
        if kind not in ("int", "float", "bool", "null") or (kind in ("int", "float") and ":" in node.value):
            return node.value
        try:
            return self._constructor.construct_object(node)
        except (ValueError, yaml.YAMLError):
            return node.value


def _mark(node: yaml.Node) -> tuple[int, int]:
    return node.start_mark.line + 1, node.start_mark.column + 1


def _tag(node: yaml.Node) -> str:
    return repr(node.tag.replace("tag:yaml.org,2002:", "!!"))
