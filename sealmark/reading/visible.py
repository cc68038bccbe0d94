r"""Hostile text as visible text: control, bidirectional, zero-width and tag characters become escapes.

`\x1b` for what fits two digits, `\u202e` for the basic plane, `\U000e0041` beyond it.
"""

from __future__ import annotations

import re

HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 less TAB and LF, DEL, C1
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiners, marks, fillers
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # format controls, tags, selectors
    "\ud800-\udfff]"  # unpaired surrogates
)
"""Characters that a reader of the text would not see as themselves. TAB and LF are not among them."""


def escape(character: str) -> str:
    """Return the escape that stands for one character."""
    code = ord(character)
    if code == 13:
        return "\\r"
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def visible(text: str, *, newlines: str = "keep", limit: int | None = None) -> str:
    r"""Return `text` with every character that hides or drives a terminal shown as an escape.

    `newlines` "keep" leaves LF as it is (CR LF becomes LF), "escape" shows it as `\n`; TAB follows suit. With `limit`
    the result has at most so many characters, the last of them an ellipsis when something was cut off.
    """
    if limit is not None:
        text = text[: limit + 1]
    cleaned = HIDDEN.sub(lambda match: escape(match.group()), text.replace("\r\n", "\n"))
    if newlines == "escape":
        cleaned = cleaned.replace("\n", "\\n").replace("\t", "\\t")
    if limit is not None and len(cleaned) > limit:
        return cleaned[: max(limit - 1, 0)] + "…" if limit else ""
    return cleaned
