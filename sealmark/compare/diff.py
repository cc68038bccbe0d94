"""Two runs of one server, side by side: regressions, improvements, drift of the surface and of the behaviour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from sealmark.compare.baseline import changes
from sealmark.compare.behaviour import behaviour
from sealmark.compare.changes import WORDS, Change, Diff
from sealmark.compare.drift import drift
from sealmark.reading.shown import line
from sealmark.record.model import RunRecord

__all__ = ["Diff", "against", "diff", "diff_all", "document", "exit_code", "lines"]


def diff(before: RunRecord, after: RunRecord) -> Diff:
    """Everything that changed between two runs of one server. Nothing is started."""
    found = changes(before, after)
    old, new = line(before.gathered.server.name, 80), line(after.gathered.server.name, 80)
    if old != new:
        found = (Change("note", f"the server was called {old} and is called {new}"), *found)
    if before.failure is not None or after.failure is not None:
        return Diff(after.gathered.server.name, (*found, Change("note", "a run failed, so no surface is compared")))
    return Diff(
        after.gathered.server.name,
        found,
        drift(before.gathered.surface, after.gathered.surface),
        behaviour(before.gathered, after.gathered),
    )


def diff_all(before: Sequence[RunRecord], after: Sequence[RunRecord]) -> tuple[Diff, ...]:
    """The servers of two sets of runs, matched by name; a lone run on each side is matched whatever its name."""
    if len(before) == len(after) == 1:
        return (diff(before[0], after[0]),)
    return tuple(_matched(before, after))


def against(baseline: Sequence[RunRecord], runs: Sequence[RunRecord]) -> tuple[Diff, ...]:
    """Runs compared with a baseline, matched by name; servers that did not run are left out.

    A baseline that is one saved listing has no name of its own, so it is matched with the one server that ran.
    """
    if len(baseline) == len(runs) == 1 and baseline[0].judgement is None:
        return (diff(baseline[0], runs[0]),)
    ran = {run.gathered.server.name for run in runs}
    return tuple(_matched([run for run in baseline if run.gathered.server.name in ran], runs))


def _matched(before: Sequence[RunRecord], after: Sequence[RunRecord]) -> Iterator[Diff]:
    old = {run.gathered.server.name: run for run in before}
    for run in after:
        name = run.gathered.server.name
        if name in old:
            yield diff(old.pop(name), run)
        else:
            yield Diff(name, (Change("note", f"no server called {line(name, 80)} before"),))
    for name in old:
        yield Diff(name, (Change("note", f"no server called {line(name, 80)} after"),))


def exit_code(found: Sequence[Diff]) -> int:
    """1 when anything regressed or the surface drifted in a way that counts, else 0."""
    return int(any(one.regressions or one.drifted for one in found))


def lines(found: Sequence[Diff]) -> Iterator[str]:
    """What `sealmark diff` prints: one line per change, regressions first."""
    for one in found:
        name = f"{line(one.server, 80)}: " if len(found) > 1 else ""
        yield from (f"{name}note: {change.line}" for change in one.notes)
        yield from (f"{name}regression: {change.line}" for change in one.regressions)
        yield from (f"{name}improved: {change.line}" for change in one.improvements)
        yield from (f"{name}drift: {WORDS[change.level]}: {change.line}" for change in one.drift)
        yield from (f"{name}behaviour: {change.kind}: {change.line}" for change in one.behaviour)
    if not any(one.changes or one.drift or one.behaviour for one in found):
        yield "no change"


def document(found: Sequence[Diff]) -> dict[str, Any]:
    """The machine-readable form of a comparison, `sealmark.diff/1`."""
    servers = []
    for one in found:
        servers.append(
            {
                "server": line(one.server, 80),
                "regressions": msgspec.to_builtins(one.regressions),
                "improvements": msgspec.to_builtins(one.improvements),
                "notes": msgspec.to_builtins(one.notes),
                "drift": msgspec.to_builtins(one.drift),
                "behaviour": msgspec.to_builtins(one.behaviour),
            }
        )
    return {"format": "sealmark.diff/1", "exitCode": exit_code(found), "servers": servers}
