"""`sealmark run`: grade the configured servers and print the report."""

from __future__ import annotations

from typing import Any

import click

from sealmark.cli.options import with_options

EXAMPLES = """\b
Examples:
  sealmark run --start "uvx mcp-server-time"
  sealmark run --start "npx -y @modelcontextprotocol/server-filesystem {sandbox}" --format json --out run.json
  sealmark run --server all --fail-under B
  sealmark run --fixture sqlite --into fixtures
"""


@click.command("run", epilog=EXAMPLES)
@with_options("run")
def run(**params: Any) -> int:
    """Start each configured server, grade it, and print the report."""
    if params.get("fixture") or params.get("into"):
        from sealmark.cli.fixture import write_fixture

        return write_fixture(params["fixture"] or "", params["into"])
    from sealmark.cli.conduct import conduct
    from sealmark.cli.loading import load_servers
    from sealmark.cli.output import check_writable, deliver, options_for, save_stderr
    from sealmark.cli.ratchet import keep_baseline, ratchet_of
    from sealmark.cli.review import review_of
    from sealmark.report.gate import gate, grade_line

    loaded, servers = load_servers(params)
    settings = servers[0].settings
    check_writable(settings)
    ratchet = ratchet_of(settings)
    review = review_of(loaded, servers)
    if not settings["output.redact"]:
        click.echo("warning: secrets are shown (--no-redact); share nothing of this run", err=True)
    for line in (*(f"note: {note}" for note in loaded.notes), *(f"warning: {text}" for text in loaded.warnings)):
        click.echo(line, err=True)

    conducted = conduct(servers, quiet=settings["output.verbosity"] == "quiet")
    records = conducted.records
    diffs = ratchet.compare(records)
    excused = review.excused(records)
    outcome = gate(records, ratchet.policy, comparisons=diffs, accepted=excused, signum=conducted.signum)
    options = options_for(
        settings,
        outcome=(outcome.code, outcome.lines),
        fail_under=ratchet.policy.fail_under,
        accepted=review.words(records),
        locations=review.locations(records),
    )
    shown = deliver(records, settings, options)
    save_stderr(settings, conducted.stderr)
    if not shown:
        for record in records:
            click.echo(grade_line(record, named=len(records) > 1), err=True)
    keep_baseline(settings, records, outcome, diffs)
    if settings["output.github"]:
        from sealmark.cli.github import report_to_github

        report_to_github(records, options)
    for line in (*review.notes(records), *outcome.lines):
        click.echo(line, err=True)
    return outcome.code
