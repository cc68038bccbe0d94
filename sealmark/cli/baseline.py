"""`sealmark baseline`: accept findings of a reviewed run."""

from __future__ import annotations

from pathlib import Path

import click

EXAMPLES = """\b
Examples:
  sealmark baseline run.json --accept fs-size-cap --reason "fixed in 2.0" --expires 2030-03-31
  sealmark run --write-baseline base.json   # the other kind of baseline: a run to compare with
"""


@click.command("baseline", epilog=EXAMPLES)
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--accept", "checks", metavar="CHECK", multiple=True, required=True, help="The finding; repeat for several."
)
@click.option("--reason", metavar="TEXT", required=True, help="Why it is accepted.")
@click.option("--expires", metavar="DATE", required=True, help="The last day, like 2030-01-31.")
@click.option("--server", metavar="NAME", help="Which server, when the report holds several.")
def baseline(path: Path, checks: tuple[str, ...], reason: str, expires: str, server: str | None) -> None:
    """Print the entries for sealmark.yaml that accept findings of a reviewed run.

    Each is bound to the rule that decided, to the server's name and to its command. The findings stay in every report
    and the letter stays as it is; until the date, the gate does not fail for them.
    """
    import yaml

    from sealmark.cli.ratchet import read_runs
    from sealmark.compare.accepted import accept, entries
    from sealmark.errors import UsageError

    runs = [run for run in read_runs(path) if server in (None, run.gathered.server.name)]
    if len(runs) != 1:
        raise UsageError(f"{path}: {len(runs)} runs match", hint="Name one server with --server NAME.")
    accepted = [accept(runs[0], check, reason=reason, expires=expires) for check in checks]
    click.echo("# Add this to sealmark.yaml; write it by hand if output: stands there already.")
    click.echo(
        yaml.safe_dump({"output": {"accepted": entries(accepted)}}, sort_keys=False, allow_unicode=False), nl=False
    )
