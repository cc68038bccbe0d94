"""Text in the shape of a secret: what kind, never the value. A shape does not prove that a secret is live.

A match counts only when it looks drawn at random: placeholders, examples of documentation, hashes and UUIDs pass.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import NamedTuple

MAX_MATCHES = 200
"""Matches of one kind that are looked at; what comes after the first true one does not matter."""


class _Kind(NamedTuple):
    """A kind, the words of which one must be in the text, the pattern whose last group is the value, its entropy."""

    name: str
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    bits: float = 3.0


def _kind(name: str, anchors: str, pattern: str, bits: float = 3.0) -> _Kind:
    return _Kind(name, tuple(anchors.split("|")), re.compile(pattern), bits)


_B = r"(?<![A-Za-z0-9_-])"
_E = r"(?![A-Za-z0-9_-])"
_PREFIX = r"(?i:\b(?:[a-z0-9]{1,20}[_-]){0,3}"
_NAMED = r"[\"']?\s{0,3}[:=]\s{0,3}[\"']?)"
_KEY_HEAD = r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\n|\\r){0,6}"
_SCHEME = (
    r"(?<![A-Za-z0-9])(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|clickhouse|ftp|smtps?"
    r"|ldaps?|https?)(?:\+[a-z0-9]{1,20})?://"
)
_SECRET_NAME = r"(?:secret|token|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|client[_-]?secret)"
KINDS = (
    _kind("private-key", "PRIVATE KEY",
          _KEY_HEAD + r"(?:[A-Za-z-]{4,20}: [^\n]{1,80}\s{1,3}){0,4}([A-Za-z0-9+/=]{40,})"),
    _kind("aws-key", "AKIA|ASIA", _B + r"((?:AKIA|ASIA)[A-Z2-7]{16})" + _E),
    _kind("github-token", "gh|github_pat_",
          _B + r"(gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{60,255})" + _E),
    _kind("gitlab-token", "glpat-|glrt-|gldt-", _B + r"(gl(?:pat|rt|dt)-[A-Za-z0-9_-]{20,100})" + _E),
    _kind("slack-token", "xox|xapp-", _B + r"(xox[abeprs]-[A-Za-z0-9-]{20,250}|xapp-\d-[A-Za-z0-9-]{20,250})" + _E),
    _kind("slack-webhook", "hooks.slack.com", r"hooks\.slack\.com/services/(T\w{6,12}/B\w{6,12}/[A-Za-z0-9]{20,40})"),
    _kind("anthropic-key", "sk-ant-", _B + r"(sk-ant-[A-Za-z0-9_-]{30,200})" + _E),
    _kind("openai-key", "sk-", _B + r"(sk-(?!ant-)(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{32,250})" + _E, 3.5),
    _kind("google-key", "AIza", _B + r"(AIza[A-Za-z0-9_-]{35})" + _E),
    _kind("google-oauth", "GOCSPX-|ya29.", _B + r"(GOCSPX-[A-Za-z0-9_-]{20,60}|ya29\.[A-Za-z0-9_-]{40,400})" + _E),
    _kind("stripe-key", "k_live_|k_test_", _B + r"([sr]k_(?:live|test)_[A-Za-z0-9]{20,200})" + _E),
    _kind("npm-token", "npm_", _B + r"(npm_[A-Za-z0-9]{36})" + _E),
    _kind("pypi-token", "pypi-", _B + r"(pypi-[A-Za-z0-9_-]{60,300})" + _E),
    _kind("huggingface-token", "hf_", _B + r"(hf_[A-Za-z0-9]{30,60})" + _E),
    _kind("sendgrid-key", "SG.", _B + r"(SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{30,64})" + _E),
    _kind("telegram-token", ":AA", r"(?<!\d)(\d{8,10}:AA[A-Za-z0-9_-]{32,36})" + _E),
    _kind("digitalocean-token", "dop_v1_|doo_v1_", _B + r"(do[op]_v1_[a-f0-9]{64})" + _E),
    _kind("shopify-token", "shpat_|shpss_|shpca_", _B + r"(shp(?:at|ss|ca)_[a-fA-F0-9]{32})" + _E),
    _kind("databricks-token", "dapi", _B + r"(dapi[a-f0-9]{32}(?:-\d)?)" + _E),
    _kind("azure-key", "AccountKey=|SharedAccessKey=", r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,90}={0,2})"),
    _kind("jwt", "eyJ", _B + r"(eyJ[\w-]{8,2000}\.eyJ[\w-]{8,4000}\.[\w-]{16,1000})" + _E),
    _kind("connection-string", "://", _SCHEME + r"[^\s:/@\"'<>]{0,80}:([^\s:/@\"'<>]{3,200})@[A-Za-z0-9\[]", 2.0),
    _kind("authorization", "earer |asic ", r"[Aa]uthorization" + r"[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
          r"(?:[Bb]earer|[Bb]asic) ([A-Za-z0-9._~+/=-]{16,2000})"),
    _kind("password", "assword|ASSWORD|asswd|ASSWD|pwd|PWD|Pwd",
          _PREFIX + r"(?:password|passwd|pwd)" + _NAMED + r"([^\s\"'<>&;,)}]{6,120})", 2.2),
    _kind("secret", "ecret|ECRET|oken|OKEN|ey=|EY=|ey\":|EY\":|ey: |EY: |ey':|EY':",
          _PREFIX + _SECRET_NAME + _NAMED + r"([A-Za-z0-9._~+/=-]{16,200})", 3.2),
)  # fmt: skip

_PLACEHOLDER = re.compile(
    r"x{4}|\*{3}|\.{3}|…|<[^>]{0,60}>|\$\{?\w|\{\{?\w|%\w{1,30}%"
    r"|example|placeholder|redacted|changeme|change[_-]me|dummy|sample|fake|foobar|your[_-]|my[_-]|some[_-]|insert|replace"
    r"|test(?:ing|[_-]?(?:key|token|secret|password|pass))|none$|null$|undefined$|true$|false$|string$|^(?:pass)?word$|^hunter2$"
    r"|1234567|abcdefg|0{8}|deadbeef|process\.env|os\.environ|getenv|required|optional|hidden|secret$|^\[|^\(",
    re.IGNORECASE,
)
_HASH_OR_UUID = re.compile(
    r"[0-9a-fA-F]{32}|[0-9a-fA-F]{40}|[0-9a-fA-F]{64}|[0-9a-fA-F]{128}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
)
_CODE = re.compile(r"[A-Za-z_$]+(?:\.[A-Za-z_$]+)+(?:-\d{1,3})?")
"""A name in source code (`this.state.currentToken`): parts without a digit, which no generated secret consists of."""

_MAY_BE_HEX = ("digitalocean-token", "shopify-token", "databricks-token")


def secrets(text: str) -> tuple[str, ...]:
    """Return the kinds of secret-shaped text in the order of KINDS, each once; never a value."""
    found: list[str] = []
    for kind in KINDS:
        if any(anchor in text for anchor in kind.anchors) and _true_match(kind, text):
            found.append(kind.name)
    return tuple(found)


def _true_match(kind: _Kind, text: str) -> bool:
    for count, match in enumerate(kind.pattern.finditer(text)):
        if count >= MAX_MATCHES:
            return False
        if looks_secret(match.group(match.re.groups), kind.bits, hex_allowed=kind.name in _MAY_BE_HEX):
            return True
    return False


def looks_secret(value: str, bits: float, *, hex_allowed: bool = False) -> bool:
    """Say whether a value is no placeholder, hash or UUID, and has at least `bits` of entropy per character."""
    if _PLACEHOLDER.search(value) or _CODE.fullmatch(value) or (not hex_allowed and _HASH_OR_UUID.fullmatch(value)):
        return False
    return entropy(value) >= bits


def entropy(text: str) -> float:
    """Return Shannon's entropy of the characters of a text, in bits per character."""
    total = len(text)
    return -sum(n / total * math.log2(n / total) for n in Counter(text).values()) if total else 0.0
