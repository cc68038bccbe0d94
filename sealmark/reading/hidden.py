"""Characters in a text that a person does not see, or that drive a terminal.

Strong: ESC, NUL, C1, zero-width and bidirectional controls, tag characters, runs of variation selectors. Weak: the
other C0 controls and DEL. Ordinary: TAB, LF, CR, a byte order mark at the beginning, joiners where a script or an
emoji needs them, direction marks beside right-to-left letters, variation selectors that choose how a symbol looks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

Tier = Literal["strong", "weak"]


class Span(NamedTuple):
    """A run of hidden characters: how bad, where it begins and ends."""

    tier: Tier
    start: int
    end: int


_STRONG = (
    "\x00\x1b\x80-\x9f"  # what drives a terminal
    "\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # zero-width and bidirectional
    "\u115f\u1160\u3164\uffa0\u17b4\u17b5"  # fillers that show as nothing
    "\ufe00-\ufe0f\U000e0000-\U000e01ef"  # variation selectors and tags
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # format controls of shorthand and music
)
_WEAK = "\x01-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f"
_RUN = re.compile(f"[{_STRONG}]+|[{_WEAK}]+")

_FLAGS = re.compile(
    "\U0001f3f4\U000e0067\U000e0062"  # the black flag and the tags g, b
    "(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)"
    "\U000e007f"
)
"""The flags of England, Scotland and Wales: the only emoji that are written with tag characters."""

_EMOJI = re.compile(
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2900-\u2bff\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff]"
)
_KEYCAP = re.compile("[0-9#*]")
_CURSIVE = re.compile(
    "[\u0600-\u074f\u0750-\u077f\u07c0-\u07ff\u0840-\u085f\u0870-\u08ff\u0900-\u0dff\u0f00-\u109f"
    "\u1780-\u18af\u1a20-\u1aaf\ua840-\ua87f\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff]"
)
"""Scripts in which joiners shape letters: Arabic, Syriac, N'Ko, Indic, Tibetan, Myanmar, Khmer, Mongolian."""
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
_HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff]")
_HAN = re.compile("[\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_SKIN = re.compile("[\U0001f3fb-\U0001f3ff]")
REACH = 40
"""Characters to each side in which right-to-left letters excuse a direction mark."""


def hidden(text: str) -> Iterator[Span]:
    """Yield the runs of characters of `text` that have no business in it, in order."""
    if text.isascii() and text.isprintable():
        return
    flags = {match.start() + 1: match.end() for match in _FLAGS.finditer(text)} if "\U000e007f" in text else {}
    for match in _RUN.finditer(text):
        start = flags.get(match.start(), match.start())
        if start >= match.end() or (match.end() - start == 1 and _ordinary(text, start)):
            continue
        if match.end() - start == 2 and _emoji_sequence(text, start):
            continue
        strong = text[start] in "\x00\x1b" or text[start] > "\x7f"
        yield Span("strong" if strong else "weak", start, match.end())


def _at(text: str, index: int) -> str:
    return text[index] if 0 <= index < len(text) else ""


def _ordinary(text: str, at: int) -> bool:
    """Say whether a single character belongs where it stands."""
    character, before, after = text[at], _at(text, at - 1), _at(text, at + 1)
    if character == "\ufeff":
        return at == 0
    if character == "\u200d":
        return bool(_CURSIVE.match(before)) or (_pictured(text, at - 1) and bool(_EMOJI.match(after)))
    if character == "\u200c":
        return bool(_CURSIVE.match(before) and _CURSIVE.match(after))
    if character in "\u200e\u200f\u061c":
        return bool(_RIGHT_TO_LEFT.search(text, max(at - REACH, 0), at + REACH))
    if "\ufe00" <= character <= "\ufe0f":
        return bool(_EMOJI.match(before) or _HAN.match(before)) or (
            _KEYCAP.match(before) is not None and after == "\u20e3"
        )
    if "\U000e0100" <= character <= "\U000e01ef":
        return bool(_HAN.match(before))
    if character in "\u115f\u1160":
        return bool(_HANGUL.match(before) or _HANGUL.match(after))
    return character in "\u17b4\u17b5\u180e" and bool(_CURSIVE.match(before))


def _pictured(text: str, at: int) -> bool:
    """Say whether an emoji ends at `at`: itself, or its skin tone."""
    return bool(_EMOJI.match(_at(text, at)) or (_SKIN.match(_at(text, at)) and _EMOJI.match(_at(text, at - 1))))


def _emoji_sequence(text: str, at: int) -> bool:
    """Say whether two characters are a selector and a joiner inside an emoji, such as a rainbow flag."""
    return text[at : at + 2] == "\ufe0f\u200d" and _pictured(text, at - 1) and bool(_EMOJI.match(_at(text, at + 2)))
