"""`sealmark completion`: shell completion code."""

from __future__ import annotations

import click


@click.command("completion", epilog='Example: eval "$(sealmark completion bash)"')
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the code that completes commands and flags in a shell."""
    from click.shell_completion import get_completion_class

    from sealmark.cli import root

    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(root, {}, "sealmark", "_SEALMARK_COMPLETE").source())
