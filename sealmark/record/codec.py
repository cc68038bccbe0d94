"""The only door between run records and JSON.

`dump` writes stable bytes: keys in the order of the model, one space of indentation, a newline at the end. `load` reads
any schema version up to this build's, upgrading by pure functions; a newer one, a truncated or a foreign document is
one clear `RecordError`. Both may be gzipped, as the downloads of a report site are.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from sealmark.errors import RecordError
from sealmark.record.model import SCHEMA, RunRecord

MAX_BYTES = 64 * 1024 * 1024
"""A record larger than this is refused unread; records are written below 4 MiB."""

UPGRADES: Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""Schema version -> function that turns a document of that version into the next one."""

_DECODER = msgspec.json.Decoder(RunRecord)


def dump(run: RunRecord) -> bytes:
    """The record as UTF-8 JSON, the same bytes for the same record."""
    return msgspec.json.format(msgspec.json.encode(run), indent=1) + b"\n"


def load(data: bytes, where: str = "record") -> RunRecord:
    """The record in `data`.

    Args:
        data: UTF-8 JSON, or gzip of it.
        where: a name for error messages, usually the path.

    Raises:
        RecordError: not JSON, cut short, not a run record, or written by a newer version.
    """
    data = _unpacked(data, where)
    if len(data) > MAX_BYTES:
        raise RecordError(
            f"{where}: {len(data)} bytes, more than a run record can have ({MAX_BYTES})",
            hint="Is this the JSON that `sealmark run --format json` wrote?",
        )
    try:
        version = msgspec.json.decode(data, type=_Header).schema
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RecordError(f"{where}: {_why(error, data)}", hint=_HINT) from None
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise RecordError(f"{where}: not a run record (no schema number)", hint=_HINT)
    if version > SCHEMA:
        raise RecordError(
            f"{where}: schema {version} is newer than this build reads ({SCHEMA})",
            hint="Upgrade: pip install -U sealmark",
        )
    try:
        if version == SCHEMA:
            return _DECODER.decode(data)
        document = msgspec.json.decode(data)
        while version < SCHEMA:
            document, version = UPGRADES[version](document), version + 1
        return msgspec.convert(document, RunRecord)
    except (msgspec.ValidationError, RecursionError, KeyError) as error:
        raise RecordError(f"{where}: not a valid run record: {error}", hint=_HINT) from None


def load_many(data: bytes, where: str = "report") -> tuple[RunRecord, ...]:
    """The records of a JSON report: one run, or several as `{"runs": [...]}`.

    Raises:
        RecordError: as `load`; the message names which of several.
    """
    data = _unpacked(data, where)
    try:
        several = msgspec.json.decode(data, type=_Several).runs if len(data) <= MAX_BYTES else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        several = None
    if several is None:
        return (load(data, where),)
    return tuple(load(bytes(item), f"{where} (run {number})") for number, item in enumerate(several, 1))


def _unpacked(data: bytes, where: str) -> bytes:
    """The JSON itself; of a gzipped one never more than a little over MAX_BYTES."""
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            return packed.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise RecordError(f"{where}: not a whole gzip file: {error}", hint=_HINT) from None


def is_current(version: int) -> bool:
    """Whether a document of this schema version is read as it stands."""
    return version == SCHEMA


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a run record."""
    return msgspec.json.schema(RunRecord)


_HINT = "Run the server again, or restore the file; sealmark writes records with `--format json --out FILE`."


class _Header(msgspec.Struct):
    schema: Any = None


class _Several(msgspec.Struct):
    runs: list[msgspec.Raw]


def _why(error: Exception, data: bytes) -> str:
    if isinstance(error, RecursionError):
        return "nested deeper than any run record"
    if isinstance(error, msgspec.ValidationError):
        return "not a run record (the document is not an object)"
    if "truncated" in str(error):
        return f"cut short after {len(data)} bytes"
    return f"not JSON: {error}"
