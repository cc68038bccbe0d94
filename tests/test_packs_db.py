"""The pack db without a server: when it applies, what is planned, and how a look is told."""

from __future__ import annotations

from typing import Any

import pytest

from sealmark import corpora
from sealmark.check import Outcome, Target
from sealmark.packs import db
from sealmark.packs.db import shop
from sealmark.packs.db.audit_log import CHECK as AUDIT
from sealmark.packs.db.mutating_sql import CHECK as MUTATING
from sealmark.packs.db.privilege import CHECK as PRIVILEGE
from sealmark.packs.db.rls import CHECK as RLS
from sealmark.packs.db.row_cap import CHECK as CAP
from sealmark.packs.db.timeout import CHECK as TIMEOUT
from sealmark.packs.db.write_gate import CHECK as GATE
from sealmark.reading.shown import change_in_words
from sealmark.record.model import (
    Call,
    Gathered,
    Look,
    Observation,
    Probe,
    Restore,
    ServerFacts,
    Setting,
    Surface,
    Tool,
)
from sealmark.surface.classify import classify

TEXT = {"type": "string"}
FACTS = {"placeholders": ["dsn"], "database": {"engine": "PostgreSQL", "large_table_rows": 5000}}


def tool(name: str, **properties: Any) -> Tool:
    schema = {"type": "object", "properties": {"sql": TEXT, **properties}, "required": ["sql"]}
    return Tool(name, "", "Run a SQL query.", schema)


def target(*tools: Tool, facts: Any = FACTS, **settings: Any) -> Target:
    gathered = Gathered(
        server=ServerFacts("toy"),
        surface=Surface(tools=tools),
        facts=facts,
        settings=tuple(Setting(key.replace("__", "."), value, "flag") for key, value in settings.items()),
        classified=tuple(classify(one, {}) for one in tools),
    )
    return Target(gathered, "db")


def planned(check: Any, *tools: Tool, **settings: Any) -> list[Probe]:
    return list(check.plan(target(*tools, **settings).bound("db", check)))


def sent(probe: Probe) -> list[str]:
    return [step.arguments["sql"] for step in probe.steps if isinstance(step, Call)]


@pytest.mark.parametrize(
    ("here", "applies", "reason"),
    [
        (target(tool("query")), True, "tools that take SQL: query"),
        (target(Tool("echo", "", "Say it.", {})), False, "no tool takes SQL"),
        (target(tool("query"), facts={"placeholders": []}), False, "put {dsn} where"),
        (target(tool("query"), facts={**FACTS, "placeholders": ["role"]}), False, "do not say where"),
    ],
)
def test_it_applies_to_tools_that_take_sql_and_a_database_of_ours(here: Target, applies: bool, reason: str):
    found = db.applies(here)
    assert found[0] is applies
    assert reason in found[1]


def test_nineteen_cases_each_between_looks_and_after_a_control():
    control, *attacks = planned(MUTATING, tool("query"))
    assert (control.role, len(attacks)) == ("control", 19)
    terminators = [case for case in ("commit", "rollback", "end", "abort") if case in {one.case for one in attacks}]
    assert len(terminators) == 4
    for attack in attacks:
        assert attack.requires == control.id
        assert attack.resource == "database"
        assert attack.steps[0] == Look("database")
        assert attack.steps[-2:] == (Look("database"), Restore("database"))


def test_a_writer_is_not_asked_to_read_only():
    assert planned(MUTATING, tool("write_query")) == []
    assert [probe.tool for probe in planned(GATE, tool("write_query"))] == ["write_query"]


def test_a_gate_is_tried_without_and_with_approval():
    probes = planned(GATE, tool("query", approve={"type": "boolean"}))
    assert [probe.steps[1].arguments["approve"] for probe in probes] == [False, True]  # type: ignore[union-attr]


def test_roles_have_instances_of_their_own():
    assert {probe.session for probe in planned(RLS, tool("query"))} == {"main", "role:support"}
    assert [probe.session for probe in planned(PRIVILEGE, tool("query"))] == ["main", "role:support", "role:admin"]


def test_waits_have_a_session_of_their_own_and_last_as_long_as_a_query_may():
    probes = planned(TIMEOUT, tool("query"), **{"checks__db-timeout__max_sec": 7})
    assert {probe.session for probe in probes} == {"wait:query"}
    long = [probe for probe in probes if probe.role == "attack"]
    assert [probe.steps[0].timeout_sec for probe in long] == [7, 7]  # type: ignore[union-attr]
    assert sent(long[0]) == ["SELECT pg_sleep(19)"]
    assert long[1].requires == probes[2].id
    assert probes[2].requires == f"!{probes[0].id}", "the join is for tools that refuse to sleep"


def test_the_large_table_grows_with_the_limit():
    plain = planned(CAP, tool("query"))[1]
    assert sent(plain) == ["SELECT id, label FROM events ORDER BY id"]
    larger = planned(CAP, tool("query"), **{"checks__db-row-cap__max_rows": 4000})[1]
    assert "generate_series(1, 8000)" in sent(larger)[0]


def test_every_statement_of_the_audit_holds_its_own_word():
    for probe in planned(AUDIT, tool("query")):
        assert f"{{audited_{probe.case}}}" in sent(probe)[0]


def looked(*changes: dict[str, Any]) -> Outcome:
    probe = Probe("p", "db", "c", "attack", (Look("database"), Call("query"), Look("database")))
    before = {"changes": [{"what": "table orders", "change": "rows"}]}
    seen = (
        Observation("p", 0, "look", facts=before),
        Observation("p", 1, "result"),
        Observation("p", 2, "look", facts={"changes": list(changes)}),
    )
    return Outcome(probe, seen)


def test_only_what_changed_after_the_call_counts_and_notes_do_not():
    assert shop.changes(looked()) == []
    assert shop.changes(looked({"what": "table audit_log", "change": "rows", "added": ["(1,x,analyst)"]})) == []
    made = {"what": "table t", "change": "created", "count_before": 0, "count_after": 0}
    assert shop.changes(looked(made)) == [made]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"what": "table t", "change": "created", "count_before": 0, "count_after": 0}, "table t created"),
        (
            {"what": "table t", "change": "rows", "added": ["(1)"], "removed": ["(2)"]},
            "table t: added (1); removed (2)",
        ),
        ({"what": "table t", "change": "rows", "count_before": 9, "count_after": 8}, "table t went from 9 to 8 rows"),
        ({"what": "role r", "change": "altered"}, "role r altered"),
        ({"path": "{outside}/x", "change": "created"}, "created {outside}/x"),
    ],
)
def test_a_change_is_told_in_words(change: dict[str, Any], words: str):
    assert change_in_words(change) == words


def test_statements_hold_no_mark_that_nothing_fills():
    from sealmark.bench.postgres.part import PLACEHOLDERS
    from sealmark.bench.postgres.seed import VALUES
    from sealmark.record.marks import names_in

    for check in db.PACK.checks:
        for case in corpora.cases(f"db/{check.id}"):
            used = names_in([case.data]) - {"rows", "asked", "seconds"}
            assert used <= {*VALUES, *PLACEHOLDERS}, case.id
