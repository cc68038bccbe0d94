"""JSON-RPC 2.0 as pure functions: one line to a value with flags, and messages to bytes.

Parsing is lenient about what it returns and strict about what it notes: a message with a defect that leaves its
meaning clear is still delivered, with the defect as a flag, so that a request is not left hanging by a bad byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

Kind = Literal["request", "notification", "response", "batch", "invalid"]

METHOD_NOT_FOUND = -32601
UNSUPPORTED_VERSION = -32022

FLAGS: Mapping[str, str] = {
    "blank": "nothing but white space",
    "bom": "begins with a byte order mark",
    "invalid-utf8": "not UTF-8; read with replacement characters",
    "not-json": "not JSON",
    "too-deep": "nested too deeply to be read",
    "huge-number": "a number with too many digits to be read",
    "duplicate-key": "an object has the same key twice; the last one counts",
    "nan": "NaN or Infinity, which JSON does not have",
    "overflow": "a number too large for a double",
    "lone-surrogate": "half of a surrogate pair; read as a replacement character",
    "batch": "an array of messages",
    "not-object": "JSON, but not an object",
    "missing-jsonrpc": 'no "jsonrpc" member',
    "wrong-jsonrpc": 'the "jsonrpc" member is not "2.0"',
    "bad-method": "the method is not a string",
    "bad-params": "params are neither an object nor an array",
    "no-id": "a response without an id",
    "id-null": "the id is null",
    "bad-id": "the id is neither a string nor an integer",
    "result-and-error": "a response with a result and an error",
    "result-not-object": "the result is not an object",
    "bad-error": "the error is not an object with an integer code and a string message",
    "no-method": "neither a method nor a result nor an error",
}
"""Every flag that parsing can set, and what it means."""

BEYOND = frozenset({"too-deep", "huge-number"})
"""Flags of lines that may be good JSON and exceed a limit of the reader."""

_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_BOM = b"\xef\xbb\xbf"


class Parsed(msgspec.Struct, frozen=True):
    """One line, read.

    Attributes:
        kind: what the message is; ``invalid`` when it is no message.
        value: the JSON value, None when there is none.
        flags: what is wrong with it, keys of `FLAGS`.
    """

    kind: Kind
    value: Any
    flags: tuple[str, ...] = ()

    @property
    def message(self) -> dict[str, Any]:
        """The message as an object, empty if it is none."""
        return self.value if isinstance(self.value, dict) else {}


def parse(line: bytes) -> Parsed:
    """Read one line; never raises, whatever the line holds."""
    value, flags = _decode(line)
    if any(flag in flags for flag in ("blank", "not-json", "too-deep", "huge-number")):
        return Parsed("invalid", None, tuple(flags))
    if isinstance(value, list):
        return Parsed("batch", value, (*flags, "batch"))
    if not isinstance(value, dict):
        return Parsed("invalid", value, (*flags, "not-object"))
    kind, more = _classify(value)
    return Parsed(kind, value, (*flags, *more))


def _decode(line: bytes) -> tuple[Any, list[str]]:
    flags: list[str] = []
    if line.startswith(_BOM):
        flags.append("bom")
        line = line[len(_BOM) :]
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        flags.append("invalid-utf8")
        text = line.decode("utf-8", "replace")
    if not text.strip():
        return None, [*flags, "blank"]

    def note(flag: str) -> None:
        if flag not in flags:
            flags.append(flag)

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(items)
        if len(value) < len(items):
            note("duplicate-key")
        return value

    def constant(name: str) -> float:
        note("nan")
        return float(name)

    def number(digits: str) -> float:
        value = float(digits)
        if value in (float("inf"), float("-inf")):
            note("overflow")
        return value

    try:
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=constant, parse_float=number)
    except RecursionError:
        return None, [*flags, "too-deep"]
    except json.JSONDecodeError:
        return None, [*flags, "not-json"]
    except ValueError:  # the interpreter's limit on the digits of an integer
        return None, [*flags, "huge-number"]
    if _SURROGATE_ESCAPE.search(text):
        value, lone = _without_surrogates(value)
        if lone:
            note("lone-surrogate")
    return value, flags


def _without_surrogates(value: Any) -> tuple[Any, bool]:
    """Replace lone surrogates, which no encoder accepts, in every key and string."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return None, True
    if not _SURROGATE.search(text):
        return value, False
    return json.loads(_SURROGATE.sub("\ufffd", text)), True


def _classify(message: dict[str, Any]) -> tuple[Kind, list[str]]:
    flags: list[str] = []
    if "jsonrpc" not in message:
        flags.append("missing-jsonrpc")
    elif message["jsonrpc"] != "2.0":
        flags.append("wrong-jsonrpc")
    if "id" in message:
        if message["id"] is None:
            flags.append("id-null")
        elif id_key(message["id"]) is None:
            flags.append("bad-id")
    if "method" in message:
        return _classify_call(message, flags)
    if "result" not in message and "error" not in message:
        return "invalid", [*flags, "no-method"]
    if "id" not in message:
        flags.append("no-id")
    if "result" in message and "error" in message:
        flags.append("result-and-error")
    if "result" in message and not isinstance(message["result"], dict):
        flags.append("result-not-object")
    if "error" in message and not _is_error(message["error"]):
        flags.append("bad-error")
    return "response", flags


def _classify_call(message: dict[str, Any], flags: list[str]) -> tuple[Kind, list[str]]:
    if not isinstance(message["method"], str):
        return "invalid", [*flags, "bad-method"]
    if not isinstance(message.get("params", {}), dict | list):
        flags.append("bad-params")
    return ("request" if "id" in message else "notification"), flags


def _is_error(error: Any) -> bool:
    return isinstance(error, dict) and type(error.get("code")) is int and isinstance(error.get("message"), str)


def id_key(value: Any) -> tuple[str, str] | None:
    """Make an id comparable without confusing 3, 3.0, "3" and true; None for what cannot be an id."""
    if type(value) is int:
        try:
            return ("int", str(value))
        except ValueError:  # more digits than the interpreter converts
            return None
    return ("str", value) if isinstance(value, str) else None


def request(method: str, params: Any = None, *, id: Any) -> dict[str, Any]:
    """Build a request; ``params`` of None are left out."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": id, "method": method}
    return message if params is None else {**message, "params": params}


def notification(method: str, params: Any = None) -> dict[str, Any]:
    """Build a notification; ``params`` of None are left out."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    return message if params is None else {**message, "params": params}


def result_reply(id: Any, result: Mapping[str, Any]) -> dict[str, Any]:
    """Build the answer to a request."""
    return {"jsonrpc": "2.0", "id": id, "result": dict(result)}


def error_reply(id: Any, code: int, message: str) -> dict[str, Any]:
    """Build the refusal of a request."""
    return {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}


def encode(message: Any) -> bytes:
    """Serialise a message as UTF-8 without a newline.

    Raises:
        ValueError: the message is nested too deeply to be written; send such a message as raw bytes.
    """
    try:
        return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:  # a lone surrogate of a probe can only be sent as an escape
        return json.dumps(message, separators=(",", ":")).encode("ascii")
    except RecursionError as error:
        raise ValueError("the message is nested too deeply to be written as JSON") from error
