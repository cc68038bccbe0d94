"""What changed between the versions of a server: its letters, and the surface that it offers to a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sealmark.compare.changes import LEVELS, Drift
from sealmark.publish.collect import Change, Server, Store, changed

MOST = 100
"""Lines of drift that one step between versions shows, worst first."""


@dataclass(frozen=True, slots=True)
class Step:
    """From one version to the next: changed letters, drift worst first, and how many lines are left out."""

    before: str
    after: str
    day: str
    letters: tuple[Change, ...]
    drift: tuple[Drift, ...]
    hidden: int

    @property
    def breaking(self) -> int:
        """Changes that break a caller."""
        return sum(change.level == "breaking" for change in self.drift)


Lines = Mapping[tuple[str, str], tuple[Drift, ...]]
"""(server, later version) -> what changed from the version before it."""


def drift_lines(store: Store) -> Lines:
    """Drift of every server, from the drift frame."""
    names = {key.id: (key.server, key.server_version) for key in store.source.keys}
    found: dict[tuple[str, str], list[Drift]] = {}
    frame = store.runs.drift[["after_run", "level", "kind", "line"]]
    for run_id, level, kind, line in frame.itertuples(index=False):
        if run_id in names:
            found.setdefault(names[run_id], []).append(Drift(level, kind, line))
    return {key: tuple(sorted(lines, key=lambda d: LEVELS.index(d.level))) for key, lines in found.items()}


def steps(server: Server, lines: Lines) -> list[Step]:
    """Every step between consecutive versions, newest first."""
    made = []
    for before, after in zip(server.versions, server.versions[1:], strict=False):
        drift = lines.get((server.name, after.raw_version), ())
        made.append(
            Step(
                before.version or before.day,
                after.version or after.day,
                after.day,
                changed(before, after),
                drift[:MOST],
                len(drift[MOST:]),
            )
        )
    return made[::-1]
