"""`sealmark plan`: every probe that would be sent."""

from __future__ import annotations

from typing import Any

import click

from sealmark.cli.options import with_options

EXAMPLES = """\b
Examples:
  sealmark plan --start "npx -y @modelcontextprotocol/server-filesystem {sandbox}"
  sealmark plan --server github --pack fs
  sealmark plan --json > plan.json
"""


@click.command("plan", epilog=EXAMPLES)
@click.option("--json", "as_json", is_flag=True, help="As JSON: the record of the meeting and the plan.")
@with_options("plan")
def plan(as_json: bool, **params: Any) -> None:
    """Print every probe that a run would send. Starts the server once to list its tools, and calls none of them."""
    from sealmark.cli.meeting import meet
    from sealmark.reading.visible import visible
    from sealmark.record.codec import dump
    from sealmark.report.rows import sent

    record = meet(params, "plan")
    if as_json:
        click.echo(dump(record).decode(), nl=False)
        return
    gathered = record.gathered
    for state in gathered.packs:
        applies = "runs" if state.applies else f"does not run: {visible(state.reason)}"
        click.echo(f"pack {state.pack}: {applies}")
    planned = [probe for probe in gathered.probes if probe.check != "surface"]
    for probe in planned:
        click.echo(f"{probe.id}  [{probe.role}, session {probe.pack}/{probe.session}]")
        if probe.requires:
            click.echo(f"    only if {visible(probe.requires)} works")
        for step in probe.steps:
            click.echo(f"    {sent(step)}")
    sessions = len({(probe.pack, probe.session) for probe in gathered.probes})
    click.echo(f"{len(planned)} probes on {sessions} sessions; follow-up probes may be added by what comes back")
