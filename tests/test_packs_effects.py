"""The pack effects without a server: which tools are called with what, and what looks tell of a call."""

from __future__ import annotations

from typing import Any

import pytest

from sealmark.check import Outcome, Seen, Target
from sealmark.check.seen import Group
from sealmark.packs import effects
from sealmark.packs.effects.changes import before, changed
from sealmark.packs.effects.claims import closed, readers
from sealmark.packs.effects.open_world import CHECK as WORLD
from sealmark.packs.effects.read_only import CHECK as READ_ONLY
from sealmark.record.model import Call, Gathered, Look, Observation, Probe, ServerFacts, Surface, Tool
from sealmark.surface.classify import classify

TEXT = {"type": "string"}
FACTS = {"sandboxed": True, "placeholders": ["sandbox"], "listener": {"ipv4": True, "ipv6": True}}
READS = {"readOnlyHint": True}
CLOSED = {"readOnlyHint": True, "openWorldHint": False}
IDLE: frozenset[str] = frozenset()


def tool(name: str, *required: str, about: str = "", hints: Any = None, **properties: Any) -> Tool:
    schemas = {**dict.fromkeys(required, TEXT), **properties}
    schema = {"type": "object", "properties": schemas, "required": list(required)}
    return Tool(name, "", about or f"The tool {name}.", schema, annotations=hints or {})


READ_FILE = tool("read_file", "path", about="Read a file.", hints=READS)


def target(*tools: Tool, facts: Any = FACTS) -> Target:
    classified = tuple(classify(one, {}) for one in tools)
    return Target(Gathered(ServerFacts("x"), surface=Surface(tools=tools), facts=facts, classified=classified))


def values(*tools: Tool, **more: Any) -> dict[str, Any]:
    return {reader.tool.name: dict(reader.values) for reader in readers(target(*tools, **more))}


# -- whom it applies to, and what is called


def test_it_needs_a_sandbox_and_a_claim_that_can_be_tried() -> None:
    assert effects.applies(target(READ_FILE))[0]
    assert "no sandbox" in effects.applies(target(READ_FILE, facts={"sandboxed": False}))[1]
    assert not effects.applies(target(tool("add", "a"), tool("write_file", "path", "content")))[0]


def test_claimers_are_aimed_at_what_the_harness_owns() -> None:
    found = values(
        READ_FILE,
        tool("fetch_url", "url", about="Fetch a URL.", hints=READS),
        tool("git_show", "repo_path", "revision", about="Show a commit of a git repository.", hints=READS),
        tool("get_status", hints=READS),
        tool("count_words", "text", hints=CLOSED),
    )
    assert found["read_file"] == {"path": "{sandbox}/hello.txt"}
    assert found["fetch_url"] == {"url": "{listener}/{listener_token}/page/effects/fetch_url"}
    assert found["git_show"] == {"repo_path": "{sandbox}", "revision": "HEAD"}
    assert found["get_status"] == found["count_words"] == {}


@pytest.mark.parametrize(
    "one",
    [
        tool("search_web", "text", hints=READS),
        tool("write_file", "path", "content", about="Write a file."),
        tool("move_file", "source", "destination", about="Move a file."),
        tool("git_commit", "repo_path", "message", about="Commit to a git repository."),
        tool("process_file", "path", about="Work on a file."),
        tool("get_status"),
        tool("read_file", "path", about="Read a file.", hints={"readOnlyHint": False}),
        tool("run_command", "command", about="Run a shell command.", hints=READS),
    ],
    ids=lambda one: one.name,
)
def test_others_are_not_called(one: Tool) -> None:
    assert values(one) == {}


def test_readers_by_name_are_called_with_a_target_and_without_one_only_with_active() -> None:
    silent = tool("get_status")
    assert "list_directory" in values(tool("list_directory", "path", about="List a directory."))
    (reader,) = readers(target(silent, facts={**FACTS, "active": True}))
    assert (reader.claims, reader.consent) == (False, True)
    assert values(tool("reset"), facts={**FACTS, "active": True}) == {}


def test_a_closed_tool_gets_the_address_where_it_is_likeliest_to_be_fetched() -> None:
    one = tool("search_notes", "text", hints=CLOSED, source=TEXT)
    write_only = tool("save_note", "text", hints={"openWorldHint": False})
    fetches = tool("fetch_url", "url", about="Fetch a URL.", hints={"openWorldHint": False})
    found = {aim.tool.name: aim.pointer for aim in closed(target(one, write_only, fetches))}
    assert found == {"search_notes": "source", "fetch_url": "url"}


def test_every_call_stands_between_two_looks() -> None:
    probes = [probe for probe in READ_ONLY.plan(target(READ_FILE).bound("effects", READ_ONLY)) if probe.tool]
    assert [[type(step) for step in probe.steps] for probe in probes] == [[Look, Call, Look]] * 2
    assert probes[1].requires == f"!{probes[0].id}"


def test_without_a_listener_no_address_is_sent() -> None:
    facts = {"sandboxed": True}
    one = tool("parse_url", "url", about="Parse a URL.", hints=CLOSED)
    assert list(WORLD.plan(target(one, facts=facts).bound("effects", WORLD))) == []


# -- what looks tell


def called(first: list[str], last: list[str], *, generations: tuple[int, int, int] = (1, 1, 1)) -> Outcome:
    """A call between two looks that saw these paths change."""
    probe = Probe("p", "effects", "effects-read-only", "coverage", (Look("tree"), Call("read_file"), Look("tree")))
    looks = [
        {"changes": [{"path": path, "kind": "file", "change": "created"} for path in paths]} for paths in (first, last)
    ]
    return Outcome(
        probe,
        (
            Observation("p", 0, "look", facts=looks[0], generation=generations[0]),
            Observation("p", 1, "result", is_error=False, generation=generations[1]),
            Observation("p", 2, "look", facts=looks[1], generation=generations[2]),
        ),
    )


def test_the_last_look_tells_of_the_call_and_the_first_of_what_came_before() -> None:
    outcome = called(["{sandbox}/a"], ["{sandbox}/b"])
    assert [one["path"] for one in changed(outcome, IDLE)] == ["{sandbox}/b"]
    assert [one["path"] for one in before(outcome, IDLE)] == ["{sandbox}/a"]
    assert changed(outcome, frozenset(["{sandbox}/b"])) == []


def test_what_a_new_process_writes_is_no_doing_of_the_tool() -> None:
    outcome = called(["{sandbox}/a"], ["{sandbox}/b"], generations=(1, 2, 2))
    assert changed(outcome, IDLE) == before(outcome, IDLE) == []


def test_nothing_worked_is_no_pass() -> None:
    bound = target(READ_FILE).bound("effects", READ_ONLY)
    assert READ_ONLY.judge(Seen(bound, READ_ONLY, Group())).tag != "pass"
