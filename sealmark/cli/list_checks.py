"""`sealmark list-checks`: every check with its pack, severity and status."""

from __future__ import annotations

import click


@click.command("list-checks", epilog="Example: sealmark list-checks --pack fs")
@click.option("--pack", "pack_id", metavar="ID", help="Only this pack.")
@click.option("--config", metavar="FILE", help="With the checks of this configuration: its probes, its plugins.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def list_checks(pack_id: str | None, config: str | None, as_json: bool) -> None:
    """Every check with its pack, severity and status, and the question that it answers."""
    from sealmark.catalogue import check_rows
    from sealmark.cli.loading import packs_of
    from sealmark.errors import UsageError

    packs = packs_of(config)
    if pack_id and pack_id not in {pack.id for pack in packs}:
        raise UsageError(f"no pack {pack_id!r}", hint="Known here: " + ", ".join(pack.id for pack in packs))
    rows = [row for row in check_rows(packs) if pack_id in (None, row["pack"])]
    if as_json:
        import json

        click.echo(json.dumps(rows, indent=1))
        return
    width = max(len(row["check"]) for row in rows)
    for row in rows:
        click.echo(
            f"{row['pack']:<8} {row['check']:<{width}}  {row['severity']:<9} {row['lifecycle']:<9} {row['title']}"
        )
