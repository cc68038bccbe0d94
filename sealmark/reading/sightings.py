"""Values that the harness owns, seen in what a server wrote, in any spelling that a server might give them.

Spellings: `plain` (in any case for tokens), `percent`, `base64` (either alphabet, any alignment, wrapped lines),
`hex` (any case, with or without separators), `json` (escaped once more), `backslash` (the other separator).
Search is by substring only, on UTF-8 bytes, so that cost is linear and an offset exact.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote

from sealmark.reading.blocks import Content
from sealmark.record.model import Sighting

SPELLINGS = ("plain", "percent", "base64", "hex", "json", "backslash")
MIN_ENCODED = 8
"""Shorter encoded cores are not searched for: chance would find them."""

_TOKEN = re.compile(r"[A-Za-z0-9_.-]{8,200}", re.ASCII)


class _Needle(NamedTuple):
    """Bytes to look for, in the text as it is, in its ASCII lower case, or in it without line breaks."""

    spelling: str
    needle: bytes
    text: str  # exact, lower, unwrapped


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@lru_cache(maxsize=512)
def _needles(value: str) -> tuple[_Needle, ...]:
    """Return what to look for, in the order of SPELLINGS, without repetitions."""
    data = _bytes(value)
    found = [_Needle("plain", data.lower(), "lower") if _TOKEN.fullmatch(value) else _Needle("plain", data, "exact")]
    percents = {
        quote(quote(data, safe=""), safe=""),
        quote(data, safe=""),
        quote(data, safe="/"),
        quote(data, safe="/:"),
        _every_percent(data),
    }
    found += [_Needle("percent", text.lower().encode(), "lower") for text in sorted(percents)]
    found += [_Needle("base64", core, "unwrapped") for core in _base64_cores(data)]
    hexed = data.hex()
    spaced = [data.hex(separator) for separator in (" ", ":", "-")] if len(data) > 1 else []
    escaped = "".join(f"\\x{byte:02x}" for byte in data)
    found += [_Needle("hex", text.encode(), "lower") for text in (hexed, *spaced, escaped)]
    once = json.dumps(value)[1:-1]
    unicode = "".join(f"\\u{ord(character):04x}" for character in value if ord(character) < 0x10000)
    slashed = (once.replace("/", "\\/"), once.replace("/", "\\\\/"))
    jsons = (once, json.dumps(once)[1:-1], *slashed, unicode)
    found += [_Needle("json", text.lower().encode(), "lower") for text in jsons if text != value]
    if "/" in value or "\\" in value:
        turned = value.replace("/", "\\")
        backslashes = (turned, value.replace("/", "\\\\"), value.replace("\\", "/"))
        found += [_Needle("backslash", _bytes(text), "exact") for text in backslashes]
    seen: set[bytes] = {data}
    return (found[0], *(needle for needle in found[1:] if _fresh(needle, seen)))


def _fresh(needle: _Needle, seen: set[bytes]) -> bool:
    """Say whether a needle is new and long enough, and remember it."""
    short = len(needle.needle) < MIN_ENCODED and needle.spelling in ("base64", "hex")
    if short or not needle.needle or needle.needle in seen:
        return False
    seen.add(needle.needle)
    return True


def _every_percent(data: bytes) -> str:
    return "".join(f"%{byte:02X}" for byte in data)


def _base64_cores(data: bytes) -> list[bytes]:
    """Return what stays the same of the base64 of `data` at each of the three alignments, in both alphabets."""
    cores: list[bytes] = []
    for lead in range(3):
        whole = base64.b64encode(b"\0" * lead + data)
        start = (0, 2, 3)[lead]
        end = len(whole.rstrip(b"=")) - (1 if (lead + len(data)) % 3 else 0)
        core = whole[start:end]
        cores += [core, core.replace(b"+", b"-").replace(b"/", b"_")]
    return cores


class _Haystack:
    """One text in the three forms in which it is searched, each made when first needed."""

    def __init__(self, text: str | bytes) -> None:
        self.exact = text if isinstance(text, bytes) else _bytes(text)
        self.lower = self.exact.lower()
        self._unwrapped: bytes | None = None

    @property
    def unwrapped(self) -> bytes:
        """The text without line breaks, so that wrapped base64 is whole again."""
        if self._unwrapped is None:
            self._unwrapped = self.exact.translate(None, b"\r\n") if b"\n" in self.exact else self.exact
        return self._unwrapped

    def find(self, needle: _Needle) -> int:
        """Return the character offset of the first hit, or -1."""
        if needle.text == "unwrapped":
            return self._offset(self._rewrapped(self.unwrapped.find(needle.needle)))
        return self._offset((self.lower if needle.text == "lower" else self.exact).find(needle.needle))

    def _rewrapped(self, at: int) -> int:
        """Return the place in the text as it is of a place in the text without line breaks."""
        if at < 0 or self.unwrapped is self.exact:
            return at
        kept = 0
        for line in re.finditer(rb"[^\r\n]+", self.exact):
            length = line.end() - line.start()
            if kept + length > at:
                return line.start() + at - kept
            kept += length
        return at

    def _offset(self, at: int) -> int:
        return at if at < 0 else len(self.exact[:at].decode("utf-8", "replace"))


def _search(place: str, text: str | bytes, owned: Iterable[tuple[str, str]]) -> list[Sighting]:
    """Return the first sighting of each value in each spelling."""
    haystack = _Haystack(text)
    found: list[Sighting] = []
    for name, value in owned:
        spellings: set[str] = set()
        for needle in _needles(value):
            if needle.spelling in spellings:
                continue
            offset = haystack.find(needle)
            if offset >= 0:
                spellings.add(needle.spelling)
                found.append(Sighting(name=name, spelling=needle.spelling, place=place, offset=offset))
    return found


def find(content: Content | str | bytes, owned: Mapping[str, str], *, place: str = "raw") -> tuple[Sighting, ...]:
    """Return where values that the harness owns were seen: one sighting per value, spelling and place, the first.

    `owned` maps mark names to values; empty values are ignored. `place` names what a bare text is. The texts of one
    place are searched as one, joined by line feeds, and offsets count in that.
    """
    values = [(name, value) for name, value in owned.items() if value]
    if not isinstance(content, Content):
        return tuple(_search(place, content, values))
    found: list[Sighting] = []
    for where in dict.fromkeys(where for where, _ in content.texts):
        found += _search(where, content.joined(where), values)
    if content.blobs:
        found += _search("blob", b"\n".join(blob for _, blob in content.blobs), values)
    return tuple(found)
