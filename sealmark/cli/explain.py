"""`sealmark explain`: the page of one check."""

from __future__ import annotations

import click


@click.command("explain", epilog="Example: sealmark explain fs-read-escape")
@click.argument("check_id", metavar="CHECK")
def explain(check_id: str) -> None:
    """What a check measures, why, how, when it can be wrong, its rules, and the settings that affect it."""
    from sealmark.catalogue import explain_check

    click.echo(explain_check(check_id))
