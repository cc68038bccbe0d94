"""Every text of a surface that a model may read, each with a name for where it stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sealmark.reading.walk import strings
from sealmark.record.model import Json, Prompt, Resource, Surface, Tool

MAX_STRINGS = 5_000
"""Strings read of one schema."""
MAX_CHARACTERS = 8_000_000
"""Characters of all texts together that a judge reads."""
MACHINE = frozenset(
    {"pattern", "format", "type", "$ref", "$schema", "$id", "$anchor", "$dynamicRef", "contentEncoding"}
)
"""Keywords of JSON Schema whose values are for programs: a pattern may well name control characters."""


class Text(NamedTuple):
    """One text: the listing that it came with (open, tools, resources, templates, prompts), its place, its words."""

    listing: str
    where: str
    text: str


def texts(surface: Surface) -> Iterator[Text]:
    """Yield every non-empty text of the surface, in the order of the listings."""
    found = (
        *(Text("open", where, text) for where, text in _server(surface)),
        *(Text("tools", f'tool "{tool.name}" {where}', text) for tool in surface.tools for where, text in _tool(tool)),
        *(Text(_listing(item), *pair) for item in surface.resources for pair in _resource(item)),
        *(Text("prompts", *pair) for prompt in surface.prompts for pair in _prompt(prompt)),
    )
    yield from (item for item in found if item.text)


def readable(surface: Surface) -> tuple[list[Text], bool]:
    """Return the texts of the surface up to MAX_CHARACTERS, and whether that was all of them."""
    kept: list[Text] = []
    room = MAX_CHARACTERS
    for text in texts(surface):
        room -= len(text.text)
        if room < 0:
            return kept, False
        kept.append(text)
    return kept, True


def _server(surface: Surface) -> Iterator[tuple[str, str]]:
    yield "server instructions", surface.instructions
    for pointer, text in strings(surface.server_info, keys=False):
        yield f"serverInfo {pointer}", text


def _tool(tool: Tool) -> Iterator[tuple[str, str]]:
    yield "name", tool.name
    yield "title", tool.title
    yield "description", tool.description
    for name, value in (("annotations", tool.annotations), ("other fields", tool.extra)):
        for pointer, text in strings(value, nodes=MAX_STRINGS):
            yield f"{name} {pointer}", text
    for name, schema in (("input schema", tool.input_schema), ("output schema", tool.output_schema)):
        for pointer, text in _schema(schema):
            yield f"{name} {pointer}", text


def _schema(schema: Json) -> Iterator[tuple[str, str]]:
    """Descriptions, titles, enums, defaults, examples and names of properties; not what is for programs only."""
    for pointer, text in strings(schema, nodes=MAX_STRINGS):
        parts = pointer.split("/")
        if parts[-1] in MACHINE and (len(parts) < 2 or parts[-2] != "properties"):
            continue
        if len(parts) > 1 and parts[-2] == "patternProperties":
            continue
        yield pointer, text


def _listing(item: Resource) -> str:
    return "templates" if item.template else "resources"


def _resource(item: Resource) -> Iterator[tuple[str, str]]:
    kind = "resource template" if item.template else "resource"
    for name in ("uri", "name", "title", "description", "mime_type"):
        yield f'{kind} "{item.uri}" {name}', getattr(item, name)


def _prompt(prompt: Prompt) -> Iterator[tuple[str, str]]:
    for name in ("name", "title", "description"):
        yield f'prompt "{prompt.name}" {name}', getattr(prompt, name)
    for argument in prompt.arguments:
        yield f'prompt "{prompt.name}" argument name', argument.name
        yield f'prompt "{prompt.name}" argument {argument.name}', argument.description
