"""`sealmark inventory`: what a server offers."""

from __future__ import annotations

from typing import Any

import click

from sealmark.cli.options import with_options

EXAMPLES = """\b
Examples:
  sealmark inventory --start "uvx mcp-server-time"
  sealmark inventory --server github --json > listing.json
"""


@click.command("inventory", epilog=EXAMPLES)
@click.option("--json", "as_json", is_flag=True, help="As JSON: can be compared, and judged offline.")
@with_options("inventory")
def inventory(as_json: bool, **params: Any) -> None:
    """List what a server offers and what each tool is taken for. Calls no tool, reads no resource, gets no prompt."""
    from sealmark.cli.meeting import meet
    from sealmark.reading.visible import visible
    from sealmark.record.codec import dump

    record = meet(params, "inventory")
    if as_json:
        click.echo(dump(record).decode(), nl=False)
        return
    surface = record.gathered.surface

    def show(text: str) -> str:
        return visible(text, newlines="escape", limit=100)

    click.echo(f"{show(record.gathered.server.name)} {show(record.gathered.server.version)}")
    click.echo(f"protocol {show(surface.protocol_version)} ({surface.era})")
    for kind, items in (("tools", surface.tools), ("resources", surface.resources), ("prompts", surface.prompts)):
        click.echo(f"{kind}: {len(items)}")
    for entry in record.gathered.classified:
        second = f" (and {entry.secondary})" if entry.secondary else ""
        click.echo(f"  {show(entry.tool)}  {entry.cls}{second}, {entry.confidence}: {show(entry.why)}")
