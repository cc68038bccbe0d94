"""STANDARD only when everything that can change a grade is the standard's; adding coverage never costs it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from sealmark.settings import Origin, Settings
from sealmark.settings.integrity import Build, assess, difference_line, header, integrity_of_record
from sealmark.settings.methodology import current
from sealmark.settings.table import by_key

FLAG = Origin("flag", "--timeout-probe")
STANDARD = Settings.standard()


def test_the_standard_profile_is_standard() -> None:
    integrity = assess(STANDARD)
    assert integrity.standard
    assert header(integrity) == "STANDARD"
    assert len(integrity.hash) == 64


def test_differences_are_named_with_both_values_and_the_origin() -> None:
    integrity = assess(STANDARD.replace({"timeouts.probe_sec": 2, "packs": ("core",)}, FLAG))
    assert header(integrity) == "CUSTOM (not the published methodology: 2 differences)"
    lines = [difference_line(difference) for difference in integrity.differences]
    assert "timeouts.probe_sec: standard 10, effective 2  (flag --timeout-probe)" in lines
    assert any(line.startswith("packs: standard [") and 'effective ["core"]' in line for line in lines)
    assert header(assess(STANDARD.replace({"sandbox.enabled": False}))).endswith("1 difference)")


LOCKED_EXAMPLES: dict[str, Any] = {
    "tools.include": ["read_*"],
    "tools.exclude": ["x"],
    "tools.overrides": {"t": {"class": "opaque"}},
    "budgets.calls_per_run": 5,
    "corpus.add": [{"check": "fs-read-escape", "id": "mine", "why": "x"}],
    "corpus.remove": ["fs-read-escape/absolute"],
    "checks.fs-size-cap.enabled": False,
    "checks.fs-size-cap.max_mib": 99,
    "checks.protocol.severity": "advisory",
    "checks.db-privilege.enabled": False,
    "checks.db-privilege.severity": "scored",
    "checks.scope-escape.severity": "advisory",
    "server.protocol": "legacy",
    "sandbox.enabled": False,
    "plugins": ["my_checks"],
    "probes": [{"tool": "t", "check": "mine"}],
}


@pytest.mark.parametrize("key", LOCKED_EXAMPLES)
def test_weakening_anything_makes_a_run_custom_with_another_hash(key: str) -> None:
    settings = STANDARD.replace({key: LOCKED_EXAMPLES[key]}, FLAG)
    plugins = {"my_checks": "ab"} if key == "plugins" else {}
    integrity = assess(settings, Build(plugins=plugins))
    assert not integrity.standard
    assert integrity.hash != assess(STANDARD).hash
    assert [difference.origin for difference in integrity.differences] == ["flag --timeout-probe"]


COVERAGE_EXAMPLES: dict[str, Any] = {
    "active": True,
    "sql_tools": [{"tool": "q", "arg": "sql"}],
    "server.rootless": True,
    "scope.allow": ["a.b"],
    "upstream.kind": "http",
    "probes": [{"tool": "t"}],
    "net.control_url": "https://example.com",
    "checks.sql-guard-rowcap.row_cap": 5,
    "checks.refusal-quality.patterns": ["ask"],
    "output.exit_policy.treat_inconclusive_as": "fail",
    "timeouts.connect_sec": 5,
    "timeouts.probe_sec": 10.0,
}


@pytest.mark.parametrize("key", COVERAGE_EXAMPLES)
def test_adding_coverage_keeps_the_standard_and_its_hash(key: str) -> None:
    integrity = assess(STANDARD.replace({key: COVERAGE_EXAMPLES[key]}, FLAG))
    assert integrity.standard
    assert integrity.hash == assess(STANDARD).hash


def test_packs_count_only_when_a_standard_one_is_dropped() -> None:
    standard = current().standard_packs
    assert assess(STANDARD.replace({"packs": standard})).standard
    assert assess(STANDARD.replace({"packs": tuple(reversed(standard))})).hash == assess(STANDARD).hash
    assert not assess(STANDARD.replace({"packs": standard[1:]})).standard


def test_the_code_counts_too() -> None:
    other = assess(STANDARD, Build(revisions={"protocol": 2}))
    assert [difference.key for difference in other.differences] == ["revision of protocol"]
    assert other.hash != assess(STANDARD).hash
    pinned = msgspec.structs.replace(current(), corpora="aa")
    assert assess(STANDARD, Build(corpora="aa"), pinned).standard
    assert [difference.key for difference in assess(STANDARD, Build(corpora="bb"), pinned).differences] == ["corpora"]
    older = msgspec.structs.replace(current(), version="0.1")
    assert [difference.key for difference in assess(STANDARD, None, older).differences] == ["methodology"]


def test_plugins_enter_the_hash_by_their_source() -> None:
    settings = STANDARD.replace({"plugins": ["my_checks"]}, FLAG)
    one, two = (assess(settings, Build(plugins={"my_checks": digest})) for digest in ("aa", "bb"))
    assert one.hash != two.hash
    assert (
        difference_line(one.differences[0]) == 'plugin my_checks: standard null, effective "aa"  (flag --timeout-probe)'
    )


@pytest.mark.parametrize("key", [*LOCKED_EXAMPLES, *COVERAGE_EXAMPLES])
def test_a_record_gives_the_same_answer_as_the_run(key: str) -> None:
    given = {**LOCKED_EXAMPLES, **COVERAGE_EXAMPLES}[key]
    settings = STANDARD.replace({key: given}, FLAG)
    recorded = msgspec.json.decode(msgspec.json.encode(settings.to_record()), type=type_of_record())
    run, record = assess(settings), integrity_of_record(recorded, current())
    assert (run.standard, run.hash) == (record.standard, record.hash)
    assert [difference_line(one) for one in run.differences] == [difference_line(one) for one in record.differences]


def type_of_record() -> Any:
    from sealmark.record.model import Setting

    return tuple[Setting, ...]


def test_a_record_of_an_older_build_counts_as_standard_where_it_says_nothing() -> None:
    assert integrity_of_record((), current()) == assess(STANDARD)


def test_only_the_table_decides_what_is_locked() -> None:
    locked = {key for key, row in by_key().items() if row.locked}
    assert {key for key in LOCKED_EXAMPLES if key != "probes"} <= locked
    assert not locked & set(COVERAGE_EXAMPLES) - {"timeouts.probe_sec"}
