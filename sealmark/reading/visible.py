"""Show hostile text to people: characters that steer a terminal or a reader become visible escapes. Pure."""

from __future__ import annotations

import re

_UNSEEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but tab and line feed, DEL, C1
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiners, fillers
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"  # zero width, bidirectional controls, separators
    "\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"  # surrogates, variation selectors, BOM, annotations
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # format controls, tags
    "]"
)


def visible(text: str, *, newlines: bool = True) -> str:
    r"""Return the text with every control, bidirectional, zero-width and tag character as an escape.

    ``\x1b`` stands for an escape character, ``\u202e`` for a right-to-left override, ``\U000e0041`` for a tag.
    Backslashes stay as they are, so the result is for reading and cannot be turned back.

    Args:
        text: anything.
        newlines: keep tabs and line feeds; else they are shown as ``\t`` and ``\n``.
    """
    shown = _UNSEEN.sub(lambda match: _escape(ord(match[0])), text.replace("\r\n", "\n") if newlines else text)
    return shown if newlines else shown.replace("\n", "\\n").replace("\t", "\\t")


def _escape(code: int) -> str:
    if code < 0x100:
        return {13: "\\r"}.get(code, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
