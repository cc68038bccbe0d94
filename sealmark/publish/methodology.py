"""What the methodology page shows: the formula as data, the packs, the corpora, and what changed between versions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sealmark import corpora
from sealmark.check import Pack
from sealmark.packs import PACKS
from sealmark.settings.methodology import CheckRow, Methodology, current, load, versions


@dataclass(frozen=True, slots=True)
class PackTable:
    """One pack with what each of its checks is worth; `built` tells whether this build has the check's page."""

    id: str
    title: str
    question: str
    status: str
    active_only: bool
    checks: tuple[tuple[CheckRow, str, bool, int], ...]
    """Row of the methodology, title, whether there is a page, cases in the corpus."""


def packs() -> Iterator[PackTable]:
    """Every pack of the current methodology that this build has."""
    known = {pack.id: pack for pack in PACKS}
    for row in current().packs:
        pack = known.get(row.id)
        if pack is not None:
            titles = {check.id: check.title for check in pack.checks}
            checks = tuple((c, titles.get(c.id, c.id), c.id in titles, _cases(pack, c.id)) for c in row.checks)
            yield PackTable(row.id, pack.title, pack.question, row.status, row.active_only, checks)


def _cases(pack: Pack, check_id: str) -> int:
    check = next((check for check in pack.checks if check.id == check_id), None)
    return len(corpora.cases(check.corpus or f"{pack.id}/{check.id}")) if check else 0


def history() -> list[tuple[str, list[str]]]:
    """Every methodology that this build ships, newest first, with what each changed."""
    known = [load(version) for version in versions()]
    pairs = zip([None, *known], known, strict=False)
    return [(after.version, list(_changes(before, after))) for before, after in pairs][::-1]


def _changes(before: Methodology | None, after: Methodology) -> Iterator[str]:
    if before is None:
        yield "The first version that this build knows."
        return
    old = {check.id: check for pack in before.packs for check in pack.checks}
    new = {check.id: check for pack in after.packs for check in pack.checks}
    yield from (f"{check} added" for check in new if check not in old)
    yield from (f"{check} removed" for check in old if check not in new)
    for check in (check for check in new if check in old):
        for field in ("severity", "lifecycle", "revision"):
            was, now = getattr(old[check], field), getattr(new[check], field)
            if was != now:
                yield f"{check}: {field} {was} → {now}"
    if before.bands != after.bands or before.points != after.points or before.critical_cap != after.critical_cap:
        yield "points, bands or cap changed"
