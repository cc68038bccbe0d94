"""`sealmark describe`: this build for machines."""

from __future__ import annotations

import click


@click.command("describe", epilog="Example: sealmark describe --json | jq '.checks[].check'")
@click.option("--json", "as_json", is_flag=True, required=True, help="As JSON, the only form.")
def describe(as_json: bool) -> None:
    """Packs, checks, settings, flags, commands, formats and exit codes of this build."""
    import json

    from sealmark.catalogue import describe_build
    from sealmark.cli import COMMANDS

    click.echo(json.dumps(describe_build(COMMANDS), indent=1))
