"""JSON as people and editors write it: with comments, trailing commas and a byte order mark."""

from __future__ import annotations

import json
import re
from typing import Any

_TOKEN = re.compile(
    r"""
    (?P<string> "(?:[^"\\\n]|\\.)*" )
  | (?P<comment> //[^\n]* | /\*.*?\*/ )
  | (?P<comma> ,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[}\]]) )
    """,
    re.VERBOSE | re.DOTALL,
)


class Broken(ValueError):
    """A text that is no JSON: what is wrong, and where (line and column from 1)."""

    def __init__(self, says: str, line: int, column: int) -> None:
        super().__init__(says)
        self.says, self.line, self.column = says, line, column


def parse(data: bytes) -> Any:
    """The value of a JSON text; comments and commas before a closing bracket count as blanks.

    Raises:
        Broken: the bytes are not UTF-8, or no JSON.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Broken("not UTF-8", data.count(b"\n", 0, error.start) + 1, 1) from None
    if not text.strip():
        return None
    try:
        return json.loads(_TOKEN.sub(_blank, text))
    except json.JSONDecodeError as error:
        raise Broken(error.msg[:1].lower() + error.msg[1:], error.lineno, error.colno) from None
    except (RecursionError, ValueError) as error:
        raise Broken(f"cannot be read: {type(error).__name__}", 1, 1) from None


def _blank(match: re.Match[str]) -> str:
    """What stands for a token: strings stay, the rest becomes blanks of the same shape, so that positions hold."""
    return match[0] if match["string"] is not None else re.sub(r"[^\n]", " ", match[0])
