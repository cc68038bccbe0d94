"""A sidecar of mcp-probe (`.mcp-probe.json`: tools, their inputs, what is expected of them) as a `probes:` block."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from sealmark.errors import ConfigError
from sealmark.reading.visible import visible
from sealmark.settings.show import flow, scalar
from sealmark.settings.types import did_you_mean

NAMES: Mapping[str, str] = {
    "status": "status",
    "requiredFields": "required_fields",
    "maxRows": "max_rows",
    "errorCode": "error_code",
    "contains": "contains",
    "notContains": "not_contains",
    "not_error_code": "tolerate",
}
"""What is expected in a sidecar -> what it is called under `expect:`."""

ENTRY = ("tool", "input", "expect")


class Translated(msgspec.Struct, frozen=True, omit_defaults=True):
    """One entry as a probe. `guessed` is true where the tool's name was taken from another entry's."""

    id: str
    tool: str
    args: dict[str, Any] = {}
    check: str = ""
    expect: dict[str, Any] = {}
    guessed: bool = False


def translate(data: Any, name: str) -> tuple[Translated, ...]:
    """The probes of a sidecar. An entry without expectations adds coverage, any other decides a check of its own.

    An entry whose name begins with another entry's and an underscore is a second call of that tool.

    Args:
        data: the parsed file.
        name: of the file, for messages.

    Raises:
        ConfigError: one line for each mistake.
    """
    tools = data.get("tools") if isinstance(data, Mapping) else None
    if not isinstance(tools, Mapping) or not tools:
        raise ConfigError([f"{name}: there is no object 'tools' with an entry for each tool"])
    problems = [f"{name}: {says}" for key, entry in tools.items() for says in _problems(key, entry)]
    if problems:
        raise ConfigError(problems)
    return tuple(_one(key, entry, list(tools)) for key, entry in tools.items())


def _one(key: str, entry: Mapping[str, Any], keys: Sequence[str]) -> Translated:
    shorter = [other for other in keys if key.startswith(f"{other}_")]
    tool = entry.get("tool") or (max(shorter, key=len) if shorter else key)
    expect = {new: _value(new, entry["expect"][old]) for old, new in NAMES.items() if old in entry.get("expect", {})}
    check = re.sub(r"[^a-z0-9]+", "-", key.lower()).strip("-")[:50]
    return Translated(
        id=key,
        tool=tool,
        args=dict(entry.get("input") or {}),
        check=f"contract-{check}" if expect else "",
        expect=expect,
        guessed=bool(shorter) and "tool" not in entry,
    )


def _value(name: str, value: Any) -> Any:
    return int(value) if name == "max_rows" else value


def _problems(key: str, entry: Any) -> Iterator[str]:
    """What is wrong with one entry, in words that begin with its place."""
    at = f"tools.{visible(key, newlines='escape', limit=80)}"
    if not isinstance(entry, Mapping):
        yield f"{at} must be an object with input and expect"
        return
    for unknown in [word for word in entry if word not in ENTRY]:
        yield f"{at}: unknown key {unknown!r}{did_you_mean(unknown, ENTRY)}"
    if not isinstance(entry.get("input", {}), Mapping):
        yield f"{at}.input must be an object of arguments"
    expect = entry.get("expect", {})
    if not isinstance(expect, Mapping):
        yield f"{at}.expect must be an object"
        return
    for unknown in [word for word in expect if word not in NAMES]:
        yield f"{at}.expect: unknown key {unknown!r}{did_you_mean(unknown, NAMES)}"
    if "status" in expect and expect["status"] not in ("pass", "fail", "warn"):
        yield f"{at}.expect.status must be pass, fail or warn"
    for word in ("requiredFields", "contains", "notContains"):
        if word in expect and not _list_of(expect[word], str):
            yield f"{at}.expect.{word} must be a list of texts"
    if "not_error_code" in expect and not _list_of(expect["not_error_code"], int):
        yield f"{at}.expect.not_error_code must be a list of numbers"
    most = expect.get("maxRows", 0)
    if not isinstance(most, int | float) or isinstance(most, bool) or most < 0:
        yield f"{at}.expect.maxRows must be a number, 0 or more"
    if "errorCode" in expect and not (isinstance(expect["errorCode"], str) and expect["errorCode"]):
        yield f"{at}.expect.errorCode must be a text"


def _list_of(value: Any, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(item, kind) and not isinstance(item, bool) for item in value)


def as_yaml(probes: Sequence[Translated]) -> str:
    """The block as it is pasted into a configuration."""
    lines = ["probes:"]
    for probe in probes:
        guess = "  # the entry's name begins with this tool's; correct it if it is another" if probe.guessed else ""
        lines += [f"  - id: {scalar(probe.id)}", f"    tool: {scalar(probe.tool)}{guess}"]
        lines += [f"    args: {flow(probe.args)}"] if probe.args else []
        lines += [f"    check: {scalar(probe.check)}", f"    expect: {flow(probe.expect)}"] if probe.check else []
    return "\n".join(lines) + "\n"
