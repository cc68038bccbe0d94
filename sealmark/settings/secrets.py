"""Which configured values are secret, and how settings are shown without them.

Secret are: headers and callers' tokens, what the local file says of how the server is started and reached, what comes
from a `${VAR}` or is forwarded, and literals under a name that looks like a secret's. `redact` then replaces such
values by value in any text.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sealmark.settings.layers import Origin
from sealmark.settings.redaction import REDACTED, SHORTEST, redact
from sealmark.settings.references import references, resolve_text, texts
from sealmark.settings.table import Setting, row_of
from sealmark.settings.values import Settings

__all__ = ["REDACTED", "looks_secret", "redact", "secret_values", "shown", "shown_value"]

_SECRET_NAME = re.compile(
    r"(?i)api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key|secret|token|passw|passphrase|pwd|credential"
    r"|authori[sz]ation|cookie|bearer|connection[_-]?string|database[_-]?url|(?:^|[_-])(?:dsn|auth|key|pat)(?:$|[_-])"
)
_SCHEMES = r"(?:bearer|basic|token|digest|negotiate|apikey)"
_SCHEME = re.compile(rf"(?i)^{_SCHEMES}\s+(.+)$", re.DOTALL)
_ASSIGNED = re.compile(rf"""(?i)["']?([\w.-]+)["']?\s*[:=](?!//)\s*["']?(?:{_SCHEMES}\s+)?([^\s"',;&}}\]]+)""")
_USERINFO = re.compile(r"(?i)[a-z][a-z0-9+.-]*://[^/\s:@]*:([^@/\s]+)@")
_PLACEHOLDER = re.compile(r"\{[a-z_]+(?:[:.][\w-]+)?\}")
_ORDINARY = re.compile(r"(?i)[0-9]{1,5}|true|false|null|none|yes|off|localhost|127\.0\.0\.1")

_SHORTEST_LOCAL = 6
_LAUNCH = ("server.", "identities.", "upstream.", "db.pg")
ORDINARY_VARIABLES = frozenset({"HOME", "PWD", "TMPDIR", "PATH", "USER", "LOGNAME", "LANG", "SHELL", "HOSTNAME"})
"""Variables of every shell: none holds a secret, and `/home/me` redacted would hide half of every path."""
_ORDINARY_KEYS = frozenset({"server.command", "server.name", "server.version", "server.forward"})


def looks_secret(name: str) -> bool:
    """Whether a variable, header, flag or key of that name usually holds a secret."""
    return _SECRET_NAME.search(name) is not None


def secret_values(settings: Settings, environ: Mapping[str, str]) -> frozenset[str]:
    """The literal values that no output may hold.

    Args:
        settings: as configured, references unfilled.
        environ: the real environment, for the values that references name.
    """
    forwarded = (name for name in settings["server.forward"] if name not in ORDINARY_VARIABLES)
    found = {part for name in forwarded for part in _parts(environ.get(name, ""))}
    for row, key, value in settings.items_with_origin():
        name = key.rpartition(".")[2].strip('"') if row.is_map else ""
        previous = ""
        for field, text in texts(value.value, name):
            secret = _is_secret(row, field, value.origin) or (previous.startswith("-") and looks_secret(previous))
            found.update(_values_of(text, environ, secret=secret))
            if row.key == "server.headers" and field == "Cookie":
                pairs = resolve_text(text, environ, []).split(";")
                found.update(pair.partition("=")[2].strip() for pair in pairs)
            previous = "" if "=" in text else text
    return frozenset(item for item in found if len(item) >= SHORTEST and not _ORDINARY.fullmatch(item))


def _is_secret(row: Setting, field: str, origin: Origin) -> bool:
    if row.secret or (field and row.key != "tools.overrides" and looks_secret(field)):
        return True
    free = not (row.type.item or row.type).choices and row.key not in _ORDINARY_KEYS
    return origin.kind == "local" and row.key.startswith(_LAUNCH) and free


def _values_of(text: str, environ: Mapping[str, str], *, secret: bool) -> Iterator[str]:
    """The secret values that one configured text holds or names."""
    for reference in references(text):
        value = environ.get(reference.name, "") if reference.name not in ORDINARY_VARIABLES else ""
        yield from _parts(value)
        if secret and reference.default:
            yield from _parts(reference.default)
    resolved = resolve_text(text, environ, [])
    for match in _ASSIGNED.finditer(_PLACEHOLDER.sub(" ", resolved)):
        if looks_secret(match[1]):
            yield match[2]
    for match in _USERINFO.finditer(resolved):
        yield match[1]
    if secret and not _PLACEHOLDER.fullmatch(text) and not re.fullmatch(r"-{1,2}[\w-]+", text):
        yield from _parts(resolved)


def _parts(value: str) -> Iterator[str]:
    """A secret value, what follows its authentication scheme, and the lines of a long one."""
    if len(value) >= _SHORTEST_LOCAL or not value.isalpha():
        yield value
    scheme = _SCHEME.match(value)
    if scheme:
        yield scheme[1]
        if value[:5].lower() == "basic":
            yield from _basic(scheme[1])
    for line in value.splitlines()[:1000] if "\n" in value else ():
        if len(line.strip()) >= _SHORTEST_LOCAL:
            yield line.strip()
    for match in _USERINFO.finditer(value):
        yield match[1]


def _basic(encoded: str) -> Iterator[str]:
    try:
        pair = base64.b64decode(encoded, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return
    yield pair
    yield pair.partition(":")[2]


def shown(settings: Settings, key: str) -> Any:
    """The value of a setting as it may be shown and stored: references as written, secrets replaced."""
    row = row_of(key)
    value = settings[key]
    if row.is_map and key == row.key:
        return {name: shown(settings, settings.entry(key, name)) for name in value}
    if row.merge == "append":
        origins = settings.origins(key)
        return tuple(shown_value(row, "", item, origin) for item, origin in zip(value, origins, strict=True))
    name = key.rpartition(".")[2].strip('"') if row.is_map else ""
    return shown_value(row, name, value, settings.origin(key))


def shown_value(row: Setting, name: str, value: Any, origin: Origin) -> Any:
    """One value as it may be shown: every secret text in it masked."""
    previous = ""

    def one(field: str, text: str) -> str:
        nonlocal previous
        secret = _is_secret(row, field, origin) or (previous.startswith("-") and looks_secret(previous))
        previous = "" if "=" in text else text
        if secret and not re.fullmatch(r"-{1,2}[\w-]+", text):
            return _masked(text)
        return redact(text, frozenset(_values_of(text, {}, secret=False)))

    def walk(item: Any, field: str) -> Any:
        if isinstance(item, str):
            return one(field, item)
        if isinstance(item, Mapping):
            return {key: walk(inner, str(key)) for key, inner in item.items()}
        if isinstance(item, tuple | list):
            return tuple(walk(inner, field) for inner in item)
        return item

    return walk(value, name)


def _masked(text: str) -> str:
    """A secret text with its literals replaced; schemes, placeholders and references to variables stay."""
    kept = re.compile(rf"(?i)^{_SCHEMES}\s+|\$\{{[A-Za-z_][A-Za-z0-9_]*\}}|{_PLACEHOLDER.pattern}")
    out, at = "", 0
    for match in kept.finditer(text):
        out += (REDACTED if text[at : match.start()].strip() else text[at : match.start()]) + match[0]
        at = match.end()
    return out + (REDACTED if text[at:].strip() else text[at:])
