r"""Redaction by value: a secret is found in every usual spelling and replaced.

Spellings: plain, percent-encoded (any case, any share of the characters, also twice), JSON-escaped (any
depth, `\\u` forms too), HTML-escaped, base64 in all three alignments and both alphabets, and hex.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from functools import lru_cache

REDACTED = "<redacted>"

SHORTEST = 4
"""Values with fewer characters are not looked for: they would be found everywhere."""

_SHORTEST_ENCODED = 6

_NAMED = {
    '"': "&(?:quot|#34|#x22);",
    "&": "&(?:amp|#38|#x26);",
    "<": "&lt;",
    ">": "&gt;",
    "'": "&(?:#39|#x27|apos);",
}
_ESCAPED = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f"}


def redact(text: str, values: Iterable[str]) -> str:
    """`text` with every spelling of every value replaced by `<redacted>`."""
    if not text:
        return text
    encoded: bool | None = None
    for needle, pattern in _spellings(frozenset(values)):
        if needle not in text:
            if pattern.groups == 0:
                continue
            encoded = _ENCODED_WORD.search(text) is not None if encoded is None else encoded
            if not encoded:
                continue
        text = pattern.sub(REDACTED, text)
    return text


_ENCODED_WORD = re.compile(r"%(?:25)*(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa])|\\+u00[3-7]")
"""A letter or digit that was percent-encoded or written as a JSON escape, though it need not be."""


@lru_cache(maxsize=64)
def _spellings(values: frozenset[str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Needle and pattern of each spelling, longest value first.

    Where the needle is absent the pattern cannot match, unless it has a group: then it also matches text with
    encoded letters.
    """
    wanted = sorted((value for value in values if len(value) >= SHORTEST), key=lambda value: (-len(value), value))
    found: list[tuple[str, re.Pattern[str]]] = []
    for value in wanted:
        found.append((_longest_word(value), re.compile(f"({''.join(map(_character, value))})")))
        data = value.encode("utf-8", "surrogatepass")
        if len(data) >= _SHORTEST_ENCODED:
            found += [_base64(data, offset) for offset in range(3)]
            found += [(text, re.compile(text)) for text in (data.hex(), data.hex().upper())]
    return tuple(found)


def _longest_word(text: str) -> str:
    """The longest run of letters and digits, which most encodings leave alone; may be empty."""
    return max(re.findall("[A-Za-z0-9]+", text), key=len, default="")


@lru_cache(maxsize=4096)
def _character(character: str) -> str:
    """A pattern for one character of a secret in any text spelling."""
    encoded = "".join(f"%(?:25)*{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))
    units = character.encode("utf-16-be", "surrogatepass").hex()
    unicode = "".join(rf"\\+u{units[at : at + 4]}" for at in range(0, len(units), 4))
    ways = [re.escape(character), f"(?i:{encoded})", f"(?i:{unicode})"]
    if character == " ":
        ways.append(r"\+")
    if character == "\\":
        ways[0] = r"\\+"
    if character in '"/':
        ways[0] = rf"\\*{character}"
    if character in _ESCAPED:
        ways.append(rf"\\+{_ESCAPED[character]}")
    if character in _NAMED:
        ways.append(_NAMED[character])
    return f"(?:{'|'.join(ways)})"


_ALPHABET = {"+": "(?:[+-]|%2[Bb])", "/": r"(?:\\*[/_]|%2[Ff])"}


def _base64(data: bytes, offset: int) -> tuple[str, re.Pattern[str]]:
    """Needle and pattern for `data` inside base64 text, `offset` bytes after a group of three began.

    The characters at both ends also carry bits of what stands beside the secret; they are taken along.
    """
    text = base64.b64encode(b"\0" * offset + data).decode().rstrip("=")
    head = {0: 0, 1: 2, 2: 3}[offset]
    tail = 0 if (offset + len(data)) % 3 == 0 else 1
    core = text[head : len(text) - tail]
    pattern = "".join(_ALPHABET.get(character, character) for character in core)
    if head:
        pattern = "[A-Za-z0-9+/_-]?" + pattern
    if tail:
        pattern += "[A-Za-z0-9+/_-]?(?:={1,2}|(?:%3[Dd]){1,2})?"
    return _longest_word(core), re.compile(pattern)
