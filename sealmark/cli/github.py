"""`--github`: the job summary and the annotations of GitHub Actions."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from sealmark.errors import UsageError
from sealmark.record.model import RunRecord
from sealmark.report.github import annotate, job_summary
from sealmark.report.options import Options

VARIABLE = "GITHUB_STEP_SUMMARY"


def report_to_github(records: Sequence[RunRecord], options: Options) -> None:
    """Append to the job summary and print annotations on stderr, where no report can be in the way.

    Raises:
        UsageError: the summary file cannot be written.
    """
    path = os.environ.get(VARIABLE)
    if path:
        try:
            with open(path, "a", encoding="utf-8") as file:
                file.write(job_summary(records, options))
        except OSError as error:
            raise UsageError(f"cannot write {VARIABLE}: {error.strerror}") from None
    else:
        click.echo(f"note: {VARIABLE} is not set, so there is no job summary", err=True)
    for command in annotate(records, options):
        click.echo(command, err=True)
