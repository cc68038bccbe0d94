"""Bounded walks over JSON of any shape."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sealmark.record.model import Json

MAX_NODES = 50_000
MAX_DEPTH = 64


class Node(NamedTuple):
    """One value of a walk: where it stands (`a/0/b`), how deep, and what it is. A key of an object counts as text."""

    pointer: str
    value: Json
    depth: int
    is_key: bool = False


def segment(key: object) -> str:
    """Return one key as a segment of a pointer, bounded, with `~` and `/` escaped as in RFC 6901."""
    return str(key)[:80].replace("~", "~0").replace("/", "~1")


def children(node: Node) -> list[Node]:
    """Return the values one level below, in order; keys of objects come first, as nodes of their own."""
    base = f"{node.pointer}/" if node.pointer else ""
    below: list[Node] = []
    if isinstance(node.value, dict):
        for key, value in node.value.items():
            name = base + segment(key)
            below.append(Node(name, key, node.depth + 1, is_key=True))
            below.append(Node(name, value, node.depth + 1))
    elif isinstance(node.value, list | tuple):
        for index, value in enumerate(node.value[:MAX_NODES]):
            below.append(Node(f"{base}{index}", value, node.depth + 1))
    return below


def walk(value: Json, *, nodes: int = MAX_NODES, depth: int = MAX_DEPTH) -> Iterator[Node]:
    """Yield every node of `value` in document order, at most `nodes` of them and not below `depth`."""
    stack = [Node("", value, 0)]
    while stack and nodes > 0:
        node = stack.pop()
        nodes -= 1
        yield node
        if node.depth < depth and not node.is_key and isinstance(node.value, dict | list | tuple):
            stack.extend(reversed(children(node)))


def exceeds(value: Json, *, nodes: int, depth: int) -> bool:
    """Say whether `value` holds more than `nodes` values, or anything below `depth` levels of arrays and objects."""
    level = [value] if isinstance(value, dict | list | tuple) else []
    for _ in range(depth):
        below: list[Json] = []
        for container in level:
            nodes -= len(container)
            if nodes < 0:
                return True
            held = container.values() if isinstance(container, dict) else container
            below.extend(item for item in held if isinstance(item, dict | list | tuple))
        if not below:
            return False
        level = below
    return any(level)


def strings(value: Json, *, keys: bool = True, nodes: int = MAX_NODES) -> Iterator[tuple[str, str]]:
    """Yield (pointer, text) for every string of `value`, with the keys of objects unless `keys` is false."""
    for node in walk(value, nodes=nodes):
        if isinstance(node.value, str) and (keys or not node.is_key):
            yield node.pointer, node.value


def mapping(value: Json) -> dict[str, Json]:
    """Return `value` when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: Json) -> list[Json]:
    """Return `value` when it is an array, else an empty one."""
    return value if isinstance(value, list) else []


def text_of(value: Json) -> str:
    """Return `value` when it is a string, else the empty one."""
    return value if isinstance(value, str) else ""
