"""A record without its measured times: what must be the same, byte for byte, when a run is repeated."""

from __future__ import annotations

import msgspec

from sealmark.record.model import RunRecord


def timeless(record: RunRecord) -> RunRecord:
    """The record with every measured time set to nothing."""
    gathered = record.gathered
    return msgspec.structs.replace(
        record,
        started_at="1970-01-01T00:00:00Z",
        duration_ms=0,
        fingerprints={},
        gathered=msgspec.structs.replace(
            gathered,
            observations=tuple(msgspec.structs.replace(seen, elapsed_ms=0) for seen in gathered.observations),
            sessions=tuple(msgspec.structs.replace(session, opened_ms=0) for session in gathered.sessions),
        ),
    )
