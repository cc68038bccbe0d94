"""JSON for places inside scripts, and our own prose with code marks as HTML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from markupsafe import Markup, escape

_IN_SCRIPT = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def script_json(value: Any) -> Markup:
    """JSON that may stand inside a script element: nothing in it can close the element or end a line of code."""
    return Markup(json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(_IN_SCRIPT))


def prose(text: str) -> Markup:
    """Paragraphs of a docstring as HTML: text escaped, backticks make code, lines that begin with `- ` a list."""
    return Markup("").join(_block(block) for block in re.split(r"\n\s*\n", text.strip()) if block.strip())


def _block(block: str) -> Markup:
    lines = [line.strip() for line in block.strip().splitlines()]
    if all(line.startswith(("- ", "* ")) for line in lines[:1]) and len(lines) > 1:
        return Markup("<ul>{}</ul>").format(
            Markup("").join(Markup("<li>{}</li>").format(inline(i)) for i in _items(lines))
        )
    return Markup("<p>{}</p>").format(inline(" ".join(lines)))


def _items(lines: list[str]) -> Iterator[str]:
    item = ""
    for line in lines:
        if line.startswith(("- ", "* ")):
            if item:
                yield item
            item = line[2:]
        else:
            item = f"{item} {line}"
    yield item


def inline(text: str) -> Markup:
    """One line with code marks."""
    parts = re.split(r"`+([^`]+)`+", text)
    return Markup("").join(Markup("<code>{}</code>").format(p) if n % 2 else escape(p) for n, p in enumerate(parts))
