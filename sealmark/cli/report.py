"""`sealmark report`: stored runs in any format."""

from __future__ import annotations

from pathlib import Path

import click

EXAMPLES = """\b
Examples:
  sealmark report run.json
  sealmark report run.json --format markdown,sarif --out-dir reports
  sealmark report before.json after.json --format text --verbosity quiet
"""


@click.command("report", epilog=EXAMPLES)
@click.argument("paths", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--format", "formats", metavar="FORMAT", multiple=True, default=("text",), help="Repeat or list. [text]")
@click.option("--out", metavar="FILE", help="Write the report to this file.")
@click.option("--out-dir", metavar="DIR", help="Write one file per format into this directory.")
@click.option("--template", metavar="FILE", help="A jinja2 template for the text and markdown formats.")
@click.option("--verbosity", type=click.Choice(["quiet", "normal", "verbose"]), default="normal", show_default=True)
def report(
    paths: tuple[Path, ...],
    formats: tuple[str, ...],
    out: str | None,
    out_dir: str | None,
    template: str | None,
    verbosity: str,
) -> None:
    """Render stored runs in any format. Starts nothing and judges nothing: the newest judgement is shown."""
    from sealmark.cli.output import check_writable, deliver, options_for
    from sealmark.cli.ratchet import read_runs
    from sealmark.settings import Origin, Settings

    settings = Settings.standard().replace(
        {
            "output.formats": tuple(name for given in formats for name in given.split(",") if name),
            "output.out": out,
            "output.out_dir": out_dir,
            "output.template": template,
            "output.verbosity": verbosity,
        },
        Origin("code", "report"),
    )
    check_writable(settings)
    runs = [run for path in paths for run in read_runs(path)]
    deliver(runs, settings, options_for(settings))
