"""All that a reply says, wherever it says it: text, structured values, errors, and bytes behind base64.

Places: `text` (what a model reads first), `structured` (structuredContent), `error` (a JSON-RPC error), `blob`
(decoded bytes), `raw` (any other string of the message, annotations and `_meta` among them).
"""

from __future__ import annotations

import base64
import binascii
import re
from urllib.parse import unquote_to_bytes

import msgspec

from sealmark.reading.walk import mapping, sequence, strings, text_of
from sealmark.record.model import Json

MAX_TEXT = 8 * 1024 * 1024
"""Characters kept of all texts of one reply together."""
MAX_BLOB = 4 * 1024 * 1024
"""Bytes kept of all decoded blobs of one reply together."""
MAX_BLOCKS = 2_000
MAX_KIND_SHOWN = 64

_DATA_URL = re.compile(r"data:[\w.+/-]{0,80}(?:;[\w.+=-]{1,80}){0,4},", re.ASCII | re.IGNORECASE)
_DATA_BODY = re.compile(r"[A-Za-z0-9+/_=%.~!*'()-]+")
_BLOCK_LISTS = ("content", "contents", "messages")
_DECODED = ("data", "blob")


class Content(msgspec.Struct, frozen=True):
    """What a reply holds: (place, text) and (place, bytes) in order, its kinds of blocks, and whether it was cut."""

    texts: tuple[tuple[str, str], ...] = ()
    blobs: tuple[tuple[str, bytes], ...] = ()
    kinds: tuple[str, ...] = ()
    cut: bool = False

    def joined(self, *places: str) -> str:
        """Return the texts of these places (all when none is named), one per line."""
        return "\n".join(text for place, text in self.texts if not places or place in places)

    @property
    def said(self) -> str:
        """What the reply says in words: its text and error, else its structured values."""
        return self.joined("text", "error") or self.joined("structured")


class _Collector:
    """Gathers texts and blobs under one budget."""

    def __init__(self) -> None:
        self.texts: list[tuple[str, str]] = []
        self.blobs: list[tuple[str, bytes]] = []
        self.kinds: list[str] = []
        self.room = MAX_TEXT
        self.blob_room = MAX_BLOB
        self.cut = False

    def text(self, place: str, value: Json) -> None:
        """Keep a text, and what a data: URL in it holds."""
        if not isinstance(value, str) or not value:
            return
        kept = value[: self.room]
        self.cut = self.cut or len(kept) < len(value)
        self.room -= len(kept)
        if not kept:
            return
        self.texts.append((place, kept))
        if "data:" in kept:
            for match in _DATA_URL.finditer(kept):
                self.data_url(match.group(), kept, match.end())

    def data_url(self, head: str, text: str, start: int) -> None:
        """Decode the body of a data: URL that begins at `start`."""
        body = _DATA_BODY.match(text, start)
        if body is None or self.blob_room <= 0:
            return
        if ";base64" in head.lower():
            self.base64(body.group())
        else:
            self.blob(unquote_to_bytes(body.group()[: self.blob_room]))
        self.kind("data-url")

    def base64(self, value: Json) -> None:
        """Keep the bytes behind a base64 or base64url text; anything else is ignored."""
        if isinstance(value, str) and value:
            self.cut = self.cut or len(value) > (self.blob_room + 2) // 3 * 4 + 4
            self.blob(decode_base64(value, limit=self.blob_room))

    def blob(self, value: bytes) -> None:
        """Keep bytes within the budget."""
        kept = value[: self.blob_room]
        self.cut = self.cut or len(kept) < len(value)
        self.blob_room -= len(kept)
        if kept:
            self.blobs.append(("blob", kept))

    def kind(self, value: Json) -> None:
        """Name a kind of block, bounded."""
        if len(self.kinds) < MAX_BLOCKS:
            self.kinds.append((text_of(value) or "unknown")[:40])

    def rest(self, place: str, value: Json) -> None:
        """Keep every string of any JSON."""
        for _, found in strings(value):
            self.text(place, found)


def decode_base64(text: str, *, limit: int = MAX_BLOB) -> bytes:
    """Return the bytes behind base64 in either alphabet, padded or not, at most `limit`; empty when it is none."""
    packed = "".join(text[: limit * 2].split()).translate(_URL_SAFE).rstrip("=")[: limit // 3 * 4]
    packed = packed[:-1] if len(packed) % 4 == 1 else packed
    try:
        return base64.b64decode(packed + "=" * (-len(packed) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""


_URL_SAFE = {ord("-"): "+", ord("_"): "/"}


def _block(found: _Collector, block: Json) -> None:
    """Read one content block, one resource body or one prompt message."""
    if not isinstance(block, dict):
        found.rest("text", block)
        return
    if isinstance(block.get("content"), dict | list):  # a prompt message
        found.rest("raw", {key: value for key, value in block.items() if key != "content"})
        _blocks(found, block["content"])
        return
    found.kind(block.get("type") or ("blob" if "blob" in block else "text" if "text" in block else "unknown"))
    found.text("text", block.get("text"))
    for key in _DECODED:
        found.base64(block.get(key))
    inner = mapping(block.get("resource"))
    found.text("text", inner.get("text"))
    found.base64(inner.get("blob"))
    place = "text" if block.get("type") == "resource_link" else "raw"
    known = {"text", "type", *_DECODED, "resource"}
    found.rest(place, {key: value for key, value in block.items() if key not in known})
    found.rest("raw", {key: value for key, value in inner.items() if key not in ("text", "blob")})


def _blocks(found: _Collector, value: Json) -> None:
    """Read a list of blocks, or a single one where a list belongs."""
    blocks = value if isinstance(value, list) else [value]
    found.cut = found.cut or len(blocks) > MAX_BLOCKS
    for block in blocks[:MAX_BLOCKS]:
        _block(found, block)


def content_of(message: Json, method: str = "") -> Content:
    """Return all that a JSON-RPC reply holds. `method` tells listings (all `raw`) from replies with blocks."""
    found = _Collector()
    message = mapping(message)
    error = message.get("error")
    if error is not None:
        found.kind("error")
        found.rest("error", error if not isinstance(error, dict) else _error_first(error))
    result = message.get("result")
    if not isinstance(result, dict) or method.endswith("/list") or method in ("initialize", "server/discover"):
        found.rest("raw", result)
    else:
        for key in _BLOCK_LISTS:
            if key in result:
                _blocks(found, result[key])
        if "structuredContent" in result:
            found.rest("structured", result["structuredContent"])
        known = {*_BLOCK_LISTS, "structuredContent"}
        found.rest("raw", {key: value for key, value in result.items() if key not in known})
    return Content(tuple(found.texts), tuple(found.blobs), tuple(found.kinds), found.cut)


def _error_first(error: dict[str, Json]) -> list[Json]:
    """Return the parts of an error with its message first and its keys left out."""
    return [error.get("message"), *(value for key, value in error.items() if key != "message")]


def shape_of(message: Json, method: str = "") -> str:
    """Return the shape of a reply in one short line, such as `content[text,text]+structured{a,b}`."""
    message = mapping(message)
    if "error" in message:
        return "error"
    result = message.get("result")
    if not isinstance(result, dict):
        return type(result).__name__ if "result" in message else "nothing"
    parts = []
    for key in _BLOCK_LISTS:
        if key in result:
            kinds = [text_of(mapping(item).get("type")) or "item" for item in sequence(result[key])]
            parts.append(f"{key}[{_listed(kinds)}]")
    if "structuredContent" in result:
        parts.append("structured" + _keys(result["structuredContent"]))
    if not parts:
        parts.append("result" + _keys(result))
    return "+".join(parts)


def _listed(names: list[str], limit: int = 12) -> str:
    """Return names joined by commas; beyond `limit` only how many more there are."""
    shown = ",".join(name[:MAX_KIND_SHOWN] for name in names[:limit])
    return f"{shown},+{len(names) - limit}" if len(names) > limit else shown


def _keys(value: Json) -> str:
    """Return the sorted keys of an object in braces, `[n]` for an array, else the type in parentheses."""
    if isinstance(value, dict):
        return "{" + _listed(sorted(map(str, value))) + "}"
    return f"[{len(value)}]" if isinstance(value, list) else f"({type(value).__name__})"
