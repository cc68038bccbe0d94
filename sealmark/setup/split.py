"""Secrets of imported servers: their values go into the local file, and `${NAME}` stands where they stood."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from sealmark.reading.secrets import secrets as shapes
from sealmark.settings.secrets import looks_secret
from sealmark.setup.entries import Entry

_SCHEME = re.compile(r"(?is)(bearer|basic|token|digest|apikey)(\s+)(.+)")
_FILLED = re.compile(r"\$\{[A-Za-z_]\w*(?::-[^}]*)?\}|\{[a-z_]+(?:[:.][\w-]+)?\}")
_ORDINARY = re.compile(r"(?i)\d{1,6}|true|false|yes|no|on|off|none|null|auto|default|localhost|127\.0\.0\.1")
_USERINFO = re.compile(r"(?i)[a-z][a-z0-9+.-]*://[^/\s@]*:[^@/\s]+@.*", re.DOTALL)
_QUERY = re.compile(r"[?&]([\w.-]+)=([^&#]+)")


class Split(msgspec.Struct, frozen=True):
    """A server without its secrets, and their values by the variable that stands for each."""

    entry: Entry
    values: Mapping[str, str]


def split(entry: Entry, taken: Mapping[str, str] | None = None) -> Split:
    """Take the secrets out of an entry.

    Args:
        entry: of one server.
        taken: variables that stand for values of other servers already.
    """
    taking = _Taking(entry.name, dict(taken or {}))
    env = {name: taking.named(name, text, name) for name, text in entry.env.items()}
    headers = {name: taking.named(name, text, _header(name)) for name, text in entry.headers.items()}
    clean = msgspec.structs.replace(
        entry, args=taking.args(entry.args), env=env, headers=headers, url=taking.url(entry.url)
    )
    return Split(clean, taking.values)


def _header(name: str) -> str:
    return "TOKEN" if name.lower() == "authorization" else name


def worth_hiding(text: str) -> bool:
    """Whether a text under a secret's name holds more than references, placeholders and plain words."""
    rest = _FILLED.sub("", text)
    match = _SCHEME.fullmatch(rest)
    rest = match[3] if match else rest
    return re.search(r"\w", rest) is not None and not _ORDINARY.fullmatch(rest.strip())


class _Taking:
    """Takes values and gives them names."""

    def __init__(self, server: str, taken: dict[str, str]) -> None:
        self._server = _variable(server)
        self._taken = taken
        self.values: dict[str, str] = {}

    def named(self, name: str, text: str, variable: str) -> str:
        """A variable's or a header's text without its secret."""
        if not (looks_secret(name) or _shaped(text)) or not worth_hiding(text):
            return text
        own = variable if variable == name and name.isupper() else f"{self._server}_{_variable(variable)}"
        return self._behind_scheme(text, own)

    def args(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """A command line without its secrets."""
        clean: list[str] = []
        previous = ""
        for word in words:
            clean.append(self._word(word, previous))
            previous = word if word.startswith("-") and "=" not in word else ""
        return tuple(clean)

    def _word(self, word: str, previous: str) -> str:
        name, equals, value = word.partition("=")
        if equals and re.fullmatch(r"-{0,2}[\w-]+", name) and looks_secret(name) and worth_hiding(value):
            return f"{name}={self._behind_scheme(value, self._called(name))}"
        if previous and looks_secret(previous) and not word.startswith("-") and worth_hiding(word):
            return self._behind_scheme(word, self._called(previous))
        header = re.fullmatch(r"([\w-]+)(:\s*)(.+)", word)
        if header and looks_secret(header[1]) and worth_hiding(header[3]):
            return header[1] + header[2] + self._behind_scheme(header[3], self._called(_header(header[1])))
        return self._behind_scheme(word, f"{self._server}_SECRET") if _shaped(word) else word

    def url(self, text: str) -> str:
        """A URL without its secrets."""
        if _USERINFO.fullmatch(text):
            return self._keep(text, f"{self._server}_URL")

        def one(match: re.Match[str]) -> str:
            if not (looks_secret(match[1]) or _shaped(match[2])) or not worth_hiding(match[2]):
                return match[0]
            return match[0][: -len(match[2])] + self._keep(match[2], self._called(match[1]))

        return _QUERY.sub(one, text)

    def _called(self, name: str) -> str:
        return f"{self._server}_{_variable(name)}"

    def _behind_scheme(self, text: str, variable: str) -> str:
        match = _SCHEME.fullmatch(text)
        return match[1] + match[2] + self._keep(match[3], variable) if match else self._keep(text, variable)

    def _keep(self, value: str, variable: str) -> str:
        """`${NAME}` for a value; another name when this one stands for another value."""
        every = {**self._taken, **self.values}
        tries = [variable, f"{self._server}_{variable}", *(f"{variable}_{number}" for number in range(2, 1000))]
        name = next(name for name in tries if every.get(name, value) == value)
        self.values[name] = value
        return f"${{{name}}}"


def password_of(text: str) -> frozenset[str]:
    """The password in a connection string, or nothing."""
    match = re.match(r"(?i)[a-z][a-z0-9+.-]*://[^/\s@:]*:([^@/\s]+)@", text)
    return frozenset({match[1]}) if match else frozenset()


def _shaped(text: str) -> bool:
    return bool(shapes(text)) or _USERINFO.fullmatch(text) is not None


def _variable(name: str) -> str:
    plain = re.sub(r"\W+", "_", name.strip("-"), flags=re.ASCII).strip("_").upper() or "SERVER"
    return plain if not plain[0].isdigit() else f"_{plain}"
