"""`sealmark survey`: grade many servers and versions into a store."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sealmark.cli.options import given, options_for

if TYPE_CHECKING:
    from sealmark.frames.runs import Runs
    from sealmark.record.model import RunRecord
    from sealmark.surveys import Progress

EXAMPLES = """\b
Examples:
  sealmark survey servers.yaml --store runs/ --jobs 4
  sealmark survey servers.yaml --store runs/ --resume
  sealmark survey servers.yaml --executor dask --scheduler tcp://head:8786
"""

TAKEN = frozenset(
    {
        "profile",
        "protocol",
        "pack",
        "active",
        "connect_timeout",
        "timeout_probe",
        "pack_timeout",
        "deadline",
        "sandbox_dir",
    }
)
"""Settings that make sense for every server of a survey."""


def _options(function: Any) -> Any:
    chosen = [option for option in options_for("survey") if option.name in TAKEN]
    function.__click_params__ = [*getattr(function, "__click_params__", []), *reversed(chosen)]
    return function


@click.command("survey", epilog=EXAMPLES)
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--store", metavar="DIR", default="runs", help="Where the records go. Default: runs.")
@click.option(
    "--jobs", metavar="N", type=click.IntRange(1, 256), help="Servers at a time. Default: processors, at most 4."
)
@click.option("--resume", is_flag=True, help="Do what is missing of the last round of this survey.")
@click.option("--executor", metavar="KIND", default="threads", help="threads (default), processes or dask.")
@click.option("--scheduler", metavar="ADDRESS", default="", help="Of a running Dask scheduler.")
@_options
def survey(path: Path, store: str, jobs: int | None, resume: bool, executor: str, scheduler: str, **params: Any) -> int:
    """Grade every server of a survey file; store one record each; print a matrix of letters."""
    from sealmark.errors import Interrupted
    from sealmark.surveys import survey as run_survey
    from sealmark.surveys.executors import executor_of

    with _signals() as arrived, executor_of(executor, jobs, scheduler) as pool:
        try:
            runs = run_survey(
                path, store=store, jobs=jobs, executor=pool, resume=resume, flags=given(params), on_progress=_say
            )
        except (Interrupted, KeyboardInterrupt):
            signum = arrived[0] if arrived else signal.SIGINT
            click.echo(f"what had ended is in {store}; sealmark survey {path} --store {store} --resume", err=True)
            click.echo(f"sealmark exit {128 + signum}: {Interrupted(signum)}", err=True)
            return 128 + signum
    graded = _print(runs)
    click.echo(
        f"{len(runs)} runs in {store}: sealmark site {store} --out public, or sealmark.load({store!r}) in Python",
        err=True,
    )
    return 0 if graded else 3


@contextmanager
def _signals() -> Iterator[list[int]]:
    """Let SIGTERM and SIGHUP stop a survey as Ctrl-C does; the first that came is in the list."""
    arrived: list[int] = []

    def stop(signum: int, frame: object) -> None:
        arrived.append(signum)
        if len(arrived) == 1:
            raise KeyboardInterrupt

    known = {signum: signal.signal(signum, stop) for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield arrived
    finally:
        for signum, handler in known.items():
            signal.signal(signum, handler)


def _say(progress: Progress) -> None:
    """One line on stderr after each run."""
    from sealmark.reading.shown import line

    left = f", about {_time(progress.left_sec)} left" if progress.left_sec else ""
    failed = f", {progress.failed} did not run" if progress.failed else ""
    what = f"  {line(progress.entry, 60)}: {_outcome(progress.run)}" if progress.run is not None else ""
    click.echo(f"{progress.done} of {progress.total}{failed}{left}{what}", err=True)


def _time(seconds: float) -> str:
    minutes = round(seconds / 60)
    return (
        f"{minutes // 60} h {minutes % 60} min"
        if minutes >= 60
        else f"{minutes} min"
        if minutes
        else f"{seconds:.0f} s"
    )


def _outcome(run: RunRecord) -> str:
    from sealmark.reading.shown import line

    if run.failure is not None:
        return f"{run.failure.code}: {line(run.failure.message, 120)}"
    grades = run.judgement.grades if run.judgement else ()
    letters = [f"{grade.pack} {grade.letter}{'*' if grade.provisional else ''}" for grade in grades if grade.letter]
    return " · ".join(letters) or "nothing graded"


def _print(runs: Runs) -> bool:
    """The matrix of letters on stdout; whether anything was graded."""
    rows: dict[str, tuple[str, dict[str, str]]] = {}
    for run, server, version in _named(runs):
        rows[run] = (f"{server} {version}".strip(), {})
    packs = runs.frame("packs", ["run_id", "pack", "grade", "provisional"])
    graded = packs[packs["grade"].notna()]
    for run, pack, grade, star in zip(*(graded[name] for name in graded), strict=True):
        rows[run][1][pack] = f"{grade}{'*' if star else ''}"
    names = list(dict.fromkeys(graded["pack"]))
    width = max((len(name) for name, _ in rows.values()), default=0)
    if names:
        click.echo("  ".join(["server".ljust(width), *names]))
    for name, letters in sorted(rows.values(), key=lambda row: _worst(row[1]), reverse=True):
        cells = [letters.get(pack, "-").ljust(len(pack)) for pack in names]
        click.echo("  ".join([name.ljust(width), *cells]).rstrip() + ("" if letters else "  not graded"))
    return bool(names)


def _named(runs: Runs) -> Sequence[tuple[str, str, str]]:
    table = runs.frame("runs", ["run_id", "server", "server_version"])
    return list(zip(table["run_id"], table["server"], table["server_version"], strict=True))


def _worst(letters: dict[str, str]) -> str:
    return max(letters.values(), default="")
