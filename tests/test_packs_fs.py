"""The pack fs without a server: which tools take which paths, what is planned, and what a look tells."""

from __future__ import annotations

from typing import Any

import pytest

from sealmark.check import Outcome, Target
from sealmark.packs import fs
from sealmark.packs.fs import aims as rooms
from sealmark.packs.fs import changes, sizes
from sealmark.packs.fs.link_escape import CHECK as LINK
from sealmark.packs.fs.read_escape import CHECK as READ
from sealmark.packs.fs.resources import resources
from sealmark.packs.fs.size_cap import CHECK as SIZE
from sealmark.packs.fs.write_escape import CHECK as WRITE
from sealmark.record import marks
from sealmark.record.model import (
    Call,
    Gathered,
    Look,
    Observation,
    Probe,
    Request,
    Resource,
    ServerFacts,
    Setting,
    Surface,
    Tool,
)
from sealmark.surface.classify import classify

TEXT = {"type": "string"}
FACTS = {
    "sandboxed": True,
    "placeholders": ["sandbox"],
    "fixtures": {"links": {"link.txt": "{outside}/linked/hello.txt"}, "hard_link": True, "big_bytes": 4 * 2**20},
}


def tool(name: str, *required: str, description: str = "", **properties: Any) -> Tool:
    """A tool whose named arguments are all required, and texts unless a schema is given."""
    schemas = {**dict.fromkeys(required, TEXT), **properties}
    schema = {"type": "object", "properties": schemas, "required": list(required)}
    return Tool(name, "", description or f"The tool {name} for files.", schema)


READ_FILE = tool("read_file", "path", description="Read a file.")
WRITE_FILE = tool("write_file", "path", "content", description="Write a file.")
MOVE = tool("move_file", "source", "destination", description="Move a file.")
MANY = tool("read_files", "paths", description="Read several files.", paths={"type": "array", "items": TEXT})
SEARCH = tool("search_files", "path", "pattern", description="Search for files.")
EDIT = tool("edit_file", "path", "old_text", "new_text", description="Replace text in a file.")


def target(*tools: Tool, uris: tuple[str, ...] = (), facts: Any = FACTS, **settings: Any) -> Target:
    found = Surface(tools=tools, resources=tuple(Resource(uri, template="{" in uri) for uri in uris))
    rows = tuple(Setting(key.replace("__", "."), value) for key, value in settings.items())
    classified = tuple(classify(one, {}) for one in tools)
    return Target(Gathered(ServerFacts("x"), surface=found, facts=facts, classified=classified, settings=rows))


def planned(check: Any, *tools: Tool, **more: Any) -> list[Probe]:
    return list(check.plan(target(*tools, **more).bound("fs", check)))


def arguments(probe: Probe) -> Any:
    step = probe.steps[0]
    assert isinstance(step, Call)
    return step.arguments


def case(probes: list[Probe], name: str, of: str = "") -> Probe:
    return next(probe for probe in probes if probe.case == name and of in ("", probe.tool))


# -- whom it applies to


@pytest.mark.parametrize(
    ("tools", "facts", "settings", "applies", "words"),
    [
        ((READ_FILE,), FACTS, {}, True, "read_file"),
        ((tool("add", "a", "b", description="Adds."),), FACTS, {}, False, "no tool takes a file path"),
        ((READ_FILE,), {**FACTS, "sandboxed": False}, {}, False, "no sandbox"),
        ((READ_FILE,), {**FACTS, "placeholders": []}, {}, False, "server.rootless"),
        ((READ_FILE,), {**FACTS, "placeholders": []}, {"server__rootless": True}, True, "working directory"),
        ((READ_FILE,), {**FACTS, "placeholders": ["dir"]}, {}, True, "read_file"),
    ],
)
def test_it_says_why_it_applies_or_not(tools: Any, facts: Any, settings: Any, applies: bool, words: str) -> None:
    found, reason = fs.PACK.applies(target(*tools, facts=facts, **settings))
    assert found is applies
    assert words in reason


# -- how a path is put into arguments


def test_a_move_has_both_ends_inside_but_the_one_that_is_aimed() -> None:
    probes = planned(WRITE, MOVE)
    assert arguments(case(probes, "absolute")) == {
        "source": "{sandbox}/sub/hello.txt",
        "destination": "{sandbox}/made.txt",
    }
    assert arguments(case(probes, "sibling-absolute@source"))["destination"] == "{sandbox}/made.txt"
    assert arguments(case(probes, "sibling-absolute@source"))["source"] == "{sibling}/hello.txt"
    assert arguments(case(probes, "sibling-absolute@destination"))["destination"] == "{sibling}/escaped.txt"
    relative = arguments(case(probes, "outside-relative@source"))
    assert relative == {"source": "../outside/hello.txt", "destination": "made.txt"}


def test_an_edit_asks_for_a_text_that_occurs() -> None:
    found = arguments(case(planned(WRITE, EDIT), "sibling-absolute"))
    assert found == {"path": "{sibling}/hello.txt", "old_text": "hello", "new_text": "{written}\n"}


def test_the_second_item_follows_one_that_is_inside() -> None:
    probes = planned(READ, MANY)
    assert arguments(case(probes, "item-sibling")) == {"paths": ["{sandbox}/hello.txt", "{sibling}/hello.txt"]}
    assert all(probe.case != "item-sibling" for probe in planned(READ, READ_FILE))


@pytest.mark.parametrize(
    ("pointer", "second"), [("paths/0", "paths/1"), ("files/0/path", "files/1/path"), ("a/0/b/0", "a/1/b/0")]
)
def test_the_pointer_of_a_second_item(pointer: str, second: str) -> None:
    assert rooms.second(pointer) == second


def test_a_search_is_tried_with_words_and_with_wildcards() -> None:
    probes = planned(READ, SEARCH)
    assert {arguments(probe)["pattern"] for probe in probes} == {"hello", "*hello*"}
    assert arguments(case(probes, "sibling-absolute"))["path"] == "{sibling}"
    assert "control:absolute+glob" in case(probes, "sibling-absolute+glob").requires


@pytest.mark.parametrize(
    ("name", "description", "file"),
    [
        ("read_text_file", "Reads a file.", "hello.txt"),
        ("read_media_file", "Reads an image or audio file.", "pixel.png"),
        ("describe_workbook", "Describes it.", "book.xlsx"),
        ("read_range", "Reads cells of an Excel file.", "book.xlsx"),
        ("load_csv", "Loads a table.", "data.csv"),
    ],
)
def test_the_kind_of_file_follows_from_names(name: str, description: str, file: str) -> None:
    assert rooms.file_for(tool(name, "path", description=description)) == file


def test_an_argument_has_a_kind_of_its_own() -> None:
    export = tool("export_csv", "workbook_path", "csv_path", "sheet_name", description="Export a sheet of a workbook.")
    found = arguments(case(planned(WRITE, export), "absolute"))
    wanted = {"workbook_path": "{sandbox}/sub/book.xlsx", "csv_path": "{sandbox}/made.csv", "sheet_name": "Sheet1"}
    assert found == wanted


def test_what_is_read_to_be_written_elsewhere_is_judged_by_the_disk() -> None:
    export = tool("export_csv", "workbook_path", "csv_path", description="Export a sheet of a workbook.")
    assert planned(READ, export) == []
    assert {probe.case.partition("@")[2] for probe in planned(WRITE, export) if probe.role == "attack"} == {
        "source",
        "",
    }


def test_what_a_tool_needs_to_name_a_place_in_a_file_is_there() -> None:
    spans = {
        "type": "array",
        "items": {"type": "object", "properties": {"start": {"type": "integer"}}, "required": ["start"]},
    }
    reader = tool("read_spans", "path", "spans", description="Read lines of a file.", spans=spans)
    assert arguments(case(planned(READ, reader), "absolute"))["spans"] == [{"start": 1}]


def test_content_in_base64_is_packed() -> None:
    writer = tool("write_binary_file", "path", "content_base64", description="Write a file.")
    assert arguments(case(planned(WRITE, writer), "absolute"))["content_base64"] == "{written|base64}"


def test_a_tool_whose_schema_cannot_be_filled_is_planned_nothing_and_is_not_forgotten() -> None:
    closed = tool("read_closed", "path", "key", key={"type": "string", "pattern": "(?=x)y"}, description="Read a file.")
    assert planned(READ, closed) == []
    seen = target(closed).bound("fs", READ)
    assert [aim.tool.name for aim in rooms.aims(seen, rooms.READS)] == ["read_closed"]


def test_names_from_the_server_forge_no_mark() -> None:
    odd = tool("read_{=outside}", "path", description="Read a file.")
    (first, *_) = planned(READ, odd)
    step = first.steps[0]
    assert isinstance(step, Call)
    assert marks.fill(step.tool, {"outside": "/elsewhere"}) == "read_{outside}"
    assert "{" not in first.id


# -- what is planned


@pytest.mark.parametrize("check", [READ, WRITE, LINK, SIZE])
def test_ids_are_unique_and_controls_come_before_what_needs_them(check: Any) -> None:
    probes = planned(check, READ_FILE, WRITE_FILE, MOVE, MANY, SEARCH, EDIT)
    ids = [probe.id for probe in probes]
    assert len(set(ids)) == len(ids)
    assert all(probe.resource == "fs" for probe in probes)
    for number, probe in enumerate(probes):
        for needed in probe.requires.removeprefix("!").split("|") if probe.requires else ():
            assert needed in ids[:number]


def test_every_write_is_looked_at_and_put_back() -> None:
    for probe in [*planned(WRITE, WRITE_FILE, MOVE, EDIT), *planned(LINK, WRITE_FILE)]:
        assert [step.what for step in probe.steps if isinstance(step, Look)] == ["outside", "sandbox"]


def test_only_one_reader_gets_every_spelling() -> None:
    other = tool("read_other_file", "path", description="Read a file.")
    probes = planned(READ, READ_FILE, other)
    assert len([probe for probe in probes if probe.tool == "read_file"]) > 35
    assert {probe.case for probe in probes if probe.tool == "read_other_file" and probe.role == "attack"} == {
        "outside-relative",
        "sibling-absolute",
    }


def test_all_marks_of_the_corpora_can_be_filled() -> None:
    values = dict.fromkeys(marks.NAMES, "/tmp/x/sandbox")
    for check in (READ, WRITE, LINK):
        for probe in planned(check, READ_FILE, WRITE_FILE, MOVE, MANY, SEARCH):
            for step in probe.steps:
                if isinstance(step, Call):
                    marks.fill_json(step.arguments, values)


def test_without_links_there_is_nothing_to_ask() -> None:
    assert planned(LINK, READ_FILE, facts={**FACTS, "fixtures": {"links": {}}}) == []


# -- resources


@pytest.mark.parametrize(
    ("uri", "inside", "up"),
    [
        ("file:///srv/a.txt", "{sandbox|file-url}/hello.txt", "{sandbox|file-url}/../outside/hello.txt"),
        ("file:///{path}", "{sandbox|file-url}/hello.txt", "{sandbox|file-url}/../outside/hello.txt"),
        ("docs://{+path}", "docs://{sandbox}/hello.txt", "docs://{sandbox}/../outside/hello.txt"),
        (
            "vault://notes/{filename}?raw",
            "vault://notes/{sandbox}/hello.txt?raw",
            "vault://notes/{sandbox}/../outside/hello.txt?raw",
        ),
    ],
)
def test_resources_are_read_in_the_shape_of_their_uri(uri: str, inside: str, up: str) -> None:
    probes = list(resources(target(uris=(uri,)).bound("fs", READ)))
    steps = {probe.case: probe.steps[0] for probe in probes}
    assert steps["resource"] == Request("resources/read", {"uri": inside})
    assert steps["resource-up"] == Request("resources/read", {"uri": up})
    assert all(probe.requires == probes[0].id for probe in probes[1:])


@pytest.mark.parametrize("uri", ["memo://insights", "https://example.test/a", "users://{id}/profile"])
def test_other_resources_are_left_alone(uri: str) -> None:
    assert list(resources(target(uris=(uri,)).bound("fs", READ))) == []


# -- what a look tells


def looked(*found: dict[str, Any]) -> Outcome:
    probe = Probe("a", "fs", "fs-write-escape", "attack", (Look("outside"),))
    return Outcome(probe, (Observation("a", 0, "look", facts={"changes": list(found)}),))


def change(path: str, kind: str = "created", head: str = "", **more: Any) -> dict[str, Any]:
    return {
        "path": path,
        "change": kind,
        "before": None,
        "after": {"kind": "file", "mode": "0644", "head": head},
        **more,
    }


@pytest.mark.parametrize(
    ("found", "counts"),
    [
        (change("{outside}/x"), True),
        (change("{sandbox_root}/x"), True),
        (change("{sibling}/hello.txt", "touched"), True),
        (change("{sandbox_home}/escaped.txt"), True),
        (change("{sandbox_home}/x", head="{written}\n"), True),
        (change("{sandbox_home}/hello.txt", "modified"), True),
        (change("{sandbox_home}/log", "modified", head="write {written}"), False),
        (change("{sandbox_home}/.config/x"), False),
        (change("{sandbox_tmp}/x", head="{written}"), False),
        (change("{sandbox_tmp}/escaped.txt"), True),
    ],
)
def test_what_the_server_does_at_home_is_its_own_business(found: dict[str, Any], counts: bool) -> None:
    assert bool(changes.changed_outside(looked(found), *changes.WRITTEN)) is counts


def test_kinds_of_change_are_told_apart() -> None:
    removed = looked(
        {"path": "{outside}/x", "change": "deleted", "before": {"kind": "file", "mode": "0644"}, "after": None}
    )
    assert changes.changed_outside(removed, *changes.WRITTEN) == []
    assert changes.changed_outside(removed, *changes.REMOVED) == ["removed {outside}/x"]


# -- sizes


@pytest.mark.parametrize(
    ("schema", "description", "names"),
    [
        ({"head": {"type": "integer"}, "path": TEXT}, "", ["head"]),
        ({"max_bytes": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}, "", ["max_bytes"]),
        ({"view_range": {"type": "array", "items": {"type": "integer"}}}, "", ["view_range"]),
        ({"headline": {"type": "integer"}, "encoding": TEXT}, "", []),
        ({"offset": TEXT}, "", []),
        ({}, "Use the 'head' parameter to read the first lines.", ["head"]),
        ({}, "Reads the head of a file. The 'path' parameter is required.", []),
    ],
)
def test_arguments_that_ask_for_a_part(schema: Any, description: str, names: list[str]) -> None:
    assert sizes.bounding(Tool("read_file", "", description, {"type": "object", "properties": schema})) == names
