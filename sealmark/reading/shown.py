r"""Any text as one line that is safe to show: in a terminal, in a log, as the beginning of every other escape.

No control, bidirectional or zero-width character survives, a newline is shown as `\n`, runs of blanks become one so
that a text cannot imitate a column, and the openings of CI log commands are broken.
"""

from __future__ import annotations

import json
import re

from sealmark.reading.visible import visible
from sealmark.record.model import Json

MAX_LINE = 2000
"""Characters that a shown line keeps unless a caller asks for fewer."""

_BLANKS = re.compile(r"[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
_COMMANDS = re.compile(r"#(?=#\w*\[)|(?<!\S)::(?=\S)")
_ESCAPED = {ord("\n"): "\\n", ord("\t"): "\\t", 0xFFFE: "\\ufffe", 0xFFFF: "\\uffff"}


def line(text: str, limit: int = MAX_LINE) -> str:
    """One visible line of `text`, at most `limit` characters, the last an ellipsis when something was cut off.

    `##[group]`, `##vso[…]`, `##teamcity[…]` and `::error::` at the start of a word are commands to the log readers of
    CI systems; their first character is shown as an escape.
    """
    flat = _BLANKS.sub(" ", text[: 4 * limit].strip(" "))
    shown = visible(flat).translate(_ESCAPED)
    shown = _COMMANDS.sub(lambda match: f"\\x{ord(match[0][0]):02x}{match[0][1:]}", shown)
    return shown if len(shown) <= limit and len(text) <= 4 * limit else shown[: limit - 1] + "…"


def short_json(value: Json, limit: int = 160) -> str:
    """A JSON value on one visible line, cut to `limit` characters."""
    return line(json.dumps(value, ensure_ascii=False, separators=(", ", ": "), default=str), limit)
