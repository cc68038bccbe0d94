"""`sealmark run`: grade the configured servers and print the report."""

from __future__ import annotations

from typing import Any

import click

from sealmark.cli.options import flags_of

EXAMPLES = """\b
Examples:
  sealmark run --start "uvx mcp-server-time"
  sealmark run --start "npx -y @modelcontextprotocol/server-filesystem {sandbox}" --format json --out run.json
  sealmark run --server all --fail-under B
"""


@click.command("run", epilog=EXAMPLES)
@flags_of("run")
def run(**given: Any) -> int:
    """Start each configured server, grade it, and print the report."""
    from sealmark.cli.conduct import conduct, last_line
    from sealmark.cli.loading import load_servers
    from sealmark.cli.output import check_writable, deliver, options_for, save_stderr
    from sealmark.cli.ratchet import comparison, keep_baseline
    from sealmark.report.gate import gate, grade_line

    loaded, servers = load_servers(given)
    settings = servers[0].settings
    check_writable(settings)
    baseline = comparison(settings)
    for warning in loaded.warnings:
        click.echo(f"warning: {warning}", err=True)

    records, stderr, signum = conduct(servers, quiet=settings["output.verbosity"] == "quiet")
    outcome = gate(records, baseline.policy, comparisons=baseline.compare(records), signum=signum)
    options = options_for(settings, outcome=(outcome.code, outcome.lines), fail_under=baseline.policy.fail_under)
    shown = deliver(records, settings, options)
    save_stderr(settings, stderr)
    if not shown:
        for record in records:
            click.echo(grade_line(record, named=len(records) > 1), err=True)
    for line in outcome.lines:
        click.echo(line, err=True)
    keep_baseline(settings, records, outcome)
    if signum:
        last_line(signum)
    return outcome.code
