"""The quickstarts do what they say: their Python runs on the stored records, their commands and flags exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from sealmark.cli import root

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = [*sorted(DOCS.glob("quickstart-*.md")), DOCS / "survey.md"]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text("utf-8"), re.S)


def test_there_is_one_for_each_kind_of_reader():
    names = {page.stem.removeprefix("quickstart-") for page in PAGES[:-1]}
    assert names == {"server-author", "researcher", "maintainer", "methodology-reviewer"}


@pytest.mark.parametrize("page", [page for page in PAGES[:-1] if blocks(page, "python")], ids=lambda page: page.stem)
def test_python_runs(page, monkeypatch):
    monkeypatch.chdir(DOCS.parent)
    scope: dict[str, object] = {}
    for block in blocks(page, "python"):
        exec(compile(block, page.name, "exec"), scope)


LINES = [
    (page, line)
    for page in PAGES
    for block in blocks(page, "sh")
    for line in block.splitlines()
    if line.startswith("sealmark ")
]


@pytest.mark.parametrize(("page", "line"), LINES, ids=lambda value: value if isinstance(value, str) else value.stem)
def test_commands_and_flags_exist(page, line):
    words = shlex.split(line, comments=True)[1:]
    command: click.Command = root
    context = click.Context(root)
    while isinstance(command, click.Group):
        found = command.get_command(context, words[0])
        assert found is not None, f"{page.name}: no command {words[0]!r}"
        command, words = found, words[1:]
    command.make_context(command.name, words, resilient_parsing=False)
