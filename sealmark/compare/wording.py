"""How a text that a model reads has changed: harmlessly, plainly, or in a way that may steer the model.

Wording edits are frequent, and a reader who is alarmed by each of them switches the alarm off. So a change that adds a
destination, a place on the disk, an order to the model or a hidden character is told from one that moves a comma.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping

from sealmark.compare.changes import Level
from sealmark.reading.visible import visible

_DOMAIN = r"(?:[a-z0-9-]{1,63}\.){1,8}(?:com|net|org|io|dev|ai|app|co|xyz|info|me|site|online|cloud|top|ru|cn|uk|de)\b"
_ORDERS = (
    r"\b(?:you|(?:the|an?) (?:model|assistant|agent|llm|ai))\s+(?:must|should|shall|need to|have to|will)\b",
    r"\b(?:always|never|do not|don't|make sure|be sure|remember to|it is (?:important|required|necessary))\b",
    r"\b(?:ignore|disregard|forget|override)\b[^.]{0,40}\b(?:instructions?|rules?|prompts?|previous|prior|tools?)\b",
    r"\b(?:before|after|instead of|prior to|when(?:ever)?) (?:using|calling|invoking|running|you)\b",
    r"\b(?:first|then|also),? (?:read|call|send|fetch|open|run|use|include|pass|add|append)\b",
    r"<\s*/?\s*(?:important|system|instructions?|secret|assistant|user)\b",
    r"\b(?:tell|mention|inform|notify|reveal|show)\b[^.]{0,20}\bthe user\b",
    r"(?<=[.!?:;] )(?:send|read|include|forward|copy|upload|post|append|attach|call|execute|run)\b",
    r"\buse (?:the |your )?[\w-]{1,60} (?:tool|function)\b",
)
ADDITIONS: Mapping[str, re.Pattern[str]] = {
    "a URL": re.compile(
        rf"\b[a-z][a-z0-9+.-]{{1,20}}://[^\s\"'<>)\]]+|\b(?:mailto|javascript|data):[^\s\"'<>)\]]+|\b{_DOMAIN}(?:/\S*)?"
        r"|\b\d{1,3}(?:\.\d{1,3}){3}\b",
        re.IGNORECASE,
    ),
    "a path": re.compile(
        r"(?:(?<=^)|(?<=[\s\"'`(=,]))(?:~|\.{1,2}|\$\{?\w+\}?|%\w+%|[a-z]:)?[\\/][\w.@~-]+(?:[\\/][\w.@~-]*)*"
        r"|(?<![\w/])\.(?:env|ssh|aws|git|npmrc|netrc|kube|docker|bashrc|zshrc|bash_history)\b"
        r"|\b(?:id_rsa|id_ed25519|authorized_keys|known_hosts)\b",
        re.IGNORECASE,
    ),
    "an order to the model": re.compile("|".join(_ORDERS), re.IGNORECASE),
}
"""What a change may add that makes it suspicious, in words, and how it is found."""

STEERING = ("an order to the model", "a hidden character")
"""What is suspicious in a text that is new as a whole; an example URL or path in it is not."""

_EMOJI_JOINERS = re.compile("(?<=[\u2190-\u2bff\U0001f000-\U0001faff\ufe0f])[\ufe0f\u200d]")


def classify(before: str, after: str) -> tuple[Level, tuple[str, ...]]:
    """The level of a change of text and, when it is suspicious, what was added."""
    added = tuple(_added(before, after))
    if added:
        return "suspicious", added
    return ("info" if _letters(before) == _letters(after) else "notable"), ()


def _added(before: str, after: str) -> Iterator[str]:
    for name, pattern in ADDITIONS.items():
        if _found(pattern, after) - _found(pattern, before):
            yield name
    if _hidden(after) - _hidden(before):
        yield "a hidden character"


def _found(pattern: re.Pattern[str], text: str) -> Counter[str]:
    flat = " ".join(text.split())
    return Counter(match[0].lower().rstrip(".,;") for match in pattern.finditer(flat))


def _hidden(text: str) -> Counter[str]:
    return Counter(character for character in _EMOJI_JOINERS.sub("", text) if visible(character) != character)


def _letters(text: str) -> str:
    """The text without what spaces and punctuates."""
    return "".join(character for character in text if unicodedata.category(character)[0] not in "ZPC")


def fingerprint(text: str) -> str:
    """The first eight digits of a text's SHA-256: enough to see that it changed, and nothing of what it says."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def sizes(before: str, after: str) -> str:
    """`sha 3f1a2b3c → 9c02d1aa, 240 → 310 chars`."""
    return f"sha {fingerprint(before)} → {fingerprint(after)}, {len(before)} → {len(after)} chars"
