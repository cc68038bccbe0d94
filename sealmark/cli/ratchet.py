"""The baseline of a run: an earlier report to compare with, and the report to keep for next time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sealmark.errors import RecordError
from sealmark.record.model import RunRecord
from sealmark.report.gate import Outcome, Policy, policy
from sealmark.settings import Settings

if TYPE_CHECKING:
    from sealmark.compare.changes import Diff


@dataclass(frozen=True)
class Ratchet:
    """The policy of the gate, and the earlier runs to compare with."""

    policy: Policy
    earlier: tuple[RunRecord, ...] = ()

    def compare(self, records: Sequence[RunRecord]) -> tuple[Diff, ...]:
        """What changed for each server since the baseline; nothing without one."""
        from sealmark.compare.diff import against

        return against(self.earlier, records) if self.earlier else ()


def ratchet_of(settings: Settings) -> Ratchet:
    """The policy and the baseline, read before anything is started.

    Raises:
        UsageError: a policy that cannot be.
        RecordError: a baseline that cannot be read.
    """
    path = settings["output.baseline"]
    chosen, notes = policy(
        fail_under=settings["output.fail_under"],
        soft_fail=settings["output.exit_policy.soft_fail"],
        treat_inconclusive_as=settings["output.exit_policy.treat_inconclusive_as"],
        critical_fail=settings["output.exit_policy.critical_fail"],
        fail_on=settings["output.fail_on"],
        has_baseline=bool(path),
    )
    for note in notes:
        click.echo(note, err=True)
    return Ratchet(chosen, read_runs(Path(path)) if path else ())


def read_runs(path: Path) -> tuple[RunRecord, ...]:
    """The runs of a JSON report (one record, or several under `runs`), or a saved listing of tools as a record.

    Raises:
        RecordError: the file does not exist or holds neither.
    """
    from sealmark.compare.listing import is_listing, read_listing
    from sealmark.record.codec import load_many

    try:
        data = path.read_bytes()
    except OSError as error:
        raise RecordError(f"cannot read {path}: {error.strerror}") from None
    return (read_listing(data, path.stem),) if is_listing(data) else load_many(data, str(path))


def keep_baseline(settings: Settings, records: Sequence[RunRecord], outcome: Outcome, diffs: Sequence[Diff]) -> None:
    """Save the run as the next baseline; refused when it regressed or did not run to its end.

    Raises:
        UsageError: the file cannot be written.
    """
    path = settings["output.write_baseline"]
    if not path:
        return
    from sealmark.cli.output import write_atomically
    from sealmark.report import render

    regressed = any(found.regressions for found in diffs)
    if regressed or any(record.status in ("failed", "interrupted") for record in records):
        reason = "it regressed" if regressed else "it did not run to its end"
        click.echo(f"baseline not written: {reason}", err=True)
        return
    write_atomically(Path(path), render("json", records))
    click.echo(f"wrote {path}", err=True)
