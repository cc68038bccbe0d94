"""`sealmark doctor`: what works, what does not, which packs would run, and what to add."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from sealmark.cli.options import with_options

if TYPE_CHECKING:
    from sealmark.setup.checkup import Checkup

EXAMPLES = """\b
Examples:
  sealmark doctor
  sealmark doctor --server github --json
  sealmark doctor --start "npx -y @modelcontextprotocol/server-filesystem {sandbox}" --connect-timeout 60
"""

MARKS = {"ok": "ok", "warning": "look", "failed": "FAILED"}
"""Status of a step -> the word before it."""


@click.command("doctor", epilog=EXAMPLES)
@click.option("--json", "as_json", is_flag=True, help="As JSON (sealmark.doctor/1).")
@with_options("doctor")
def doctor(as_json: bool, **params: Any) -> int:
    """Start the server the way a run would, and say what works, what does not, and which packs would run.

    Calls no tool and grades nothing. Exit 4 when a step failed.
    """
    import json

    from sealmark.cli.loading import load_servers
    from sealmark.setup.checkup import FORMAT

    loaded, servers = load_servers(params)
    found = _look_over(loaded, servers)
    if as_json:
        rows = [checkup.as_json() for checkup in found]
        body = rows[0] if len(rows) == 1 else {"servers": rows}
        click.echo(json.dumps({"format": FORMAT, **body}, indent=1))
    else:
        for line in (*(f"note: {note}" for note in loaded.notes), *(f"warning: {text}" for text in loaded.warnings)):
            click.echo(line, err=True)
        for number, checkup in enumerate(found):
            click.echo("\n" * bool(number) + "\n".join(_shown(checkup)))
    return 4 if any(checkup.failed for checkup in found) else 0


def _look_over(loaded: Any, servers: Any) -> list[Checkup]:
    import asyncio
    import os

    from sealmark.cli.progress import Progress
    from sealmark.reading.visible import visible
    from sealmark.setup.checkup import look_over

    async def every() -> list[Checkup]:
        found = []
        with Progress() as progress:
            for server in servers:
                progress.name = visible(server.name, newlines="escape", limit=60)
                found.append(await look_over(server, loaded, os.environ, progress.show))
        return found

    return asyncio.run(every())


def _shown(checkup: Checkup) -> list[str]:
    from sealmark.reading.shown import line

    lines = [line(checkup.server, 80)]
    for step in checkup.steps:
        first, *rest = step.detail.splitlines() or [""]
        lines.append(f"  {MARKS[step.status]:<7} {step.id:<14} {line(first, 300)}")
        lines += [f"  {'':<22} {line(text, 300)}" for text in rest]
        if step.hint and step.status != "ok":
            lines.append(f"  {'':<22} -> {line(step.hint, 300)}")
    if checkup.packs:
        lines += ["", "Packs"]
        for pack in checkup.packs:
            counted = f"{pack.probes} probes; {line(pack.reason, 200)}" if pack.applies else line(pack.reason, 200)
            lines.append(f"  {'runs' if pack.applies else '-':<7} {line(pack.pack, 40):<14} {counted}")
        applied = [line(pack.pack, 40) for pack in checkup.packs if pack.applies]
        lines.append(f"packs applied: {', '.join(applied) or 'none'}")
    if checkup.suggestions:
        lines += ["", "Suggestions"]
    for number, suggestion in enumerate(checkup.suggestions, 1):
        lines.append(f"  {number}. {line(suggestion.why, 600)}")
        lines += [f"       {text}" for text in suggestion.yaml.splitlines()]
        if suggestion.flags:
            typed = suggestion.flags if not suggestion.flags.startswith("--") else f"sealmark run {suggestion.flags}"
            lines.append(f"     {'or type' if suggestion.yaml else 'type'}: {line(typed, 400)}")
    return lines
