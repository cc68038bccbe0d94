"""`${VAR}` references and `{placeholder}` words inside configured texts.

References are filled from the environment when a run starts, by `resolve`, and nowhere else: settings keep
what was written, so that a record never holds a value. `$${` stands for a literal `${`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from sealmark.errors import ConfigError
from sealmark.settings.layers import Origin
from sealmark.settings.values import Settings

REFERENCE = re.compile(r"\$\$\{|\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")

RESOLVED_KEYS = (
    "server.command",
    "server.args",
    "server.env",
    "server.cwd",
    "server.url",
    "server.headers",
    "server.files",
    "identities.a",
    "identities.b",
    "db.pg",
    "net.control_url",
    "upstream.responses",
    "upstream.default_reply",
    "probes",
)
"""Settings in which references are filled."""


class Reference(msgspec.Struct, frozen=True):
    """One `${name}` or `${name:-default}` in a text."""

    name: str
    default: str | None


def references(text: str) -> Iterator[Reference]:
    """Every reference of a text, in order."""
    for match in REFERENCE.finditer(text):
        if match["name"]:
            yield Reference(match["name"], match["default"])


def resolve_text(text: str, environ: Mapping[str, str], missing: list[str]) -> str:
    """`text` with its references filled; names that are neither set nor have a default go to `missing`.

    A variable that is set to nothing counts as unset for `:-`, as in a shell.
    """

    def one(match: re.Match[str]) -> str:
        name, default = match["name"], match["default"]
        if not name:
            return "${"
        value = environ.get(name)
        if value or (value is not None and default is None):
            return value
        if default is None:
            missing.append(name)
        return default or ""

    return REFERENCE.sub(one, text)


def resolve(settings: Settings, environ: Mapping[str, str]) -> dict[str, Any]:
    """The settings that start and reach a server, with every reference filled. Never store what this returns.

    Args:
        settings: as configured.
        environ: the real environment; where it has nothing, `variables` of the configuration count.

    Returns:
        key of `RESOLVED_KEYS` -> value.

    Raises:
        ConfigError: variables are missing; one line for each, with the position of the value that needs it
            and the code ENV_MISSING.
    """
    environ = {**settings["variables"], **environ}
    resolved: dict[str, Any] = {}
    problems: dict[tuple[str, str], Origin] = {}
    for key in RESOLVED_KEYS:
        value = settings[key]
        if isinstance(value, dict) and key in ("server.env", "server.headers"):
            filled: dict[str, Any] = {}
            for name, text in value.items():
                entry = settings.entry(key, name)
                missing: list[str] = []
                filled[name] = _fill(text, environ, missing)
                problems.update({(entry, lost): settings.origin(entry) for lost in missing})
            resolved[key] = filled
        else:
            missing = []
            resolved[key] = _fill(value, environ, missing)
            problems.update({(key, lost): settings.origin(key) for lost in missing})
    if problems:
        lines = [
            f"{origin.position}: {key} needs the variable {name}, which is not set"
            for (key, name), origin in problems.items()
        ]
        first = next(iter(problems))[1]
        hint = f"Type `export {first}=…` first, or put it under `variables:` in sealmark.local.yaml."
        error = ConfigError(lines, hint=hint)
        error.code = "ENV_MISSING"
        raise error
    return resolved


def _fill(value: Any, environ: Mapping[str, str], missing: list[str]) -> Any:
    if isinstance(value, str):
        return resolve_text(value, environ, missing)
    if isinstance(value, dict):
        return {key: _fill(item, environ, missing) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return tuple(_fill(item, environ, missing) for item in value)
    return value


def texts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """(the nearest key above it, text) for every text in a value."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from texts(item, str(key))
    elif isinstance(value, tuple | list):
        for item in value:
            yield from texts(item, name)
