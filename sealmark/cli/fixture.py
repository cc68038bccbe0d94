"""`sealmark run --fixture KIND`: write what a sandbox holds, for runs by hand, and run nothing."""

from __future__ import annotations

from pathlib import Path

import click

DEFAULT = "sealmark-fixtures"


def write_fixture(kind: str, into: str | None) -> int:
    """Write it, say where it is and what no reply may show, and return the exit code."""
    from sealmark.bench.handmade import write

    made = write(kind, Path(into or DEFAULT))
    click.echo(f"written: {made.folder}")
    click.echo(f"point the server at: {made.point_at}")
    for secret, place in made.hidden:
        click.echo(f"no reply may show: {secret} ({place})")
    return 0
