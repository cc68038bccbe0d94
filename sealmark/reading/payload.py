"""What a reply holds for somebody who expects something of it: values to look for fields in, and text to search.

Fields are looked for at any depth, rows are counted by what a reply says of itself before its arrays are counted, and
texts are compared without regard to case. A JSON text counts as the value that it stands for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from sealmark.reading.rows import first_text, rows, structured_of
from sealmark.reading.walk import mapping, sequence
from sealmark.record.model import Json

COUNTED = ("rowCount", "rowsReturned", "row_count", "rows_returned")
"""Fields that say how many rows a reply holds, the most telling first."""

ARRAYS = ("rows", "data", "items", "records")
"""Fields that hold the rows, the most telling first."""

HELD = ("json", "data", "resource")
"""Keys of a content block that hold a value of their own."""

ENVELOPE = ("content", "contents", "isError", "resultType")
"""Keys of a result that wrap what it holds."""

MAX_TEXT = 8 * 1024 * 1024


class Payload(msgspec.Struct, frozen=True):
    """The values of a reply, the most general first, and its whole text."""

    values: tuple[Json, ...] = ()
    text: str = ""


def payload_of(message: Json) -> Payload:
    """The payload of one JSON-RPC reply: its error, its result, and what its content blocks hold."""
    reply = mapping(message)
    values: list[Json] = []
    texts: list[str] = []
    for key in ("error", "result"):
        if reply.get(key) is not None:
            values.append(reply[key])
            texts.append(_written(_without(reply[key], ENVELOPE)))
    result = mapping(reply.get("result"))
    for block in [*sequence(result.get("content")), *sequence(result.get("contents"))]:
        held = mapping(block)
        texts.append(_written(_without(block, ("type", "text"))))
        values += [held[key] for key in HELD if held.get(key) is not None]
        for inner in (held.get("text"), mapping(held.get("resource")).get("text")):
            if isinstance(inner, str):
                values.append(_parsed(inner))
                texts.append(inner)
    return Payload(tuple(values), "\n".join(texts)[:MAX_TEXT])


def _without(value: Json, keys: Sequence[str]) -> Json:
    """A value without what only wraps it, so that a text is not found in the names of the protocol."""
    kept = {key: item for key, item in value.items() if key not in keys} if isinstance(value, dict) else value
    return "" if kept == {} else kept


def has_field(payload: Payload, name: str) -> bool:
    """Whether a field of that name stands anywhere in the values."""
    return any(name in found for value in payload.values for found in _objects(value))


def row_count(payload: Payload, message: Json) -> int | None:
    """How many rows there are: by a field that counts them, else by an array of rows, else by how the text reads."""
    for value in payload.values:
        found = _counted(value)
        if found is not None:
            return found
    return rows(structured_of(message), first_text(message))


def has_text(payload: Payload, wanted: str) -> bool:
    """Whether the text holds `wanted`, in any case."""
    return wanted.lower() in payload.text.lower()


def has_code(payload: Payload, code: Any) -> bool:
    """Whether the reply holds an error code. A number must stand by itself; a name may be part of a longer one."""
    written = str(code)
    if re.fullmatch(r"-?\d+", written):
        return re.search(rf"(?<![\w.-]){re.escape(written)}(?![\w.]*\d)", payload.text) is not None
    return has_text(payload, written)


def read_sought(message: Json, sought: Mapping[str, Any]) -> dict[str, Any]:
    """What a reply holds of what somebody looks for, in the order of what is looked for.

    Args:
        message: the whole reply.
        sought: `fields`, `contains`, `not_contains` and `codes` (lists), `rows` (true to count them).

    Returns:
        The same keys with true or false for each item; `rows` is a number or None.
    """
    found = payload_of(message)
    tests = {"fields": has_field, "contains": has_text, "not_contains": has_text, "codes": has_code}
    read: dict[str, Any] = {
        key: [test(found, item) for item in sought[key]] for key, test in tests.items() if key in sought
    }
    if sought.get("rows"):
        read["rows"] = row_count(found, message)
    return read


def _objects(value: Json) -> Iterator[dict[str, Json]]:
    """Every object of a value, in document order."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            yield item
            stack.extend(reversed(item.values()))
        elif isinstance(item, list | tuple):
            stack.extend(reversed(item))


def _counted(value: Json) -> int | None:
    objects = list(_objects(value))
    for name in COUNTED:
        for found in objects:
            number = _number(found.get(name))
            if number is not None:
                return number
    for found in objects:
        array = next((found[name] for name in ARRAYS if found.get(name) is not None), None)
        if isinstance(array, list):
            return len(array)
    return None


def _number(value: Json) -> int | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d{1,15}(\.\d+)?\s*", value):
        return int(float(value))
    return None


def _parsed(text: str) -> Json:
    try:
        return msgspec.json.decode(text.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        return text


def _written(value: Json) -> str:
    if isinstance(value, str):
        return value
    try:
        return msgspec.json.encode(value).decode("utf-8", "replace")
    except (msgspec.EncodeError, TypeError, RecursionError, UnicodeEncodeError):
        return str(value)
