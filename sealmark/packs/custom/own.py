"""The user's own probes as the configuration has them, turned into calls: variants, sessions, placeholders."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from sealmark.check import Target, slug
from sealmark.record.marks import escape
from sealmark.record.model import Call, Close, Look, Probe, Restore, Role, Step, Tell
from sealmark.settings.placeholders import names

PACK = "custom"
COVERAGE = "probes"
"""What stands in place of a check in the id of a probe that decides none."""

SESSIONS: Mapping[str, str] = {"a": "bearer:a", "b": "bearer:b", "none": "anonymous", "": "main"}
"""Identity -> the session that speaks for it."""

_MATRIX = re.compile(r"(?<!\$)\{matrix\.([\w-]+)\}")
_FILLED = re.compile(r"\{=(" + "|".join(sorted(names("probes"))) + r")(?=[}|:])")


class Variant(msgspec.Struct, frozen=True):
    """One call of a probe: its arguments, and which it is in words."""

    arguments: dict[str, Any]
    label: str = ""


def name_of(probe: Mapping[str, Any], at: int) -> str:
    """What a probe is called: its id, else its number."""
    return slug(str(probe.get("id") or f"probe-{at + 1}"))


def variants(probe: Mapping[str, Any]) -> tuple[Variant, ...]:
    """The calls of a probe: its arguments and each of its cases laid over them, for each combination of the matrix.

    A probe that gives cases and no arguments has no call but its cases.
    """
    base = probe.get("args") or {}
    cases = probe.get("cases") or ()
    laid = [({**base, **case}, f"case-{number + 1}") for number, case in enumerate(cases)]
    if base or not cases:
        laid.insert(0, (dict(base), ""))
    matrix = {name: tuple(values) for name, values in (probe.get("matrix") or {}).items()}
    found = []
    for arguments, label in laid:
        for numbers in itertools.product(*(range(len(values)) for values in matrix.values())):
            chosen = {name: matrix[name][at] for name, at in zip(matrix, numbers, strict=True)}
            parts = [label, *(f"{name}-{at + 1}" for name, at in zip(matrix, numbers, strict=True))]
            found.append(Variant(_with(arguments, chosen), ".".join(part for part in parts if part)))
    return tuple(found)


def _with(value: Any, chosen: Mapping[str, Any]) -> Any:
    """`value` with `{matrix.NAME}` replaced; a text that is nothing else becomes the value as it is."""
    if isinstance(value, str):
        whole = _MATRIX.fullmatch(value)
        if whole and whole[1] in chosen:
            return chosen[whole[1]]
        return _MATRIX.sub(lambda m: str(chosen.get(m[1], m[0])), value)
    if isinstance(value, Mapping):
        return {str(_with(key, chosen)): _with(item, chosen) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_with(item, chosen) for item in value]
    return value


def template(value: Any) -> Any:
    """A value of the configuration as a template: what is filled in probes stays a mark, all else is text."""
    if isinstance(value, str):
        return _FILLED.sub(r"{\1", escape(value))
    if isinstance(value, Mapping):
        return {template(key): template(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [template(item) for item in value]
    return value


def expected(value: Any) -> Any:
    """The same for what is expected, where a caller's token may be named too."""
    if isinstance(value, str):
        return re.sub(r"\{=?bearer(?::([ab]))?\}", lambda m: f"{{bearer_{m[1] or 'a'}}}", template(value))
    return [expected(item) for item in value]


def sought_in(expect: Mapping[str, Any]) -> dict[str, Any]:
    """What the whole reply is read for, so that an expectation can be judged although the reply is cut."""
    sought: dict[str, Any] = {}
    for key, name in (("required_fields", "fields"), ("contains", "contains"), ("not_contains", "not_contains")):
        if expect.get(key):
            sought[name] = expected(list(expect[key]))
    codes = [*([expect["error_code"]] if "error_code" in expect else []), *tolerated(expect)]
    if codes:
        sought["codes"] = [template(code) for code in codes]
    if "max_rows" in expect:
        sought["rows"] = True
    return sought


def must_fail(expect: Mapping[str, Any]) -> bool:
    """Whether a call is expected to be refused; it may then hold what the tool's schema rejects."""
    return expect.get("status") == "fail" or ("status" not in expect and "error_code" in expect)


def tolerated(expect: Mapping[str, Any]) -> Sequence[Any]:
    """Error codes that make a probe inconclusive instead of failed."""
    found: Sequence[Any] = expect.get("tolerate") or ()
    return found


def log_texts(expect: Mapping[str, Any]) -> tuple[str, ...]:
    """What the server's log lines are looked through for: what must occur, then what must not."""
    log = expect.get("log") or {}
    return tuple(expected([*(log.get("contains") or ()), *(log.get("not_contains") or ())]))


def probes_of(target: Target, entries: Sequence[tuple[int, Mapping[str, Any]]], check: str) -> Iterator[Probe]:
    """The probes for some entries of `probes:`, by their number. Those that are active need --active."""
    role: Role = "coverage" if check == COVERAGE else "attack"
    for at, entry in entries:
        if entry.get("active") and not target.facts.get("active"):
            continue
        expect = entry.get("expect") or {}
        for variant in variants(entry):
            case = ".".join(part for part in (name_of(entry, at), variant.label) if part)
            session = SESSIONS[entry.get("identity") or ""]
            logs = log_texts(expect)
            steps: list[Step] = [_call(entry, variant, expect)]
            if target.setting("upstream.kind"):
                reply = (entry.get("upstream") or {}).get("reply")
                told: list[Step] = [Tell("upstream", plain(reply))] if reply is not None else []
                steps = [Restore("upstream"), *told, *steps, Look("upstream")]
            yield Probe(
                id=f"{check}/{slug(entry['tool'])}/{case}",
                pack=PACK,
                check=check,
                role=role,
                steps=(*steps, *([Close(logs)] if logs else [])),
                why=str(entry.get("title") or ""),
                tool=entry["tool"],
                case=case,
                session=f"{session}/{check}.{case}" if logs else session,
                resource="upstream" if target.setting("upstream.kind") else "",
            )


def _call(entry: Mapping[str, Any], variant: Variant, expect: Mapping[str, Any]) -> Call:
    return Call(
        tool=entry["tool"],
        arguments=template(variant.arguments),
        valid=not must_fail(expect),
        sought=sought_in(expect),
    )


def plain(value: Any) -> Any:
    """A value of the configuration as JSON has it."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, tuple | list) else value
