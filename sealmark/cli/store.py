"""`sealmark store`: verify, migrate, export and cache a store of runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from sealmark.store import Store

FOLDER = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))

EXAMPLES = """\b
Examples:
  sealmark store verify runs/
  sealmark store export runs/ --out frames/ --format csv
"""


@click.group("store", epilog=EXAMPLES)
def store() -> None:
    """Look after a folder of stored runs: one JSON file per run, and a columnar cache that can be deleted."""


@store.command("verify", epilog="Example: sealmark store verify runs/")
@FOLDER
def verify(folder: Path) -> int:
    """Read every run whole and print what is wrong. Exit 1 if anything is."""
    from sealmark.reading.shown import line
    from sealmark.store import stale
    from sealmark.store import verify as check

    opened = _existing(folder)
    problems = list(check(opened))
    for problem in problems:
        click.echo(f"{problem.code}  {line(problem.file)}: {line(problem.problem)}")
        if problem.hint:
            click.echo(f"    {problem.hint}")
    count = sum(1 for _ in opened.paths())
    behind = stale(opened)
    note = f"; the cache lacks {behind} (sealmark store cache {folder})" if behind and behind < count else ""
    click.echo(f"{count} files, {len(problems)} problems{note}", err=True)
    return 1 if problems else 0


@store.command("migrate", epilog="Example: sealmark store migrate runs/")
@FOLDER
def migrate(folder: Path) -> None:
    """Rewrite records of older versions in the current schema. Each original is kept beside it as NAME.bak."""
    from sealmark.store import migrate as rewrite

    changed = rewrite(_existing(folder))
    for path in changed:
        click.echo(str(path))
    click.echo(f"{len(changed)} records rewritten", err=True)


@store.command("export", epilog="Example: sealmark store export runs/ --out frames/ --format csv.gz")
@FOLDER
@click.option("--out", metavar="DIR", required=True, type=click.Path(path_type=Path), help="Where the files go.")
@click.option("--format", "kind", metavar="FORMAT", default="parquet", help="parquet (default), csv or csv.gz.")
def export(folder: Path, out: Path, kind: str) -> None:
    """Write every frame as a file (docs/frames.md says what the columns mean)."""
    from sealmark.reading.shown import line
    from sealmark.store import export as write

    runs = _existing(folder).load()
    for path in write(runs, out, kind):
        click.echo(str(path))
    unread = runs.problems
    for file, problem in zip(unread["file"], unread["problem"], strict=True):
        click.echo(f"left out: {line(file)}: {line(problem)}", err=True)


@store.command("cache", epilog="Example: sealmark store cache runs/")
@FOLDER
def cache(folder: Path) -> None:
    """Bring the columnar cache up to date, so that frames load without reading every JSON file."""
    from sealmark.frames import arrow

    arrow.need("the columnar cache")
    added = _existing(folder).update_cache()
    click.echo(f"{added} runs added", err=True)


def _existing(folder: Path) -> Store:
    from sealmark.errors import UsageError
    from sealmark.store import Store

    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder", hint="A store is made by `sealmark survey --store DIR`.")
    return Store(folder)
