"""`sealmark explain`: the page of one check."""

from __future__ import annotations

import click


@click.command("explain", epilog="Example: sealmark explain fs-read-escape")
@click.argument("check_id", metavar="CHECK")
@click.option("--config", metavar="FILE", help="Also look among the checks of this configuration.")
def explain(check_id: str, config: str | None) -> None:
    """What a check measures, why, how, when it can be wrong, its rules, and the settings that affect it."""
    from sealmark.catalogue import explain_check
    from sealmark.cli.loading import packs_of

    click.echo(explain_check(check_id, packs_of(config)))
