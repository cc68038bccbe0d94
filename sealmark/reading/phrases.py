"""Phrases with which a text steers a model that reads it, found sentence by sentence.

A phrase has to stand in one sentence, its parts close together, so that distant words of a long description never
add up to one. What is quoted as an example, warned of or forbidden is not an order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sealmark.reading.steering import CREDENTIAL_PATH, OVERRIDE, OVERRIDE_ANCHORS, SEND_TO_URL, STEERING
from sealmark.reading.words import table

MAX_TEXT = 1024 * 1024
MAX_SENTENCE = 600
OVERLAP = 120


class Phrase(NamedTuple):
    """A steering phrase: its kind, where it begins and ends."""

    kind: str
    start: int
    end: int


_FILES = table(".ssh, id_, .aws, rc, credential, .docker, .kube, gcloud, gnupg, etc, .json, wallet, .env, history")
_PEOPLE = table("""
    user, human, operator, person, anyone, tool, silently, secretly, covertly, quietly, without
    cc, forward, copy, redirect, recipient
""")
KINDS: tuple[tuple[str, re.Pattern[str], frozenset[str]], ...] = (
    ("credential-path", CREDENTIAL_PATH, _FILES),
    ("send-to-url", SEND_TO_URL, table("://, www., @")),
    ("override", OVERRIDE, OVERRIDE_ANCHORS),
    ("steering", STEERING, _PEOPLE),
)
"""Kinds, worst first: the pattern, and words of which a sentence must hold one for the pattern to be tried."""

_SENTENCE = re.compile("(?<=[.!?\u3002\uff01\uff1f])\\s+|[\r\n]+|(?<=[\u3002\uff01\uff1f])")
_QUOTES = "\"'`\u201c\u201d\u2018\u2019\u00ab\u00bb\u201e\u300c\u300d\u300e\u300f"
_GUARDS = (
    r"detect\w{0,4}|scan\w{0,4}|flag\w{0,4}|block\w{0,4}|filter\w{0,4}|prevent\w{0,4}|protect\w{0,6}|reject\w{0,4}"
    r"|refus\w{1,4}|catch\w{0,3}|identif\w{1,6}|warn\w{0,4}|beware|injections?|jailbreak\w{0,4}|malicious|suspicious"
    r"|attack\w{0,4}|attempts?|phrases?|patterns?|e\.g\.?|such as|for example|like|poison\w{0,4}|look\w{0,3} for"
    r"|check\w{0,4}(?: \w{1,20}){0,3} for"
)
_GUARDED = re.compile(rf"\b(?:{_GUARDS})\b", re.IGNORECASE)
"""Words shortly before a phrase that make it the object of a guard instead of an order."""
_ABOUT = re.compile(
    rf"\b(?:{_GUARDS}|i\.e\.?|examples?|untrusted|adversarial|saniti[sz]e\w{{0,3}}|test\w{{0,4}}|contain\w{{0,4}}"
    r"|match\w{0,4}|payloads?|sections?|strings?|says?|tells? you|text|treat\w{0,3})\b",
    re.IGNORECASE,
)
"""Words of a sentence that speaks about a quoted phrase."""
_FORBIDS = re.compile(
    r"\b(?:never|not|don't|cannot|can't|won't|doesn't|avoid|refuse to|without|nor|isn't|no need to)\W{1,3}"
    r"(?:\w{1,15}\W{1,3}){0,4}$",
    re.IGNORECASE,
)
_BULLET = re.compile(r"\s{0,8}(?:[-*\u2022]|\d{1,2}[.)])\s")
_LEAD = re.compile(r"[^\n]{1,200}:[ \t]*\n")
NEAR, FAR = 80, 200


def phrases(text: str) -> Iterator[Phrase]:
    """Yield the steering phrases of a text, at most one of each kind for a sentence."""
    text = text[:MAX_TEXT]
    for start, sentence in _sentences(text):
        lowered = sentence.lower()
        for kind, pattern, anchors in KINDS:
            if anchors and not any(anchor in lowered for anchor in anchors):
                continue
            match = next((m for m in pattern.finditer(sentence) if _orders(kind, text, start, sentence, m)), None)
            if match is not None:
                yield Phrase(kind, start + match.start(), start + match.end())


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield (offset, sentence); a very long one in overlapping pieces."""
    start = 0
    breaks = [(match.start(), match.end()) for match in _SENTENCE.finditer(text)]
    for end, following in [*breaks, (len(text), len(text))]:
        while end - start > MAX_SENTENCE:
            yield start, text[start : start + MAX_SENTENCE]
            start += MAX_SENTENCE - OVERLAP
        if end > start:
            yield start, text[start:end]
        start = following


def _orders(kind: str, text: str, start: int, sentence: str, match: re.Match[str]) -> bool:
    """Say whether a phrase is an order: not what the tool does, not forbidden, not spoken of."""
    if start == 0 and match.start() == 0 and _describes(kind, match.group()):
        return False
    if kind != "steering" and _FORBIDS.search(sentence[: match.start()][-60:]):
        return False
    before, after = sentence[: match.start()][-FAR:], sentence[match.end() :][:FAR]
    if _BULLET.match(sentence):
        leads = _LEAD.findall(text[max(start - 600, 0) : start])
        before = (leads[-1] if leads else "") + before
    if _GUARDED.search(before[-NEAR:]):
        return False
    quoted = any(quote in before[-40:] for quote in _QUOTES) and any(quote in after[:60] for quote in _QUOTES)
    return not (quoted and (_ABOUT.search(before) or _ABOUT.search(after)))


_ADDRESSED = table("you, the, please, first, firstly, then, next, also, always, must, now, instead, and")


def _describes(kind: str, words: str) -> bool:
    """Say whether the first words of a text say what the tool does, as in `Upload files to https://…`."""
    return kind in ("credential-path", "send-to-url") and words.split(maxsplit=1)[0].lower() not in _ADDRESSED
