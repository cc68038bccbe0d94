"""Drift of a server's tool surface over its versions: each version is compared with the one before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from sealmark.compare.changes import Drift
from sealmark.compare.drift import drift
from sealmark.frames.keys import Key, key_of
from sealmark.frames.versions import version_key
from sealmark.record.model import RunRecord

Read = Callable[[int], RunRecord | None]
"""Reads the surface of the run at a position; None when it cannot be read."""


class DriftRow(NamedTuple):
    """One change between two consecutive versions of a server."""

    before: Key
    after: Key
    change: Drift


def drift_rows(keys: Mapping[int, Key], read: Read) -> Iterator[DriftRow]:
    """Every change, server by server, in the order of versions; of a version the newest run with a surface counts.

    Args:
        keys: the runs, by position.
        read: gives a run's status and surface.
    """
    ordered = sorted(keys, key=lambda at: (keys[at].server, version_key(keys[at].server_version), keys[at].started))
    for _, runs in groupby(ordered, key=lambda at: keys[at].server):
        before: RunRecord | None = None
        for _, same_version in groupby(runs, key=lambda at: keys[at].server_version):
            after = _newest(list(same_version), read)
            if before is not None and after is not None:
                for change in drift(before.gathered.surface, after.gathered.surface):
                    yield DriftRow(key_of(before), key_of(after), change)
            before = after or before


def _newest(positions: Sequence[int], read: Read) -> RunRecord | None:
    """The newest of these runs in which the server said what it offers."""
    for position in reversed(positions):
        run = read(position)
        if run is not None and run.status != "failed":
            return run
    return None
