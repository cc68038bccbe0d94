"""Marks: `{name}` stands in a record for a value that differs from run to run.

Two directions. `fill` turns a template of a plan (`{sandbox}/../secret.txt`, `{outside|percent}`) into what is sent.
`mark` turns what came back into stable text: every value that the run owns becomes its mark, in whatever spelling it
appears (`{sandbox|percent}`). Text that already looks like a mark is escaped (`{=sandbox}`), so that a server cannot
forge one and `fill(mark(text)) == text`.

A template may also hold a generator, for values too large to keep: `{repeat:A:1048576}`, `{nested:[:10000}`.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import quote

NAMES = frozenset(
    (
        "sandbox",
        "dir",
        "sandbox_home",
        "sandbox_tmp",
        "sandbox_root",
        "user_home",
        "root_name",
        "sibling",
        "outside",
        "run_tag",
        "canary",
        "fake_api_key",
        "inside_secret",
        "sibling_secret",
        "outside_secret",
        "home_secret",
        "link_secret",
        "hard_secret",
        "start_secret",
        "end_secret",
        "inside_name",
        "sibling_name",
        "outside_name",
        "home_name",
        "link_name",
        "inside_size",
        "sibling_size",
        "outside_size",
        "link_size",
        "repo_inside",
        "repo_inside_id",
        "repo_sibling",
        "repo_sibling_id",
        "repo_outside",
        "repo_outside_id",
        "written",
        "token",
        "listener",
        "listener_port",
        "listener_token",
        "listener_secret",
        "upstream",
        "upstream_port",
        "upstream_secret",
        "upstream_token",
        "port",
        "server_port",
        "session_id",
        "bearer",
        "dsn",
        "host",
        "user",
        "password",
        "database",
        "role",
        "db_row",
        "analyst_order",
        "support_order",
        "admin_order",
        "personal_email",
        "personal_phone",
        "personal_id",
        "masked_row",
        "analyst_identity",
        "support_identity",
        "admin_identity",
        "other_identity",
        "audited_read",
        "audited_error",
        "sqlite_path",
        "duckdb_path",
        "sha",
        "caller",
        "bearer_a",
        "bearer_b",
    )
)
"""Every name that a mark can have. The list is fixed, so that a record can be read without the run."""

_REFERENCE = re.compile(r"\{(=*)([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)?)((?::[^{}|:]*)*)((?:\|[a-z0-9-]+)*)\}")

Redactor = Callable[[str], str]


def _percent_all(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


FILTERS: Mapping[str, Callable[[str], str]] = {
    "percent": lambda text: quote(text, safe=""),
    "percent-lower": lambda text: re.sub("%[0-9A-F]{2}", lambda m: m[0].lower(), quote(text, safe="")),
    "percent-all": _percent_all,
    "percent-twice": lambda text: quote(quote(text, safe=""), safe=""),
    "json": lambda text: json.dumps(text)[1:-1],
    "json-slash": lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    "backslash": lambda text: text.replace("/", "\\"),
    "backslash-json": lambda text: text.replace("/", "\\\\"),
    "mixed": lambda text: "".join("\\" if c == "/" and i % 2 else c for i, c in enumerate(text)),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "hex": lambda text: text.encode().hex(),
    "file-url": lambda text: "file://" + quote(text),
    "file-url-localhost": lambda text: "file://localhost" + quote(text),
    "upper": str.upper,
    "lower": str.lower,
    "fullwidth": lambda text: text.replace(".", "\uff0e").replace("/", "\uff0f"),
    "no-slash": lambda text: text.lstrip("/"),
}
"""Named spellings of a value. They are applied left to right when a template is filled."""

_RECOGNISED = ("percent", "percent-lower", "percent-twice", "json", "json-slash", "backslash-json", "backslash")
_RECOGNISED_SECRETS = ("base64", "hex")
_PACKED = re.compile(r"(?:secret|canary|key)$|^personal_|^bearer")
"""Names of values that are recognised in base64 and hexadecimal digits too."""

GENERATORS: Mapping[str, Callable[[str, str], str]] = {
    "repeat": lambda text, count: text * int(count),
    "nested": lambda bracket, depth: bracket * int(depth) + {"[": "]", "{": "}"}.get(bracket, "") * int(depth),
}


def is_name(name: str) -> bool:
    """Whether `name` can stand in a mark: a known name, a generator, or a value bound by an earlier step."""
    return name in NAMES or name in GENERATORS or name.startswith("bind.")


def escape(text: str) -> str:
    """`text` with everything that looks like a mark made literal."""
    return _REFERENCE.sub(lambda m: m[0].replace("{", "{=", 1) if is_name(m[2]) else m[0], text)


def fill(template: str, values: Mapping[str, str]) -> str:
    """The text that `template` stands for. What follows a name after a colon is part of it: `{dsn:support}`.

    Raises:
        KeyError: a name is used that `values` does not hold, or an unknown filter.
    """

    def one(match: re.Match[str]) -> str:
        escapes, name, arguments, filters = match.groups()
        if not is_name(name):
            return match[0]
        if escapes:
            return match[0].replace("{=", "{", 1)
        text = GENERATORS[name](*arguments[1:].split(":")) if name in GENERATORS else values[name + arguments]
        for filter_name in filters.split("|")[1:]:
            text = FILTERS[filter_name](text)
        return text

    return _REFERENCE.sub(one, template)


def fill_some(template: str, values: Mapping[str, str]) -> str:
    """The template with these marks filled, and all others left in it."""
    return _REFERENCE.sub(
        lambda m: fill(m[0], values) if not m[1] and m[2] in values else m[0],
        template,
    )


def fill_json(value: Any, values: Mapping[str, str]) -> Any:
    """`value` with every string in it filled, keys included."""
    return _map_strings(value, lambda text: fill(text, values))


def names_in(value: Any) -> frozenset[str]:
    """The mark names that the strings of a JSON value refer to."""
    found: set[str] = set()

    def note(text: str) -> str:
        found.update(m[2] for m in _REFERENCE.finditer(text) if not m[1] and is_name(m[2]))
        return text

    _map_strings(value, note)
    return frozenset(found)


def _map_strings(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list | tuple):
        return [_map_strings(item, change) for item in value]
    if isinstance(value, dict):
        return {change(key): _map_strings(item, change) for key, item in value.items()}
    return value


_RUN_TAG = re.compile("sealmark-run-[0-9a-f]{32}")
"""The tag that every process of a run carries in its environment; one of its own for each process."""


_SHORTEST_LEARNED = 8


class Marks:
    """The per-run values of one run, for marking what came back.

    Args:
        pairs: (name, value); a name may come several times (each pack has a sandbox of its own).
        redact: applied first; replaces the user's secrets.

    Raises:
        ValueError: a name that is not in `NAMES`, or an empty value.
    """

    def __init__(self, pairs: Iterable[tuple[str, str]], redact: Redactor | None = None) -> None:
        self._redact = redact
        needles: dict[str, str] = {}
        roots: set[str] = set()
        homes: set[str] = set()
        for name, value in pairs:
            if name.partition(":")[0] not in NAMES or not value:
                raise ValueError(f"not a mark: {name!r} = {value!r}")
            if name == "user_home":
                homes.add(value)
                continue
            needles.setdefault(value, f"{{{name}}}")
            spellings = _RECOGNISED + (_RECOGNISED_SECRETS if _PACKED.search(name) else ())
            for spelling in spellings:
                needles.setdefault(FILTERS[spelling](value), f"{{{name}|{spelling}}}")
            if name == "root_name":
                roots.add(value)
        self._needles = dict(sorted(needles.items(), key=lambda item: (-len(item[0]), item[0])))
        self._cut = tuple(_cut_pattern(root) for root in sorted(roots))
        self._homes = tuple(_path_pattern(home) for home in sorted(homes))

    def mark(self, text: str) -> str:
        """`text` as it is kept: secrets redacted, per-run values as marks, marks of the server's own escaped."""
        if self._redact is not None:
            text = self._redact(text)
        text = escape(text)
        present = [needle for needle in self._needles if needle in text]
        if present:
            pattern = re.compile("|".join(map(_needle, present)))
            text = pattern.sub(lambda m: self._needles[m[0]], text)
        for pattern in self._cut:
            text = pattern.sub("{root_name|cut}", text)
        for pattern in self._homes:
            text = pattern.sub("{user_home}", text)
        return _RUN_TAG.sub("{run_tag}", text)

    def learn(self, name: str, value: str) -> None:
        """Mark a value that the server gave out during the run; one that is too short to be told apart is left."""
        if len(value) < _SHORTEST_LEARNED or value in self._needles:
            return
        needles = {**self._needles, value: f"{{{name}}}"}
        self._needles = dict(sorted(needles.items(), key=lambda item: (-len(item[0]), item[0])))

    def mark_json(self, value: Any) -> Any:
        """`value` with every string in it marked, keys included."""
        return _map_strings(value, self.mark)


def _path_pattern(path: str) -> re.Pattern[str]:
    """Matches `path` where a path begins and one of its parts ends: `/root` is part of `/proc/self/root` too."""
    begins = r"(?:(?<=://)|(?<=\\[nrt])|(?<![\w./~\\-]))"
    return re.compile(begins + re.escape(path) + r"(?![\w-]|\.\w)")


def _needle(text: str) -> str:
    """A pattern for one value. A port is found only where it stands by itself, behind an encoded colon too."""
    if len(text) <= 5 and text.isascii() and text.isdigit():
        return rf"(?:(?<!\w)|(?<=%3[Aa])){text}(?!\w)"
    return re.escape(text)


def _cut_pattern(root: str) -> re.Pattern[str]:
    """Matches `root` cut short (a truncated echo), as long as four of its twelve random characters are left."""
    stem, tail = root[:-8], root[-8:]
    optional = ""
    for character in reversed(tail):
        optional = f"(?:{re.escape(character)}{optional})?"
    return re.compile(re.escape(stem) + optional)
