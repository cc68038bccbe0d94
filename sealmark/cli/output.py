"""Where reports go: stdout, one file, or a folder with a file per format. Files are written whole or not at all."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from sealmark.errors import UsageError
from sealmark.record.model import RunRecord
from sealmark.report import FORMATS, Options, render
from sealmark.settings import Settings

FOLDER = "sealmark-report"
CONSOLE = "summary"
"""The format that stays on the console when several are asked for."""


def write_atomically(path: Path, text: str) -> None:
    """Write a file so that nobody ever sees half of it.

    Raises:
        UsageError: the file cannot be written.
    """
    from sealmark.atomic import write_atomic

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, text.encode())
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}", hint="Choose another --out or --out-dir.") from None


def check_writable(settings: Settings) -> None:
    """Say before the run, not after it, that a report could not be written.

    Raises:
        UsageError: `--out` with several formats, or a folder that cannot be written to.
    """
    out, out_dir = settings["output.out"], settings["output.out_dir"]
    if out and len(settings["output.formats"]) > 1:
        raise UsageError("--out takes one format", hint="Several formats: --out-dir DIR.")
    folder = Path(out).absolute().parent if out else Path(out_dir).absolute() if out_dir else None
    while folder is not None and not folder.exists():
        folder = folder.parent
    if folder is not None and not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise UsageError(f"cannot write to {folder}", hint="Choose another --out or --out-dir.")


def options_for(settings: Settings, **more: object) -> Options:
    """Presentation by settings and by the terminal."""
    on_terminal = sys.stdout.isatty() and not settings["output.out"] and not settings["output.out_dir"]
    template = settings["output.template"]
    options = Options(
        width=max(40, shutil.get_terminal_size((100, 24)).columns) if on_terminal else 100,
        colour=on_terminal and "NO_COLOR" not in os.environ,
        verbosity=settings["output.verbosity"],
        template=_template(template) if template else "",
        template_name=Path(template).name if template else "template",
    )
    return msgspec.structs.replace(options, **more)


def _template(path: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the template {path}: {error}") from None


def deliver(runs: Sequence[RunRecord], settings: Settings, options: Options) -> bool:
    """Render and write every format; returns whether the console shows the grades.

    Raises:
        UsageError: a file cannot be written, or a format cannot show these runs.
    """
    formats = tuple(dict.fromkeys(settings["output.formats"]))
    out, out_dir = settings["output.out"], settings["output.out_dir"]
    texts = {name: render(name, runs, options) for name in formats}
    if len(formats) == 1 and not out and not out_dir:
        click.echo(texts[formats[0]], nl=False)
        return not FORMATS[formats[0]].machine
    shown = False
    for name, text in texts.items():
        if name == CONSOLE and len(formats) > 1:
            click.echo(text, nl=False)
            shown = True
            continue
        path = Path(out) if out else Path(out_dir or FOLDER) / f"sealmark-report{FORMATS[name].suffix}"
        write_atomically(path, text)
        click.echo(f"wrote {path}", err=True)
    return shown


def save_stderr(settings: Settings, text: str) -> None:
    """Keep what a server that did not start wrote to stderr, beside the report.

    Raises:
        UsageError: the file cannot be written.
    """
    if not text:
        return
    out, out_dir = settings["output.out"], settings["output.out_dir"]
    base = Path(out) if out else Path(out_dir or ".") / "sealmark-report"
    path = base.with_name(base.name + ".stderr.log")
    write_atomically(path, text)
    click.echo(f"the server's stderr: {path}", err=True)
