"""The pack inject without a server: which arguments are tried, with what, and when two answers count as one."""

from __future__ import annotations

from typing import Any

import pytest

from sealmark.arrange import pack_state
from sealmark.check import Check, Outcome, Seen, Target
from sealmark.check.seen import Group
from sealmark.packs import inject
from sealmark.packs.inject import command, path, sql, url
from sealmark.packs.inject.answers import complains
from sealmark.packs.inject.values import MAX_LEAVES, MAX_TOOLS, free, ranked
from sealmark.record.model import Body, Call, Gathered, Observation, Probe, Readings, ServerFacts, Surface, Tool
from sealmark.settings import Origin, Settings
from sealmark.surface.classify import classify

TEXT = {"type": "string"}
CHECKS = (command.CHECK, sql.CHECK, path.CHECK, url.CHECK)


def tool(name: str, *required: str, annotations: Any = None, **properties: Any) -> Tool:
    schema = {
        "type": "object",
        "properties": {**dict.fromkeys(required, TEXT), **properties},
        "required": list(required),
    }
    return Tool(name, "", f"The tool {name}.", schema, annotations=annotations or {})


def target(*tools: Tool, bodies: Any = None, **facts: Any) -> Target:
    classified = tuple(classify(one, {}) for one in tools)
    found = {"sandboxed": True, "active": True, "listener": {"ipv6": False}, **facts}
    surface = Surface(tools=tools)
    return Target(
        Gathered(ServerFacts("made"), surface, facts=found, classified=classified, bodies=bodies or {}), "inject"
    )


def planned(check: Check, *tools: Tool) -> list[Probe]:
    return list(check.plan(target(*tools).bound("inject", check)))


def sent(probe: Probe) -> list[Any]:
    return [step.arguments for step in probe.steps if isinstance(step, Call)]


def test_what_other_packs_own_is_left_to_them() -> None:
    files = tool("read_file", "path")
    runs = tool("run_command", "command")
    asks = tool("run_sql", "sql", note=TEXT)
    assert [(one.name, leaf.pointer) for one, leaf in free(target(files, runs, asks))] == [("run_sql", "note")]


def test_a_tool_that_says_that_it_destroys_is_left_alone() -> None:
    destroys = tool("forget", "name", annotations={"destructiveHint": True})
    assert not list(free(target(destroys)))
    assert inject.applies(target(destroys))[0] is False


def test_without_consent_the_pack_does_not_run() -> None:
    settings = Settings.standard().replace({"packs": ("inject",)}, Origin("code", "test"))
    state = pack_state(inject.PACK, target(tool("lookup", "host")), settings)
    assert not state.applies
    assert "--active" in state.reason


def test_two_arguments_of_a_tool_are_tried_the_likeliest_first() -> None:
    one = tool("lookup", "comment", host=TEXT, remark=TEXT, branch=TEXT, title=TEXT)
    chosen, left = ranked(target(one), command.TELLING)
    assert [aim.pointer for aim in chosen] == ["host", "branch"]
    assert len(chosen) == MAX_LEAVES
    assert {aim.pointer for aim in left} == {"comment", "remark", "title"}


def test_of_many_tools_the_likeliest_are_tried_and_the_others_named() -> None:
    dull = [tool(f"say_{number}", "words") for number in range(MAX_TOOLS)]
    chosen, left = ranked(target(*dull, tool("lookup", "host")), command.TELLING)
    assert chosen[0].name == "lookup.host"
    assert len({aim.tool.name for aim in chosen}) == MAX_TOOLS
    assert [aim.name for aim in left] == [f"say_{MAX_TOOLS - 1}.words"]


def test_an_argument_that_takes_no_free_text_is_not_sent_what_its_schema_refuses() -> None:
    narrow = tool("lookup", host={"type": "string", "pattern": "^[a-z]+$"})
    for probe in planned(command.CHECK, narrow):
        assert probe.role == "control"


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_every_probe_is_a_valid_call_with_consent_and_nothing_optional(check: Check) -> None:
    probes = planned(check, tool("find_name", "name", age={"type": "integer"}))
    assert {probe.role for probe in probes} >= {"control", "attack"}
    for probe in probes:
        if probe.role != "fact":
            assert probe.consent
            assert all(set(arguments) == {"name"} for arguments in sent(probe))


def test_no_statement_goes_to_a_tool_that_writes() -> None:
    assert not planned(sql.CHECK, tool("delete_person", "name"), tool("update_person", "name"))
    harmless = tool("update_view", "name", annotations={"readOnlyHint": True})
    assert planned(sql.CHECK, harmless)


def test_nothing_that_is_sent_holds_the_product() -> None:
    for probe in planned(command.CHECK, tool("lookup", "host")):
        assert command.COMPUTED not in str(sent(probe))
    assert f"sm{40503 * 1009}mark" == command.COMPUTED


def test_true_and_false_conditions_hold_the_same_characters() -> None:
    bound = target(tool("find_name", "name")).bound("inject", sql.CHECK)
    for case in bound.cases:
        if case.id != "quote":
            true, false, true_again, false_again = case["values"]
            assert sorted(true) == sorted(false), case.id
            assert sorted(true_again) == sorted(false_again), case.id


PLAIN = ["[]", "[]"]


def judged(plain: list[str], found: list[str], *, case: str = "single-quoted") -> tuple[str, str]:
    """The verdict and its rule for these answers to the ordinary value and to one pair of conditions."""
    finder = tool("find_name", "name")
    probes = {probe.case.split("@")[0]: probe for probe in planned(sql.CHECK, finder)}
    outcomes = []
    for probe, replies in ((probes["plain"], plain), (probes[case], found)):
        bodies = [Observation(probe.id, at, "result", readings=_read(text)) for at, text in enumerate(replies)]
        outcomes.append(Outcome(probe, tuple(bodies)))
    bound = target(finder).bound("inject", sql.CHECK)
    verdict = sql.judge(Seen(bound, sql.CHECK, Group(outcomes)))
    return verdict.tag, verdict.rule


def _read(text: str) -> Readings:
    return Readings(text=text, text_length=len(text))


@pytest.mark.parametrize(
    ("plain", "found", "rule"),
    [
        (PLAIN, ["[1, 2]", "[]", "[1, 2]", "[]"], "condition-decides"),
        (PLAIN, ["[]", "[]", "[]", "[]"], "no-difference"),
        (PLAIN, ["[1, 2]", "[]", "[3]", "[]"], "no-difference"),
        (PLAIN, ["[1, 2]", "[4]", "[1, 2]", "[4]"], "no-difference"),
        (PLAIN, ["[1, 2]", "[1, 2]", "[1, 2]", "[1, 2]"], "no-difference"),
        (["call 1", "call 2"], ["[1, 2]", "[]", "[1, 2]", "[]"], "no-control"),
        (
            ["none for sealmark"] * 2,
            [
                "none for sealmark' OR '2'>'1",
                "none for sealmark' OR '1'>'2",
                "none for sealmark' OR 'ba'>'ab",
                "none for sealmark' OR 'ab'>'ba",
            ],
            "no-difference",
        ),
    ],
)
def test_only_a_difference_that_the_condition_explains_decides(plain: list[str], found: list[str], rule: str) -> None:
    assert judged(plain, found)[1] == rule


def test_a_complaint_of_an_engine_counts_only_when_the_ordinary_value_brings_none() -> None:
    broken = 'near "\'": syntax error'
    assert judged(PLAIN, [broken, broken], case="quote") == ("part", "sql-error")
    assert judged([broken, broken], [broken, broken], case="quote")[1] != "sql-error"


def test_a_complaint_behind_the_first_characters_is_found() -> None:
    (probe,) = [one for one in planned(sql.CHECK, tool("find_name", "name")) if one.case.startswith("quote")]
    body = Body("0" * 64, 900, "x" * 400 + "You have an error in your SQL syntax")
    bound = target(tool("find_name", "name"), bodies={"b": body}).bound("inject", sql.CHECK)
    outcome = Outcome(probe, (Observation(probe.id, 0, "result", body="b", readings=_read("x" * 300)),))
    assert complains(outcome, Seen(bound, sql.CHECK, Group((outcome,))))
