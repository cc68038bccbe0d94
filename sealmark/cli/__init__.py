"""The command line: a file per command, loaded only when it is called."""

from __future__ import annotations

import os
import sys
from difflib import get_close_matches
from importlib import import_module

import click

from sealmark import __version__
from sealmark.errors import SealmarkError, UsageError

COMMANDS = {
    "run": ("sealmark.cli.run:run", "Grade the configured servers and print the report."),
    "plan": ("sealmark.cli.plan:plan", "Print every probe that would be sent; send none."),
    "inventory": ("sealmark.cli.inventory:inventory", "List what a server offers; call no tool."),
    "init": ("sealmark.cli.init:init", "Write sealmark.yaml from a client's configuration or a command line."),
    "doctor": ("sealmark.cli.doctor:doctor", "Start the server and say what works and which packs would run."),
    "survey": ("sealmark.cli.survey:survey", "Grade many servers and versions into a store."),
    "report": ("sealmark.cli.report:report", "Render stored runs in any format."),
    "regrade": ("sealmark.cli.regrade:regrade", "Judge a stored run again; start nothing."),
    "diff": ("sealmark.cli.diff:diff", "Compare two stored runs: regressions, improvements, drift."),
    "verify": ("sealmark.cli.verify:verify", "Find edits in a stored run."),
    "baseline": ("sealmark.cli.baseline:baseline", "Accept findings of a reviewed run, with a reason and a date."),
    "store": ("sealmark.cli.store:store", "Verify, migrate or export a store of runs."),
    "site": ("sealmark.cli.site:site", "Make the report site from stored runs."),
    "list-checks": ("sealmark.cli.list_checks:list_checks", "Every check with its pack, severity and status."),
    "explain": ("sealmark.cli.explain:explain", "What a check measures, how, and when it can be wrong."),
    "describe": ("sealmark.cli.describe:describe", "A machine-readable description of this build."),
    "config": ("sealmark.cli.config:config", "Show, check or migrate the configuration."),
    "completion": ("sealmark.cli.completion:completion", "Print shell completion code."),
}
"""Command -> (where it is, one line of help). The help stands here so that `--help` loads no command."""


class LazyGroup(click.Group):
    """A group that imports a command only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported."""
        if cmd_name not in COMMANDS:
            close = get_close_matches(cmd_name, COMMANDS, n=1, cutoff=0.5)
            hint = f"Did you mean {close[0]}?" if close else "Type: sealmark --help"
            raise UsageError(f"no command {cmd_name!r}", hint=hint)
        module, name = COMMANDS[cmd_name][0].split(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table of commands, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog='Example: sealmark run --start "uvx mcp-server-time"',
)
@click.version_option(__version__, prog_name="sealmark")
def root() -> None:
    """Is this MCP server safe to hand to an agent? Start it, call its tools, watch what changes, grade it A to F."""


def main() -> None:
    """The entry point: errors become one clear message and their exit code."""
    try:
        code = root.main(standalone_mode=False, prog_name="sealmark")
        sys.stdout.flush()
        raise SystemExit(code if isinstance(code, int) else 0)
    except click.exceptions.Exit as done:
        raise SystemExit(done.exit_code) from None
    except click.ClickException as error:
        error.show()
        raise SystemExit(2) from None
    except (click.Abort, KeyboardInterrupt):
        raise SystemExit(130) from None
    except SealmarkError as error:
        click.echo(f"error: {error}", err=True)
        raise SystemExit(error.exit_code) from None
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
