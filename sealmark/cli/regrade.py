"""`sealmark regrade`: judge a stored run again."""

from __future__ import annotations

from pathlib import Path

import click

EXAMPLES = """\b
Examples:
  sealmark regrade run.json --out run.json
  sealmark regrade run.json --set checks.protocol.severity=critical
  sealmark regrade run.json --plugin our_checks
"""


@click.command("regrade", epilog=EXAMPLES)
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--set", "changes", metavar="KEY=VALUE", multiple=True, help="Change a setting that only a judge reads.")
@click.option("--plugin", "modules", metavar="MODULE", multiple=True, help="A plugin of the run; repeat for several.")
@click.option("--out", metavar="FILE", type=click.Path(path_type=Path), help="Write the record with the new judgement.")
@click.option("--format", "form", metavar="FORMAT", default="text", help="Report format on stdout. Default: text.")
def regrade(path: Path, changes: tuple[str, ...], modules: tuple[str, ...], out: Path | None, form: str) -> None:
    """Judge a stored run with this build. Starts nothing; the new judgement is added and older ones are kept."""
    from sealmark import __version__
    from sealmark.cli.output import write_atomically
    from sealmark.cli.ratchet import read_runs
    from sealmark.compare.fingerprint import stamp
    from sealmark.judging.regrade import absent_plugins
    from sealmark.judging.regrade import regrade as again
    from sealmark.plugins import named_plugins
    from sealmark.reading.shown import line
    from sealmark.record.codec import dump
    from sealmark.report import render

    settings = dict(_assignment(text) for text in changes)
    plugins = named_plugins(modules)
    stored = read_runs(path)
    for name in dict.fromkeys(name for run in stored for name in absent_plugins(run, modules)):
        shown = line(name, 100)
        says = f"the plugin {shown} is not loaded, so its checks are inconclusive; name it with --plugin {shown}"
        click.echo(f"warning: {says}", err=True)
    runs = [
        stamp(
            again(
                run, tool_version=__version__, settings=settings, packs=plugins.packs, plugins=plugins.digests or None
            )
        )
        for run in stored
    ]
    if out is not None:
        write_atomically(out, dump(runs[0]).decode() if len(runs) == 1 else render("json", runs))
        click.echo(f"wrote {out}", err=True)
    click.echo(render(form, runs), nl=False)


def _assignment(text: str) -> tuple[str, object]:
    import json

    from sealmark.errors import UsageError

    key, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--set {text!r} has no value", hint="Type: --set checks.protocol.severity=critical")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value
