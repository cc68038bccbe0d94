"""What the packs about SQL share: which tools take a statement, how it is sent, how many rows came back."""

from __future__ import annotations

from typing import Any

import pytest

from sealmark.check import Outcome, Seen, Target
from sealmark.check.seen import Group
from sealmark.packs.fs.write_escape import CHECK
from sealmark.packs.sql import aims, counts
from sealmark.record.model import (
    Body,
    Call,
    Gathered,
    Observation,
    Probe,
    Readings,
    ServerFacts,
    Setting,
    Surface,
    Tool,
)
from sealmark.surface.arguments import CannotFill
from sealmark.surface.classify import classify

TEXT = {"type": "string"}
QUERY = Tool("query", "", "Run a SQL query.", {"type": "object", "properties": {"sql": TEXT}, "required": ["sql"]})
WRITE = Tool("write_query", "", "Run SQL.", {"type": "object", "properties": {"sql": TEXT}, "required": ["sql"]})


def target(*tools: Tool, sql_tools: Any = ()) -> Target:
    settings = (Setting("sql_tools", list(sql_tools), "flag"),) if sql_tools else ()
    gathered = Gathered(
        server=ServerFacts("toy"),
        surface=Surface(tools=tools),
        settings=settings,
        classified=tuple(classify(tool, {}) for tool in tools),
    )
    return Target(gathered).bound("db", CHECK)


def test_detection_finds_tools_and_tells_writers():
    found = aims.aims(target(QUERY, WRITE))
    assert [(aim.tool.name, aim.pointer, aim.writer) for aim in found] == [
        ("query", "sql", False),
        ("write_query", "sql", True),
    ]


def test_a_list_adds_and_never_hides():
    odd = Tool("ask", "", "Ask.", {"type": "object", "properties": {"what": TEXT}, "required": ["what"]})
    found = aims.aims(target(QUERY, odd, sql_tools=[{"tool": "ask", "arg": "what"}]))
    assert [(aim.tool.name, aim.pointer) for aim in found] == [("query", "sql"), ("ask", "what")]


def test_a_reader_that_is_called_a_writer_is_still_judged_as_a_reader():
    here = target(QUERY, sql_tools=[{"tool": "query", "arg": "sql", "role": "writer"}])
    assert [aim.tool.name for aim in aims.readers(here)] == ["query"]
    assert [aim.tool.name for aim in aims.writers(here)] == ["query"]


def test_a_writer_cannot_be_called_a_reader():
    here = target(WRITE, sql_tools=[{"tool": "write_query", "arg": "sql", "role": "reader"}])
    assert aims.readers(here) == ()
    assert [aim.tool.name for aim in aims.writers(here)] == ["write_query"]


def test_required_siblings_are_filled_or_declared():
    schema = {
        "type": "object",
        "properties": {
            "sql": TEXT,
            "database": TEXT,
            "mode": {"enum": ["fast", "slow"]},
            "confirm": {"type": "boolean"},
        },
        "required": ["sql", "database", "mode"],
    }
    tool = Tool("query", "", "Run a SQL query.", schema)
    entry = {"tool": "query", "arg": "sql", "args": {"database": "main"}}
    here = target(tool, sql_tools=[entry])
    (aim,) = aims.aims(here)
    assert aim.approval == "confirm"
    step = aims.calling(here, aim, "SELECT 1")
    assert isinstance(step, Call)
    assert step.arguments == {"sql": "SELECT 1", "database": "main", "mode": "fast"}
    approved = aims.calling(here, aim, "SELECT 1", approved=True)
    assert isinstance(approved, Call)
    assert approved.arguments["confirm"] is True
    (plain,) = aims.aims(target(tool))
    assert isinstance(aims.calling(target(tool), plain, "SELECT 1"), Call)


def test_what_cannot_be_filled_gives_no_probe():
    schema = {"type": "object", "properties": {"sql": {"type": "string", "maxLength": 3}}, "required": ["sql"]}
    here = target(Tool("query", "", "Run a SQL query.", schema))
    (aim,) = aims.aims(here)
    assert isinstance(aims.calling(here, aim, "SELECT 1"), CannotFill)
    assert list(aims.probe(here, aim, "read", ["SELECT 1"], why="a control")) == []


@pytest.mark.parametrize(
    ("body", "rows", "expected"),
    [
        (Body("", 40, "[]"), 0, 0),
        (Body("", 300, "".join(counts.row_text(n) for n in (1, 2, 3))), None, 3),
        (Body("", 200_000, counts.row_text(1), counts.row_text(5000), cut=True), 5000, 5000),
        (Body("", 200_000, counts.row_text(1), counts.row_text(5000), cut=True), None, 5000),
        (Body("", 200_000, counts.row_text(1), counts.row_text(100) + "of 5000 rows", cut=True), 5000, 100),
        (Body("", 24 * 100, counts.row_text(1), "5000 rows", cut=True), 5000, 100),
        (Body("", 200_000, "x", "y", cut=True), None, None),
    ],
)
def test_rows_are_counted_and_held_against_the_length(body: Body, rows: int | None, expected: int | None):
    probe = Probe("p", "db", "c", "attack", (Call("query"),))
    seen = Observation("p", 0, "result", body="b", readings=Readings(rows=rows))
    outcome = Outcome(probe, (seen,))
    here = Target(Gathered(server=ServerFacts("toy"), bodies={"b": body}))
    assert counts.returned(outcome, Seen(here, CHECK, Group([outcome]))) == expected
