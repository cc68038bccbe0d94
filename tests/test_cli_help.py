"""Help, completion and the description of the build: every command has examples, and every example can be typed."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator

import click
import jsonschema
import pytest
from click.testing import CliRunner

from sealmark.cli import COMMANDS, root
from sealmark.settings.combine import IN_FILES, IN_PROBES, STARTED
from sealmark.settings.placeholders import PLACEHOLDERS
from sealmark.settings.table import table


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command and subcommand with the words that call it."""
    context = click.Context(root)
    for name in COMMANDS:
        command = root.get_command(context, name)
        assert command is not None
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {inner}", command.commands[inner]) for inner in command.commands)


EVERY = dict(commands())


def examples(command: click.Command) -> list[str]:
    """The command lines that a command's help gives."""
    lines = (command.epilog or "").replace("\b", "").splitlines()
    text = [line.strip().removeprefix("Example:").removeprefix("Examples:").strip() for line in lines]
    return [line for line in text if line]


@pytest.mark.parametrize("name", EVERY)
def test_every_command_has_help_and_examples_that_can_be_typed(name: str) -> None:
    command = EVERY[name]
    assert command.help
    shown = CliRunner().invoke(root, [*name.split(), "--help"])
    assert shown.exit_code == 0
    found = examples(command)
    assert found, f"{name} has no example"
    for line in found:
        assert line in shown.stdout
        words = shlex.split(line.split("|")[0].split(">")[0], comments=True)
        if "sealmark" not in words[:1]:
            continue  # a line for the shell around it
        called = next(path for path in (words[1:3], words[1:2]) if " ".join(path) in EVERY)
        target = EVERY[" ".join(called)]
        rest = words[1 + len(called) :]
        context = target.make_context(" ".join(called), rest, resilient_parsing=isinstance(target, click.Group))
        assert context.params is not None


def test_the_control_refuses_an_example_that_cannot_be_typed() -> None:
    with pytest.raises(click.UsageError):
        EVERY["run"].make_context("run", ["--no-such-flag"])


def test_help_names_every_command() -> None:
    shown = CliRunner().invoke(root, ["--help"]).stdout
    assert [name for name in COMMANDS if f"  {name} " not in shown] == []


def complete(words: str) -> list[str]:
    """What bash is offered for the last of these words, through the program itself."""
    typed = words.split(" ")
    environ = {
        **os.environ,
        "_SEALMARK_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(typed) - 1),
    }
    code = "from sealmark.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True)
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("sealmark do", ["doctor"]),
        ("sealmark config s", ["show", "schema"]),
        ("sealmark run --pro", ["--profile", "--protocol"]),
        ("sealmark run --profile st", ["standard", "strict"]),
        ("sealmark run --format ju", ["junit"]),
        ("sealmark init --ci git", ["github", "gitlab"]),
        ("sealmark completion f", ["fish"]),
    ],
)
def test_shells_complete_commands_flags_and_values(words: str, wanted: list[str]) -> None:
    assert sorted(complete(words)) == sorted(wanted)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_code_names_the_program_and_its_variable(shell: str) -> None:
    code = CliRunner().invoke(root, ["completion", shell]).stdout
    assert "_SEALMARK_COMPLETE" in code
    assert "sealmark" in code


def test_describe_is_complete() -> None:
    data = json.loads(CliRunner().invoke(root, ["describe", "--json"]).stdout)
    assert data["format"] == "sealmark.describe/1"
    settings = {row["key"]: row for row in data["settings"]}
    assert list(settings) == [row.key for row in table()]
    for key, row in settings.items():
        jsonschema.Draft202012Validator.check_schema(row["type"])
        if row["default"] is not None:
            jsonschema.validate(row["default"], row["type"])
        assert row["typeInWords"], key
        assert row["affects"] in ("gather", "judge", "output")
    assert [row["name"] for row in data["profiles"]] == ["standard", "quick", "ci", "strict", "paranoid"]
    assert {row["name"] for row in data["formats"]} >= {"text", "json", "markdown", "junit", "sarif", "summary"}
    assert [row["name"] for row in data["commands"]] == list(COMMANDS)
    flags = {flag["name"] for row in data["commands"] if row["name"] == "run" for flag in row["flags"]}
    typed = {option for parameter in EVERY["run"].params for option in parameter.opts + parameter.secondary_opts}
    assert flags == {option for option in typed if option.startswith("--")}
    assert set(data["exitCodes"]) >= {"0", "1", "2", "3", "4", "130"}


def test_each_placeholder_is_described_where_it_is_filled() -> None:
    data = json.loads(CliRunner().invoke(root, ["describe", "--json"]).stdout)
    words = {row["name"]: row for row in data["placeholders"]}
    assert set(words) == STARTED | IN_FILES | IN_PROBES | {"upstream_token"}
    assert words["dsn"]["forms"] == ["analyst", "support", "admin"]
    assert all(found.says.endswith(".") and found.where for found in PLACEHOLDERS)
