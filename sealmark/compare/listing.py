"""A saved listing as a record: a tools/list reply of any tool can be judged for its metadata, and is a drift baseline.

Accepted are the reply itself (`{"tools": […]}`), the JSON-RPC message around it, a bare array of tools, and an object
that also holds `resources`, `resourceTemplates`, `prompts`, `serverInfo` or `instructions`. What `sealmark inventory
--json` writes is a record already and needs nothing of this.
"""

from __future__ import annotations

from typing import Any

import msgspec

from sealmark import __version__
from sealmark.errors import RecordError
from sealmark.record.codec import MAX_BYTES
from sealmark.record.marks import Marks
from sealmark.record.model import (
    SCHEMA,
    Gathered,
    ListAll,
    Observation,
    PackState,
    RunRecord,
    ServerFacts,
    Setting,
)
from sealmark.surface.classify import classify
from sealmark.surface.meeting import LISTINGS, meeting_probe
from sealmark.surface.surface import build_surface

WARNING = "made from a saved listing: nothing was started or called, so only metadata can be judged"


def read_listing(data: bytes, where: str = "listing") -> RunRecord:
    """A record, not judged yet, of a saved listing.

    Args:
        data: UTF-8 JSON.
        where: a name for the server and for error messages, usually the path.

    Raises:
        RecordError: the document holds no array of tools.
    """
    mark = Marks(())
    listed = mark.mark_json(_document(data, where))
    pages = {
        method: {"items": listed[key], "pages": 1, "stopped_by": ""}
        for _, method, key, _ in LISTINGS
        if isinstance(listed.get(key), list)
    }
    surface = build_surface(listed, pages)
    asked = [(case, method, key) for case, method, key, _ in LISTINGS if method in pages]
    gathered = Gathered(
        server=ServerFacts(name=surface.server_name or mark.mark(where), version=surface.server_version),
        surface=surface,
        settings=(Setting("packs", ["core"], "a saved listing"),),
        facts={"active": False, "excluded_tools": [], "saved_listing": True},
        classified=tuple(classify(tool, {}) for tool in surface.tools if tool.name),
        packs=(PackState("core", "Core", True, "a saved listing: metadata only"),),
        probes=tuple(meeting_probe(case, ListAll(method, key)) for case, method, key in asked),
        observations=tuple(_observation(case, listed[key]) for case, _, key in asked),
        warnings=(WARNING,),
    )
    return RunRecord(SCHEMA, __version__, "1970-01-01T00:00:00Z", 0, "partial", gathered)


def _observation(case: str, items: list[Any]) -> Observation:
    facts = {"items": len(items), "pages": 1, "stoppedBy": "", "problems": [], "repeated": False, "cursors": []}
    return Observation(f"surface/fact:{case}", 0, "listing", facts=facts)


def is_listing(data: bytes) -> bool:
    """Whether a document looks like a saved listing rather than a run record (which may be broken)."""
    try:
        found = _inner(msgspec.json.decode(data))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return isinstance(found.get("tools"), list) and "schema" not in found


def _inner(found: Any) -> dict[str, Any]:
    """The object that holds the arrays, out of whatever is around it; empty when there is none."""
    if isinstance(found, dict) and isinstance(found.get("result"), dict):
        found = found["result"]
    if isinstance(found, list):
        found = {"tools": found}
    return found if isinstance(found, dict) else {}


def _document(data: bytes, where: str) -> dict[str, Any]:
    if len(data) > MAX_BYTES:
        raise RecordError(f"{where}: {len(data)} bytes, more than a listing can have ({MAX_BYTES})")
    try:
        found = _inner(msgspec.json.decode(data))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RecordError(f"{where}: not JSON: {error}") from None
    if not isinstance(found.get("tools"), list):
        raise RecordError(
            f"{where}: neither a run record nor a saved listing of tools",
            hint='A listing holds {"tools": [...]}; sealmark writes one with `sealmark inventory --json`.',
        )
    return found
