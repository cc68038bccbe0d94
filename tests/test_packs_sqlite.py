"""The pack sqlite without a server: when it applies, what is planned, and what words of a refusal are worth."""

from __future__ import annotations

from typing import Any

import pytest

from sealmark.check import Check, Outcome, Seen, Target
from sealmark.check.seen import Group
from sealmark.packs import sqlite
from sealmark.packs.sqlite.extension_load import CHECK as LOAD
from sealmark.packs.sqlite.file_access import CHECK as FILES
from sealmark.packs.sqlite.ground import engine, told
from sealmark.packs.sqlite.loading import denied, reached
from sealmark.packs.sqlite.mutating_sql import CHECK as MUTATING
from sealmark.packs.sqlite.read_only import CHECK as READ_ONLY
from sealmark.packs.sqlite.timeout import CHECK as TIMEOUT
from sealmark.record.model import (
    Body,
    Call,
    Gathered,
    Look,
    Observation,
    Probe,
    Readings,
    ServerFacts,
    Setting,
    Surface,
    Tool,
)
from sealmark.surface.classify import classify

SQL = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
READER = Tool("read_query", "", "Execute a SELECT query on the SQLite database.", SQL)
WRITER = Tool("write_query", "", "Execute an INSERT, UPDATE or DELETE query on the SQLite database.", SQL)
OTHER = Tool("ping", "", "Says pong.", {"type": "object", "properties": {}})
FACTS = {"sandboxed": True, "placeholders": ["sqlite_path"], "sqlite": {"rows": {"readings": 2000}}}


def target(*tools: Tool, facts: Any = FACTS, bodies: Any = None, **settings: Any) -> Target:
    classified = tuple(classify(one, {}) for one in tools)
    rows = tuple(Setting(key.replace("__", "."), value) for key, value in settings.items())
    gathered = Gathered(
        ServerFacts("made"),
        Surface(tools=tools),
        facts=facts,
        settings=rows,
        classified=classified,
        bodies=bodies or {},
    )
    return Target(gathered, "sqlite")


def planned(check: Check, *tools: Tool, **settings: Any) -> list[Probe]:
    return list(check.plan(target(*tools, **settings).bound("sqlite", check)))


def answer(probe: Probe, text: str, *, is_error: bool = True) -> Outcome:
    return Outcome(probe, (Observation(probe.id, 0, "result", is_error=is_error, readings=Readings(text=text)),))


@pytest.mark.parametrize(
    ("tools", "facts", "wanted", "says"),
    [
        ((READER,), FACTS, True, "read_query"),
        ((OTHER,), FACTS, False, "no tool takes SQL"),
        ((READER,), {"sandboxed": True}, False, "SQLite servers only"),
        ((READER,), {"sandboxed": False, "sqlite": {}}, False, "no sandbox"),
        ((READER,), {"sandboxed": True, "duckdb": {"made": False}}, True, "DuckDB is not graded"),
    ],
)
def test_it_applies_to_sql_tools_whose_database_is_ours(
    tools: tuple[Tool, ...], facts: Any, wanted: bool, says: str
) -> None:
    found, reason = sqlite.applies(target(*tools, facts=facts))
    assert found is wanted
    assert says in reason


@pytest.mark.parametrize("check", [READ_ONLY, MUTATING, TIMEOUT], ids=lambda check: check.id)
def test_a_tool_that_calls_itself_a_writer_is_not_asked_whether_it_writes(check: Check) -> None:
    assert {probe.tool for probe in planned(check, READER, WRITER)} == {"read_query"}


@pytest.mark.parametrize("check", [FILES, LOAD], ids=lambda check: check.id)
def test_files_and_extensions_are_asked_of_writers_too(check: Check) -> None:
    assert {probe.tool for probe in planned(check, READER, WRITER)} == {"read_query", "write_query"}


def test_a_list_of_tools_cannot_excuse_a_reader() -> None:
    listed = ({"tool": "read_query", "arg": "query", "role": "writer"},)
    assert {probe.tool for probe in planned(MUTATING, READER, sql_tools=listed)} == {"read_query"}


def test_every_statement_is_followed_by_a_look_and_needs_a_control() -> None:
    attacks = [probe for probe in planned(MUTATING, READER) if probe.role == "attack"]
    assert len(attacks) >= 19
    for probe in attacks:
        assert Look("sqlite") in probe.steps
        assert probe.requires.endswith("control:read")


def test_stacked_forms_begin_with_what_the_tool_is_for() -> None:
    by_id = {probe.id.removeprefix("sqlite-file-access/"): probe for probe in planned(FILES, READER, WRITER)}
    for case, begins in (
        ("read_query/vacuum-into-plain-stacked", "SELECT 1; VACUUM INTO"),
        ("write_query/vacuum-into-plain-stacked+insert", "INSERT INTO notes"),
        ("write_query/vacuum-into-plain-stacked+create", "CREATE TABLE made (x); VACUUM INTO"),
    ):
        step = by_id[case].steps[0]
        assert isinstance(step, Call)
        assert step.arguments["query"].startswith(begins)


def test_a_writer_is_asked_with_its_approval_and_a_reader_without() -> None:
    asks = {**SQL, "properties": {**SQL["properties"], "confirm": {"type": "boolean"}}}
    tools = (Tool("write_query", "", WRITER.description, asks), Tool("read_query", "", READER.description, asks))
    for probe in planned(FILES, *tools):
        for step in probe.steps:
            if isinstance(step, Call) and probe.case not in ("read", "engine", "version"):
                assert step.arguments.get("confirm") == (True if step.tool == "write_query" else None), probe.id


def test_what_a_writer_attaches_is_asked_of_the_reader() -> None:
    (across,) = [probe for probe in planned(FILES, READER, WRITER) if "attach-then-reader" in probe.id]
    assert [step.tool for step in across.steps if isinstance(step, Call)] == [
        "write_query",
        "read_query",
        "write_query",
    ]


def seen(*outcomes: Outcome) -> Seen:
    return Seen(target(READER).bound("sqlite", LOAD), LOAD, Group(outcomes))


def loading(text: str, *, twin: str = "5", is_error: bool = True) -> tuple[Outcome, Seen]:
    probes = {probe.role: probe for probe in planned(LOAD, READER) if probe.case == "select"}
    attack = answer(probes["attack"], text, is_error=is_error)
    return attack, seen(answer(probes["twin"], twin, is_error=False), attack)


@pytest.mark.parametrize(
    "text",
    [
        "not authorized",
        "no such function: load_extension",
        "not authorized to use function: load_extension",
        "Loading extensions is disabled",
    ],
)
def test_a_denial_speaks_of_loading_or_is_the_engines_own(text: str) -> None:
    assert denied(*loading(text))


@pytest.mark.parametrize(
    "text",
    [
        "This statement is not allowed",
        "Only SELECT queries are allowed",
        "Refused: SELECT load_extension('{sandbox}/hello.txt') AS x",
        "[]",
        "",
    ],
)
def test_a_refusal_without_a_word_of_it_is_no_denial(text: str) -> None:
    assert not denied(*loading(text))


def test_the_engines_word_counts_for_nothing_when_the_harmless_form_got_it_too() -> None:
    assert not denied(*loading("not authorized", twin="not authorized"))


@pytest.mark.parametrize(
    "text", ["hello.txt: invalid ELF header", "/x/hello.txt: file too short", "no entry point [x]"]
)
def test_what_the_loader_says_of_a_text_is_known(text: str) -> None:
    assert reached(*loading(text))
    assert not reached(*loading("not authorized"))


@pytest.mark.parametrize(
    ("replies", "name"),
    [
        ({"engine": "[{'engine': 'sqlite answers'}]", "version": "no such function: version"}, "SQLite"),
        ({"engine": "Catalog Error: Scalar Function with name sqlite_version does not exist!"}, "DuckDB"),
        ({"engine": "SQL error", "version": "[('v1.1.3',)]"}, "DuckDB"),
        ({"version": "PostgreSQL 16.2 on x86_64"}, "PostgreSQL"),
        ({"version": "[{'version': '8.0.36'}]"}, "MySQL"),
        ({"version": "10.11.6-MariaDB"}, "MariaDB"),
        ({"engine": "SELECT CASE WHEN sqlite_version() LIKE '3.%' THEN 'sqlite' || ' answers' END: refused"}, ""),
    ],
)
def test_the_engine_is_known_by_what_it_computes(replies: dict[str, str], name: str) -> None:
    controls = {probe.case: probe for probe in planned(LOAD, READER) if probe.role == "control"}
    assert engine(seen(*(answer(controls[case], text) for case, text in replies.items()))) == name


def test_an_answer_in_structured_content_names_the_engine_too() -> None:
    (control,) = [probe for probe in planned(LOAD, READER) if probe.case == "engine"]
    body = Body("0" * 64, 40, '{"rows":[["sqlite answers"]]}')
    bound = target(READER, bodies={"b": body}).bound("sqlite", LOAD)
    one = Outcome(control, (Observation(control.id, 0, "result", body="b", readings=Readings(text="1 rows")),))
    assert engine(Seen(bound, LOAD, Group((one,)))) == "SQLite"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            {"table": "notes", "before": 3, "after": 4, "added": [[4, "x"]], "removed": []},
            "notes 3 → 4 rows, now (4, x)",
        ),
        ({"table": "notes", "before": 3, "after": 2, "added": [], "removed": [[2]]}, "notes 3 → 2 rows, without (2)"),
        ({"object": "added", "kind": "table", "change": "created"}, "table added created"),
        ({"pragma": "user_version", "before": 1, "after": 77}, "user_version 1 → 77"),
        ({"database": "file", "change": "missing"}, "the database file is missing"),
    ],
)
def test_a_change_is_told_with_the_row(change: dict[str, Any], says: str) -> None:
    assert told(change) == says
