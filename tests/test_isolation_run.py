"""A whole run in isolation: what the record says of it, what is fetched first, and that grades are what they were."""

import asyncio
import os
import sys

import pytest

from sealmark import corpora
from sealmark.conductor import Conductor
from sealmark.settings import Origin, Settings
from tests.isolated import full

pytestmark = full


def run(command, *args, isolation="full", **more):
    settings = Settings.standard().replace(
        {
            "server.command": str(command),
            "server.args": args,
            "packs": ("fs",),
            "isolation": isolation,
            **{f"checks.fs-{name}.enabled": False for name in ("write-escape", "link-escape", "size-cap")},
            **more,
        },
        Origin("code", "test"),
    )
    return asyncio.run(Conductor(settings, environ=os.environ).run())


def rules(record):
    return {verdict.check: (verdict.tag, verdict.rule) for verdict in record.judgements[-1].verdicts}


TOYS = str(corpora.root() / "fs" / "fs-read-escape" / "toys.py")


def test_the_record_says_how_the_run_was_isolated_and_finds_the_same():
    inside = run(sys.executable, TOYS, "joins_blindly", "{sandbox}", isolation="auto")
    assert inside.gathered.facts["isolation"] == {"wanted": "auto", "level": "full", "reason": ""}
    outside = run(sys.executable, TOYS, "joins_blindly", "{sandbox}", isolation="none")
    assert "isolation" not in outside.gathered.facts
    assert rules(inside) == rules(outside)
    assert rules(inside)["fs-read-escape"] == ("fail", "outside-read")
    assert inside.judgements[-1].integrity.standard is outside.judgements[-1].integrity.standard
    assert {session.exit_code for session in inside.gathered.sessions} == {0}


@pytest.mark.parametrize(("name", "starts"), [("npx", 1), ("runner", 0)])
def test_what_a_package_manager_runs_is_started_once_outside(name, starts, tmp_path):
    """The program notes each start of its own that finds no note; only a start outside can leave one for good."""
    note = tmp_path / "note"
    program = tmp_path / name
    program.write_text(
        f'#!/bin/sh\n[ -e {note} ] || echo started >> {note}\nexec {sys.executable} {TOYS} joins_blindly "$1"\n'
    )
    program.chmod(0o755)
    record = run(program, "{sandbox}")
    assert record.failure is None
    assert (note.read_text().count("started") if note.exists() else 0) == starts
