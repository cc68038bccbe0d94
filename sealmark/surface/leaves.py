"""The leaves of an input schema: every argument that takes a single value, with the words that describe it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sealmark.reading.walk import mapping, text_of
from sealmark.record.model import Json
from sealmark.surface import schemas

MAX_LEAVES = 200
MAX_NODES = 512
MAX_DEPTH = 8
MAX_WORDS = 2_000
"""Characters of one description that are read for evidence."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_JOINED = {
    "filepath": ("file", "path"),
    "filepaths": ("file", "paths"),
    "filename": ("file", "name"),
    "filenames": ("file", "names"),
    "dirpath": ("dir", "path"),
    "dirname": ("dir", "name"),
    "workdir": ("work", "dir"),
    "workingdir": ("working", "dir"),
    "srcpath": ("src", "path"),
    "destpath": ("dest", "path"),
    "repopath": ("repo", "path"),
    "commandline": ("command", "line"),
    "cmdline": ("cmd", "line"),
    "sqlquery": ("sql", "query"),
    "mkdir": ("make", "directory"),
    "rmdir": ("remove", "directory"),
    "readfile": ("read", "file"),
    "writefile": ("write", "file"),
}


def words(name: str) -> tuple[str, ...]:
    """Return the words of an identifier in lower case: `filePath`, `file_path` and `file-path` have the same."""
    found: list[str] = []
    for word in _WORD.findall(name[:200]):
        lowered = word.lower()
        found.extend(_JOINED.get(lowered, (lowered,)))
    return tuple(found)


class Leaf(NamedTuple):
    """One argument: its pointer, its own words, and what the schema says of it.

    `siblings` are the words of the names beside it; `array` says that it is an item of an array of values.
    """

    pointer: str
    name: str
    words: tuple[str, ...]
    description: str
    types: tuple[str, ...]
    format: str
    fixed: bool
    required: bool
    array: bool
    default: Json
    siblings: frozenset[str]

    @property
    def textual(self) -> bool:
        """Whether it takes free text."""
        return "string" in self.types and not self.fixed


def leaves(schema: Json) -> tuple[Leaf, ...]:
    """Return the leaves of an input schema in the order of its properties, bounded in depth and number."""
    found: list[Leaf] = []
    budget = [MAX_NODES]
    for leaf in _below(schema, schema, "", True, budget, 0):
        found.append(leaf)
        if len(found) >= MAX_LEAVES:
            break
    return tuple(found)


def _below(schema: Json, root: Json, base: str, required: bool, budget: list[int], depth: int) -> Iterator[Leaf]:
    """Yield the leaves of one object schema."""
    resolved = schemas.resolve(schema, root)
    if resolved is None or depth > MAX_DEPTH:
        return
    for branch in (resolved, *_branches(resolved, root)):
        properties = mapping(branch.get("properties"))
        siblings = frozenset(str(name).lower().replace("-", "_") for name in properties)
        wanted = branch.get("required")
        for name, inner in properties.items():
            budget[0] -= 1
            if budget[0] < 0:
                return
            pointer = f"{base}/{_escaped(name)}" if base else _escaped(name)
            needed = required and isinstance(wanted, list) and name in wanted
            yield from _one(name, inner, root, pointer, needed, siblings, budget, depth)


def _branches(resolved: dict[str, Json], root: Json) -> list[dict[str, Json]]:
    """Return the alternatives of a schema, less those that cannot be resolved."""
    found = (schemas.resolve(branch, root) for branch in schemas.alternatives(resolved))
    return [branch for branch in found if branch is not None]


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _one(
    name: str,
    schema: Json,
    root: Json,
    pointer: str,
    required: bool,
    siblings: frozenset[str],
    budget: list[int],
    depth: int,
    described: str = "",
    array: bool = False,
) -> Iterator[Leaf]:
    """Yield one property as a leaf, or the leaves inside it."""
    resolved = schemas.resolve(schema, root)
    if resolved is None or depth > MAX_DEPTH:
        return
    variants = [resolved, *_branches(resolved, root)]
    description = (text_of(resolved.get("description")) or described)[:MAX_WORDS]
    types = tuple(dict.fromkeys(kind for variant in variants for kind in schemas.types_of(variant)))
    for variant in variants:
        if isinstance(variant.get("properties"), dict):
            yield from _below(variant, root, pointer, required, budget, depth + 1)
        items = variant.get("items")
        prefix = variant.get("prefixItems")
        inner = prefix[0] if isinstance(prefix, list) and prefix else items
        if isinstance(inner, dict) and "array" in schemas.types_of(variant):
            budget[0] -= 1
            if budget[0] >= 0:
                place = f"{pointer}/0"
                yield from _one(name, inner, root, place, required, siblings, budget, depth + 1, description, True)
    scalars = tuple(kind for kind in types if kind not in ("object", "array", "null"))
    if scalars or not types:
        yield Leaf(
            pointer=pointer,
            name=name,
            words=words(name),
            description=description,
            types=scalars or ("string",),
            format=next((text_of(variant.get("format")) for variant in variants if variant.get("format")), "").lower(),
            fixed=any("enum" in variant or "const" in variant for variant in variants),
            required=required,
            array=array,
            default=resolved.get("default"),
            siblings=siblings,
        )
