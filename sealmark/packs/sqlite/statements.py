"""The probes of the checks that ask whether a reading tool changes the database."""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Target
from sealmark.packs.sql.aims import probe, readers
from sealmark.packs.sqlite.ground import AFTER, WATCH, controlled, reading
from sealmark.record.model import Probe


def statements(target: Target) -> Iterator[Probe]:
    """For each tool that must not change anything its controls, then every case; the file is read after each."""
    for aim in readers(target):
        before = tuple(reading(target, aim))
        yield from before
        for case in target.cases if before else ():
            yield from probe(
                target,
                aim,
                case.id,
                case["statements"],
                why=case.why,
                after=AFTER,
                requires=controlled(target, aim),
                resource=WATCH,
            )
