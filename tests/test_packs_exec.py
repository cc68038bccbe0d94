"""The pack exec without a server: which tools run commands, how a line becomes arguments, and what judges conclude."""

from __future__ import annotations

from typing import Any

import pytest

from sealmark.arrange import pack_state
from sealmark.check import Target
from sealmark.corpora import cases
from sealmark.packs import exec as commands
from sealmark.packs.exec.aims import Aim, aims, calling, split
from sealmark.packs.exec.allow_list import CHECK as LIST
from sealmark.packs.exec.arg_injection import CHECK as INJECTION
from sealmark.packs.exec.learning import PLAIN, Learnt, written
from sealmark.packs.exec.timeout_cap import CHECK as TIMEOUT
from sealmark.record.model import Call, Gathered, Look, Probe, ServerFacts, Setting, Surface, Tool
from sealmark.settings import Origin, Settings
from sealmark.surface.classify import classify

TEXT = {"type": "string"}
FACTS = {"sandboxed": True, "placeholders": ["sandbox"], "waits": True}


def tool(name: str = "run_command", **properties: Any) -> Tool:
    schema = {"type": "object", "properties": {"command": TEXT, **properties}, "required": ["command"]}
    return Tool(name, "", "Run a shell command.", schema)


LINE = tool()
WORDS = tool("shell_execute", command={"type": "array", "items": TEXT}, directory=TEXT)
APART = tool("execute", args={"type": "array", "items": TEXT})


def target(*tools: Tool, facts: Any = FACTS, **settings: Any) -> Target:
    rows = tuple(Setting(key.replace("__", "."), value) for key, value in settings.items())
    classified = tuple(classify(one, {}) for one in tools)
    found = Surface(tools=tools)
    return Target(Gathered(ServerFacts("x"), surface=found, facts=facts, classified=classified, settings=rows))


def planned(check: Any, *tools: Tool, **more: Any) -> list[Probe]:
    return list(check.plan(target(*tools, **more).bound("exec", check)))


def aim(one: Tool) -> Aim:
    return aims(target(one))[0]


def arguments(one: Tool, command: Any, **more: Any) -> Any:
    step = calling(target(one), aim(one), command, **more)
    assert isinstance(step, Call)
    return step.arguments


# -- whom it applies to, and with whose consent


def test_it_applies_to_tools_that_run_commands():
    assert commands.applies(target(LINE)) == (True, "tools that run commands: run_command")
    plain = Tool("add", "", "Add numbers.", {"type": "object", "properties": {"a": {"type": "number"}}})
    assert commands.applies(target(plain)) == (False, "no tool runs commands")
    assert not commands.applies(target(LINE, facts={**FACTS, "sandboxed": False}))[0]


def test_without_active_nothing_is_sent():
    selected = Settings.standard().replace({"packs": ("exec",)}, Origin("code", "test"))
    state = pack_state(commands.PACK, target(LINE), selected)
    assert not state.applies
    assert "--active" in state.reason
    allowed = selected.replace({"active": True}, Origin("code", "test"))
    assert pack_state(commands.PACK, target(LINE), allowed).applies


def test_every_probe_says_that_it_needs_consent():
    probes = [probe for check in commands.PACK.checks for probe in planned(check, LINE, WORDS, APART)]
    assert probes
    assert all(probe.consent for probe in probes)


# -- how a line becomes arguments


def test_a_line_a_list_of_words_and_arguments_apart():
    assert arguments(LINE, "cat hello.txt") == {"command": "cat hello.txt"}
    assert arguments(WORDS, "cat 'a b'") == {"command": ["cat", "a b"], "directory": "{sandbox}"}
    assert arguments(APART, "cat a b") == {"command": "cat", "args": ["a", "b"]}
    assert arguments(LINE, ["cat", "a b"]) == {"command": "cat 'a b'"}


def test_a_line_whose_quotes_do_not_match_is_split_at_spaces():
    assert split("cat 'x") == ["cat", "'x"]


def test_time_is_told_in_the_unit_that_the_tool_takes():
    seconds = tool(timeout={"type": "integer"})
    named = tool(timeout_ms={"type": "integer"})
    told = tool(timeout={"type": "number", "description": "Timeout in milliseconds"})
    large = tool(timeout={"type": "integer", "default": 30000})
    assert arguments(seconds, "ls", timeout=2)["timeout"] == 2
    assert arguments(named, "ls", timeout=2)["timeout_ms"] == 2000
    assert arguments(told, "ls", timeout=2)["timeout"] == 2000
    assert arguments(large, "ls", timeout=2)["timeout"] == 2000
    assert "timeout" not in arguments(seconds, "ls")


# -- attacks are made of what was learnt

KNOWN = Learnt("cat hello.txt", (), ("touch",))


def commands_of(check: str, case: str, one: Tool, known: Learnt = KNOWN) -> list[Any]:
    found = next(item for item in cases(f"exec/{check}") if item.id == case)
    return [command for _, command in written(found, known, aim(one))]


def test_a_refused_program_is_put_behind_a_command_that_works():
    assert commands_of("exec-arg-injection", "semicolon", LINE) == [
        "cat hello.txt ; touch {sandbox}/was-run-run_command-semicolon"
    ]


def test_words_come_apart_and_glued_to_the_last_one():
    mark = "{sandbox}/was-run-shell_execute-semicolon"
    assert commands_of("exec-arg-injection", "semicolon", WORDS) == [
        ["cat", "hello.txt", ";", "touch", mark],
        ["cat", f"hello.txt; touch {mark}+glued"],
    ]


def test_what_is_of_a_line_only_is_not_split_into_words():
    assert commands_of("exec-allow-list", "leading-space", WORDS) == []
    assert len(commands_of("exec-allow-list", "leading-space", LINE)) == 1
    assert [words[-1].startswith("hello.txt\n") for words in commands_of("exec-arg-injection", "newline", WORDS)] == [
        True
    ]


def test_each_probe_leaves_a_file_of_its_own():
    every = [case for check in ("exec-arg-injection", "exec-allow-list") for case in cases(f"exec/{check}")]
    for one in (LINE, WORDS):
        texts = [
            (case_id, command if isinstance(command, str) else " ".join(command))
            for case in every
            for case_id, command in written(case, KNOWN, aim(one))
        ]
        for case_id, text in texts:
            assert case_id == "same-name" or f"was-run-{one.name}-{case_id}" in text


@pytest.mark.parametrize("check", ["exec-arg-injection", "exec-allow-list"])
def test_no_line_holds_a_place_that_was_not_filled(check):
    for one in (LINE, WORDS, APART):
        for case in cases(f"exec/{check}"):
            for _, command in written(case, KNOWN, aim(one)):
                text = command if isinstance(command, str) else " ".join(command)
                assert not [left for left in ("<base>", "<name>", "<run>", "<file>") if left in text]


def test_what_is_learnt():
    assert Learnt("ls", ("touch", "cp"), ()).anything
    assert not Learnt("ls", ("touch",), ("cp",)).anything
    assert Learnt("ls", ("touch",), ("cp",)).payload == PLAIN["cp"]
    assert Learnt("ls", ("touch",), ()).payload == ""
    assert not Learnt("", (), ()).anything


def test_plain_programs_are_followed_by_looks_on_both_sides():
    twins = [probe for probe in planned(INJECTION, LINE) if probe.role == "twin"]
    assert {probe.case for probe in twins} == set(PLAIN)
    assert all(Look("outside") in probe.steps and Look("sandbox") in probe.steps for probe in twins)


def test_only_so_many_tools_of_one_server_are_asked():
    many = [tool(f"run_command_{number}") for number in range(9)]
    assert len({probe.tool for probe in planned(LIST, *many)}) == 4


def test_without_a_pipe_nothing_waits_for_one():
    assert {probe.case for probe in planned(TIMEOUT, LINE)} == {"cat", "tail", "sleep"}
    assert {probe.case for probe in planned(TIMEOUT, LINE, facts={**FACTS, "waits": False})} == {"tail", "sleep"}
