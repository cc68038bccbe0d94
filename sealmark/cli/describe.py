"""`sealmark describe`: this build for machines."""

from __future__ import annotations

import click


@click.command("describe", epilog="Example: sealmark describe --json | jq '.checks[].check'")
@click.option("--json", "as_json", is_flag=True, required=True, help="As JSON, the only form.")
@click.option("--config", metavar="FILE", help="With the checks of this configuration.")
def describe(as_json: bool, config: str | None) -> None:
    """Packs, checks, settings, flags, commands, formats and exit codes of this build."""
    import json

    from sealmark.catalogue import describe_build
    from sealmark.cli import COMMANDS
    from sealmark.cli.loading import packs_of

    click.echo(json.dumps(describe_build(COMMANDS, packs_of(config)), indent=1))
