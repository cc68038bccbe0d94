"""Which scripted reply answers which request, and what its placeholders become. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

WORD = re.compile(r"sm_[a-z0-9_]+")
"""Words that probes put into what they send, so that it is known again behind a server that rewrites it."""


@dataclass(frozen=True)
class Request:
    """One request: header names in lower case, the body as far as it is kept, and how long it was."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes = b""
    length: int = 0

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode("utf-8", "replace")

    @property
    def whole(self) -> str:
        """What patterns are held against: method and path on one line, the body below."""
        return f"{self.method} {self.path}\n{self.text}"

    @property
    def words(self) -> tuple[str, ...]:
        """The probes' own words in it, in whatever encoding they came."""
        readable = (self.whole, unquote(self.whole), unescaped(self.text))
        return tuple(sorted({word for text in readable for word in WORD.findall(text.lower())}))


@dataclass(frozen=True)
class Reply:
    """What is answered: after how many seconds, with which status, headers and body."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    delay_sec: float = 0
    id: str = ""


def unescaped(text: str) -> str:
    """The texts of a JSON body without its escapes; the body itself when it is none."""
    try:
        return "\n".join(_texts(json.loads(text)))
    except (ValueError, RecursionError):
        return text


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = [*value.keys(), *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in inner for text in _texts(item)]


def chosen(responses: Sequence[Mapping[str, Any]], default: Mapping[str, Any], request: Request) -> tuple[Any, str]:
    """The reply of the first response that a request matches, with its id; else the default."""
    for number, response in enumerate(responses):
        if matches(response.get("match") or {}, request):
            return response["reply"], str(response.get("id") or f"responses-{number + 1}")
    return default, "default"


def matches(match: Mapping[str, Any], request: Request) -> bool:
    """Whether a request is as all of these regular expressions say."""
    parts = {"method": request.method, "path": request.path, "body": request.text}
    fits = all(re.search(match[key], parts[key]) is not None for key in parts if match.get(key) is not None)
    headers: Mapping[str, str] = match.get("header") or {}
    return fits and all(re.search(p, request.headers.get(name.lower(), "")) is not None for name, p in headers.items())


def reply_of(entry: Mapping[str, Any], fill: Callable[[str], str], name: str = "") -> Reply:
    """A scripted reply as bytes. JSON is filled text by text, so that a filled value cannot break it."""
    if "json" in entry:
        body, kind = json.dumps(_filled(entry["json"], fill)).encode(), "application/json"
    else:
        body, kind = fill(str(entry.get("body", ""))).encode("utf-8", "replace"), "text/plain; charset=utf-8"
    body = body.ljust(int(entry.get("bytes") or 0))
    given = {str(key).lower(): fill(str(value)) for key, value in (entry.get("headers") or {}).items()}
    headers = {"content-type": kind, **given}
    clean = tuple((key, re.sub(r"[\r\n]", " ", value)) for key, value in headers.items())
    return Reply(int(entry.get("status") or 200), clean, body, (entry.get("delay_ms") or 0) / 1000, name)


def _filled(value: Any, fill: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return fill(value)
    if isinstance(value, Mapping):
        return {fill(str(key)): _filled(item, fill) for key, item in value.items()}
    return [_filled(item, fill) for item in value] if isinstance(value, list | tuple) else value
