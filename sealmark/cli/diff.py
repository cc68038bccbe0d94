"""`sealmark diff`: two stored runs, side by side."""

from __future__ import annotations

from pathlib import Path

import click

EXAMPLES = """\b
Examples:
  sealmark diff before.json after.json
  sealmark diff listing.json run.json --json | jq '.servers[].drift'
"""


@click.command("diff", epilog=EXAMPLES)
@click.argument("before", metavar="BEFORE", type=click.Path(path_type=Path))
@click.argument("after", metavar="AFTER", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="As JSON (`sealmark.diff/1`).")
def diff(before: Path, after: Path, as_json: bool) -> int:
    """Compare two JSON reports of the same servers: regressions, improvements, drift of surface and behaviour.

    Starts nothing. Exit 1 on a regression, or when the surface drifted in more than informational ways.
    """
    from sealmark.cli.ratchet import read_runs
    from sealmark.compare.diff import diff_all, document, exit_code, lines

    found = diff_all(read_runs(before), read_runs(after))
    if as_json:
        import json

        click.echo(json.dumps(document(found), indent=1))
    else:
        for line in lines(found):
            click.echo(line)
    return exit_code(found)
