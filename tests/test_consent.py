"""Which tools are called with what, at which consent, over all packs: the plan of a server that has every kind."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from sealmark.conductor import Conductor
from sealmark.reading.schema import problems, refuses
from sealmark.record import marks
from sealmark.record.model import Call, Probe, RunRecord, Tool
from sealmark.settings import Origin, Settings
from sealmark.surface.consent import read_only
from sealmark.surface.standins import expanded

SERVER = Path(__file__).with_name("consent_server.py")

OWNED = {"path": "a file", "url": "a page", "git": "a repository", "sql": "a database"}
"""Classes of arguments for which the harness owns a target."""

PACKS_OF = {"path": {"fs", "effects"}, "url": {"net", "effects"}, "git": {"git", "effects"}, "sql": {"db", "sqlite"}}
"""Class -> the packs that aim at the harness's target for it."""

PASSIVE = {"read_file", "write_file", "fetch_url", "git_log", "git_commit", "count_words", "get_version"}
NEVER_PASSIVE = {"run_sql", "run_command", "send_message", "order_pizza", "notify", "reset", "get_status"}


@cache
def record(active: bool) -> RunRecord:
    """The run of the server with every pack that this build has."""
    settings = Settings.standard().replace(
        {
            "server.name": "consent",
            "server.command": "python3",
            "server.args": (str(SERVER), "all", "{sandbox}"),
            "server.env": {"PYTHONDONTWRITEBYTECODE": "1"},
            "active": active,
        },
        Origin("code", "test"),
    )
    return asyncio.run(Conductor(settings, environ=dict(os.environ)).run())


def accepted(active: bool) -> Iterator[tuple[Tool, Probe, Call]]:
    """Every call that was sent with arguments that the tool's own schema accepts."""
    gathered = record(active).gathered
    tools = {tool.name: tool for tool in gathered.surface.tools}
    sent = {(seen.probe, seen.step) for seen in gathered.observations if seen.outcome != "unsent"}
    for probe in gathered.probes:
        for number, step in enumerate(probe.steps):
            if isinstance(step, Call) and step.tool in tools and (probe.id, number) in sent:
                tool = tools[step.tool]
                if not refuses(problems(tool.input_schema, expanded(step.arguments))):
                    yield tool, probe, step


def class_of(tool: str) -> str:
    return next(entry.cls for entry in record(False).gathered.classified if entry.tool == tool)


def test_without_active_only_readers_and_tools_aimed_at_the_harness_are_called() -> None:
    for tool, probe, step in accepted(active=False):
        if read_only(tool):
            continue
        cls = class_of(tool.name)
        assert cls in OWNED, f"{probe.id}: {tool.name} takes nothing that the harness owns"
        assert probe.pack in PACKS_OF[cls], f"{probe.id}: {tool.name} is called outside its pack"
        assert not probe.consent, probe.id
        if probe.pack == "effects":
            assert marks.names_in(step.arguments), f"{probe.id}: aimed at nothing of the harness's"


def test_which_tools_are_called_without_active() -> None:
    called = {tool.name for tool, _, _ in accepted(active=False)}
    packs = {probe.pack for probe in record(False).gathered.probes}
    expected = PASSIVE if "git" in packs else PASSIVE - {"git_commit"}
    assert called == expected
    assert not called & NEVER_PASSIVE


def test_a_tool_that_claims_nothing_and_takes_nothing_is_called_with_active_only() -> None:
    called = {tool.name: probe for tool, probe, _ in accepted(active=True) if not tool.annotations}
    assert called["get_status"].consent
    assert "reset" not in called


@pytest.mark.parametrize("tool", ["send_message", "order_pizza", "run_command"])
def test_what_is_not_accepted_may_be_sent_to_any_tool(tool: str) -> None:
    sent = [
        step.arguments
        for probe in record(False).gathered.probes
        for step in probe.steps
        if isinstance(step, Call) and step.tool == tool
    ]
    schema = next(one.input_schema for one in record(False).gathered.surface.tools if one.name == tool)
    assert sent
    assert all(refuses(problems(schema, expanded(arguments))) for arguments in sent)
