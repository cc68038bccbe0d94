r"""Visible lines laid out and made inert: in terminal cells, in Markdown, in XML and HTML.

`wrap` and `cut` count terminal cells, so that a terminal never breaks a line by itself and puts its rest into column 0.
"""

from __future__ import annotations

import re
import unicodedata


def cells(text: str) -> int:
    """Columns that a terminal gives to `text`: two for wide characters, none for combining ones."""
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cut(text: str, width: int) -> str:
    """`text` cut to `width` cells, with an ellipsis when something is missing."""
    if cells(text) <= width:
        return text
    kept, used = "", 0
    for character in text:
        used += _cells(character)
        if used > width - 1:
            break
        kept += character
    return kept + "…"


def wrap(text: str, width: int) -> list[str]:
    """`text` in lines of at most `width` cells, broken at blanks where possible; never empty."""
    lines, current, used = [], "", 0
    for word in text.split(" "):
        for piece in _pieces(word, width):
            need = cells(piece)
            if current and used + 1 + need > width:
                lines.append(current)
                current, used = piece, need
            else:
                current, used = (f"{current} {piece}", used + 1 + need) if current else (piece, need)
    lines.append(current)
    return [_inert(found) for found in lines]


def _inert(text: str) -> str:
    """A wrapped line that CI log readers do not take for a command, wherever it was broken."""
    return "\\x3a" + text[1:] if text.startswith("::") else text


def _pieces(word: str, width: int) -> list[str]:
    """A word in pieces that fit a line (most often itself)."""
    if cells(word) <= width:
        return [word]
    pieces, current, used = [], "", 0
    for character in word:
        step = _cells(character)
        if current and used + step > width:
            pieces.append(current)
            current, used = "", 0
        current, used = current + character, used + step
    return [*pieces, current]


_ACTIVE = re.compile(r"[\\`*_{}\[\]|~$]|!(?=\[)|^[-+#=](?!\S)|^#+|(?<=^\d)[.)](?=\s|$)|(?<=^\d\d)[.)](?=\s|$)")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", ":": "&#58;"}


def markdown(text: str) -> str:
    """A visible line as inert Markdown text: no markup, no HTML, no link, no mention.

    A mention is made from rendered text, so no escape of Markdown stops it: `@name` and `#12` are shown with their
    first character as an escape.
    """
    text = re.sub(r"@(?=\w)|#(?=\d)", lambda m: f"\\x{ord(m[0]):02x}", text)
    text = _ACTIVE.sub(r"\\\g<0>", text)
    text = re.sub(r"[&<>]|:(?=//|\w+:)", lambda m: _ENTITIES[m[0]], text)
    return re.sub(r"(?i)\bwww(?=\.)", lambda m: f"&#{ord(m[0][0])};{m[0][1:]}", text)


def code(text: str, *, table: bool = False) -> str:
    """A visible line as a Markdown code span; nothing in it is markup, HTML or a mention.

    With `table` a pipe is shown as an escape, since a pipe ends a cell even inside a code span.
    """
    if not text:
        return ""
    if table:
        text = text.replace("|", "\\x7c")
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    pad = " " if "`" in (text[0], text[-1]) else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def xml(text: str) -> str:
    """A visible line as XML or HTML text, fit for attributes too."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;").replace("'", "&#39;")
