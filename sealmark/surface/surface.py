"""What a server says of itself, from its raw answers: every shape is taken, every bound is named."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Literal

from sealmark.reading.walk import MAX_NODES, exceeds, mapping, sequence, text_of
from sealmark.record.model import Json, Listing, Prompt, PromptArgument, Resource, Surface, Tool
from sealmark.surface.meeting import LISTINGS

MAX_SCHEMA = 64 * 1024
"""Bytes of canonical JSON of a schema that is kept."""
MAX_DESCRIPTION = 16 * 1024
"""Characters of a description that are kept."""
MAX_INSTRUCTIONS = 64 * 1024
MAX_NAME = 1_024
MAX_EXTRA = 4 * 1024
"""Bytes of canonical JSON that unknown keys of one object may take together."""
MAX_NAMES = 100
MAX_ITEMS = 5_000
MAX_DEPTH = 100

_TOOL_KEYS = frozenset(("name", "title", "description", "inputSchema", "outputSchema", "annotations"))


def canonical(value: Json) -> bytes:
    """Return JSON with sorted keys, no spaces and ASCII only: the same bytes for the same value. Never raises.

    What JSON cannot hold, or is nested deeper than can be written, becomes the text of its type.
    """
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
    except (RecursionError, ValueError, TypeError):
        return json.dumps(_plain(value, 0), sort_keys=True, separators=(",", ":")).encode()


def _plain(value: Json, depth: int) -> Json:
    """Return a value that can be written: bounded in depth, keys as texts, huge numbers by their size."""
    if isinstance(value, dict | list | tuple) and depth >= MAX_DEPTH:
        return "nested too deeply"
    if isinstance(value, dict):
        return {str(key): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, depth + 1) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 4_096:
        return f"an integer of {value.bit_length()} bits"
    return value if value is None or isinstance(value, str | int | float | bool) else type(value).__name__


def _too_deep(value: Json) -> bool:
    return exceeds(value, nodes=MAX_NODES, depth=MAX_DEPTH)


def _schema(value: Json, name: str, cut: list[str]) -> Json:
    """Return a schema as sent, or None (and its name in `cut`) when it is too large or too deep to keep."""
    if value is None:
        return None
    if len(canonical(value)) > MAX_SCHEMA or _too_deep(value):
        cut.append(name)
        return None
    return value


def _text(value: Json, limit: int, name: str, cut: list[str]) -> str:
    """Return a text, cut to `limit` characters (and its name in `cut`); anything else becomes empty."""
    text = text_of(value)
    if len(text) > limit:
        cut.append(name)
    return text[:limit]


def _extra(raw: Mapping[str, Json], known: frozenset[str], cut: list[str]) -> dict[str, Json]:
    """Return the keys that this build does not know, and known ones of a wrong type, as long as they are small."""
    kept: dict[str, Json] = {}
    room = MAX_EXTRA
    for key, value in raw.items():
        wrong = key in ("name", "title", "description") and key in known and not isinstance(value, str)
        wrong = wrong or (key == "annotations" and not isinstance(value, dict) and value is not None)
        if key in known and not wrong:
            continue
        room -= len(canonical({key: value}))
        if room < 0 or _too_deep(value):
            cut.append("extra")
            break
        kept[key] = value
    return kept


def tool(raw: Json) -> Tool:
    """Return one tool of a listing. Without a usable name its name is empty and `extra` holds what stood there.

    `sha256` is over the canonical JSON of all that the server sent for it, so that a change anywhere shows.
    """
    digest = hashlib.sha256(canonical(raw)).hexdigest()
    if not isinstance(raw, dict):
        return Tool(name="", extra={"item": _plain(raw, MAX_DEPTH - 2)}, sha256=digest, cut=())
    cut: list[str] = []
    annotations = mapping(raw.get("annotations"))
    if len(canonical(annotations)) > MAX_EXTRA:
        annotations = {}
        cut.append("annotations")
    return Tool(
        name=_text(raw.get("name"), MAX_NAME, "name", cut),
        title=_text(raw.get("title"), MAX_DESCRIPTION, "title", cut),
        description=_text(raw.get("description"), MAX_DESCRIPTION, "description", cut),
        input_schema=_schema(raw.get("inputSchema"), "inputSchema", cut),
        output_schema=_schema(raw.get("outputSchema"), "outputSchema", cut),
        annotations=annotations,
        extra=_extra(raw, _TOOL_KEYS, cut),
        sha256=digest,
        cut=tuple(dict.fromkeys(cut)),
    )


def resource(raw: Json, *, template: bool = False, cut: list[str] | None = None) -> Resource:
    """Return one resource, or one template, of a listing."""
    raw, cut = mapping(raw), [] if cut is None else cut
    return Resource(
        uri=_text(raw.get("uriTemplate" if template else "uri"), MAX_DESCRIPTION, "uri", cut),
        name=_text(raw.get("name"), MAX_NAME, "name", cut),
        title=_text(raw.get("title"), MAX_DESCRIPTION, "title", cut),
        description=_text(raw.get("description"), MAX_DESCRIPTION, "description", cut),
        mime_type=_text(raw.get("mimeType"), MAX_NAME, "mimeType", cut),
        template=template,
    )


def prompt(raw: Json, cut: list[str] | None = None) -> Prompt:
    """Return one prompt of a listing."""
    raw, cut = mapping(raw), [] if cut is None else cut
    arguments = [
        PromptArgument(
            name=_text(item.get("name"), MAX_NAME, "argument", cut),
            description=_text(item.get("description"), MAX_DESCRIPTION, "argument", cut),
            required=item.get("required") is True,
        )
        for item in map(mapping, sequence(raw.get("arguments"))[:200])
    ]
    return Prompt(
        name=_text(raw.get("name"), MAX_NAME, "name", cut),
        title=_text(raw.get("title"), MAX_DESCRIPTION, "title", cut),
        description=_text(raw.get("description"), MAX_DESCRIPTION, "description", cut),
        arguments=tuple(arguments),
    )


METHODS = tuple(method for _, method, _, _ in LISTINGS)
"""Listings in the order in which they are kept."""


def build_surface(
    opened: Json,
    listings: Mapping[str, Json],
    *,
    era: Literal["legacy", "modern"] = "legacy",
    protocol_version: str = "",
) -> Surface:
    """Return the surface from the result of `initialize` (or `server/discover`) and the listings.

    `listings` maps methods of METHODS to `{"items": [raw, …], "pages": n, "stopped_by": ""}`. Everything is expected to
    be marked already.
    """
    opened = mapping(opened)
    info = mapping(opened.get("serverInfo"))
    info = info or mapping(mapping(opened.get("_meta")).get("io.modelcontextprotocol/serverInfo"))
    items = {method: sequence(mapping(listings.get(method)).get("items"))[:MAX_ITEMS] for method in METHODS}
    cut: list[str] = []
    resources = [resource(raw, cut=cut) for raw in items["resources/list"]]
    resources += [resource(raw, template=True, cut=cut) for raw in items["resources/templates/list"]]
    return Surface(
        era=era,
        protocol_version=protocol_version or text_of(opened.get("protocolVersion"))[:40],
        server_name=text_of(info.get("name"))[:MAX_NAME],
        server_title=text_of(info.get("title"))[:MAX_NAME],
        server_version=text_of(info.get("version"))[:MAX_NAME],
        server_info=_bounded(info, "serverInfo", cut),
        capabilities=_kept_by_name(mapping(opened.get("capabilities")), "capabilities", cut),
        instructions=_text(opened.get("instructions"), MAX_INSTRUCTIONS, "instructions", cut),
        tools=tuple(tool(raw) for raw in items["tools/list"]),
        resources=tuple(resources),
        prompts=tuple(prompt(raw, cut) for raw in items["prompts/list"]),
        listings=tuple(_listing(method, mapping(listings[method])) for method in METHODS if method in listings),
        cut=tuple(dict.fromkeys(cut)),
    )


def _bounded(value: dict[str, Json], name: str, cut: list[str]) -> dict[str, Json]:
    """Return an object as sent, or an empty one (and its name in `cut`) when it is too large to keep."""
    if len(canonical(value)) > MAX_DESCRIPTION or _too_deep(value):
        cut.append(name)
        return {}
    return value


def _kept_by_name(value: dict[str, Json], name: str, cut: list[str]) -> dict[str, Json]:
    """Return an object as sent; when it is too large, its names (the first of them) without their contents."""
    kept = _bounded(value, name, cut)
    return kept or {key: {} for key in list(value)[:MAX_NAMES] if len(key) <= MAX_NAME}


def _listing(method: str, listing: Mapping[str, Json]) -> Listing:
    """Return how a listing went."""
    items = sequence(listing.get("items"))
    pages = listing.get("pages")
    stopped = text_of(listing.get("stopped_by"))[:200]
    if len(items) > MAX_ITEMS and not stopped:
        stopped = f"more than {MAX_ITEMS} items"
    return Listing(method=method, items=len(items), pages=pages if isinstance(pages, int) else 1, stopped_by=stopped)
