r"""Any text as one line that is safe to show: in a terminal, in a log, as the beginning of every other escape.

No control, bidirectional or zero-width character survives, a newline is shown as `\n`, runs of blanks become one so
that a text cannot imitate a column, and the openings of CI log commands are broken.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence

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
    part = text[: 4 * limit]
    shown = part if _plain(part) else _shown(part)
    return shown if len(shown) <= limit and len(text) <= 4 * limit else shown[: limit - 1] + "…"


def _plain(text: str) -> bool:
    """Whether a text is shown as it is: the quick answer for most texts."""
    if not (text.isascii() and text.isprintable()) or "  " in text or "##" in text or "::" in text:
        return False
    return text[:1] != " " and text[-1:] != " "


def _shown(text: str) -> str:
    shown = visible(_BLANKS.sub(" ", text.strip(" "))).translate(_ESCAPED)
    return _COMMANDS.sub(lambda match: f"\\x{ord(match[0][0]):02x}{match[0][1:]}", shown)


def short_json(value: Json, limit: int = 160) -> str:
    """A JSON value on one visible line, cut to `limit` characters."""
    return line(json.dumps(value, ensure_ascii=False, separators=(", ", ": "), default=str), limit)


_PLAIN = re.compile(r"[\w@%+=:,./{}$-]+", re.ASCII)


def command_line(words: Sequence[str]) -> str:
    """Words as a shell would take them, with placeholders such as `{sandbox}` left as they are."""
    return " ".join(word if _PLAIN.fullmatch(word) else shlex.quote(word) for word in words)


NOTHING = "nothing changed"
"""What is shown when a look found no change."""


def effect(facts: Json, limit: int = 240) -> str:
    """What a look found changed, on one visible line: `created {outside}/x; modified y; and 3 more`."""
    if not isinstance(facts, dict):
        return NOTHING if not facts else short_json(facts, limit)
    if isinstance(facts.get("changes"), list):
        return _changes(facts, limit)
    told = {key: value for key, value in facts.items() if value not in (None, [], {}, "", 0)}
    found = [f"{line(str(key), 40)}: {_value(value)}" for key, value in told.items()]
    return line("; ".join(found), limit) if found else NOTHING


def _changes(facts: dict[str, Json], limit: int) -> str:
    changes = [change for change in facts["changes"] if isinstance(change, dict)]
    words = [line(change_in_words(change), 100) for change in changes[:4]]
    beyond = facts.get("more")
    more = len(changes) - len(words) + (beyond if isinstance(beyond, int) else 0)
    return line("; ".join([*words, *([f"and {more} more"] if more else [])]), limit) or NOTHING


def change_in_words(change: Mapping[str, Json]) -> str:
    """One change: `created {outside}/x`, `table products: added (1,lamp)`, `table events went from 9 to 8 rows`."""
    kind = change.get("change", "changed")
    if "what" not in change:
        return f"{kind} {change.get('path', '')}"
    what = change["what"]
    if kind != "rows":
        return f"{what} {kind}"
    if "count_before" in change:
        return f"{what} went from {change['count_before']} to {change.get('count_after')} rows"
    parts = [f"{way} {', '.join(map(str, change[way]))}" for way in ("added", "removed") if change.get(way)]
    return f"{what}: {'; '.join(parts)}" if parts else f"{what} changed"


def _value(value: Json) -> str:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(line(item, 80) for item in value)
    return line(value, 120) if isinstance(value, str) else short_json(value, 120)
