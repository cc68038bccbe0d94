"""What tools are taken for: listings of real servers, invented ones, and overrides."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sealmark.surface.classify import classify, override_problem
from sealmark.surface.consent import closed_world, destructive, no_arguments, read_only, task_only
from sealmark.surface.leaves import leaves, words
from sealmark.surface.surface import tool

LISTINGS = sorted((Path(__file__).parent / "data" / "tools").glob("*.json"))
ROWS = [(path.stem, row) for path in LISTINGS for row in json.loads(path.read_text("utf-8"))]


def made(name, description="", required=(), /, **properties):
    return tool(
        {
            "name": name,
            "description": description,
            "inputSchema": {"type": "object", "properties": properties, "required": list(required)},
        }
    )


def taken(name, description="", required=(), /, **properties):
    return classify(made(name, description, required, **properties))


def uses(found):
    return [f"{use.pointer} {use.cls} {use.use}" for use in found.uses]


TEXT = {"type": "string"}


@pytest.mark.parametrize(("server", "row"), ROWS, ids=[f"{server}-{row['tool']['name']}" for server, row in ROWS])
def test_listing(server, row):
    found = classify(tool(row["tool"]))
    expected = (row["cls"], row.get("secondary", ""), row["confidence"], row["uses"])
    assert (found.cls, found.secondary, found.confidence, uses(found)) == expected


def test_the_table_holds_every_class_and_enough_servers():
    assert len(LISTINGS) >= 15
    assert {row["cls"] for _, row in ROWS} == {"path", "url", "command", "sql", "git", "text", "opaque"}


def test_reasons_are_words_and_name_the_argument():
    found = taken("read_file", file_path=TEXT)
    assert "file_path" in found.why
    assert "a file path" in found.why


def test_names_are_shown_safely():
    found = taken("read_file", **{"\x1b[31mfile_path": TEXT})
    assert "\x1b" not in found.why


@pytest.mark.parametrize("name", ["filePath", "file_path", "file-path", "FilePath", "filepath", "FILE_PATH"])
def test_every_way_of_writing_a_name(name):
    found = taken("load", **{name: TEXT})
    assert (found.cls, found.confidence) == ("path", "high" if found.confidence == "high" else "medium")


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["string", "null"]},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        {"oneOf": [{"type": "null"}, {"type": "string"}]},
        {"allOf": [{"type": "string"}, {"minLength": 1}]},
        {},
    ],
)
def test_every_way_of_typing_a_text(schema):
    assert taken("read_file", path=schema).cls == "path"


def test_references_and_nesting():
    raw = {
        "name": "read_files",
        "inputSchema": {
            "type": "object",
            "properties": {"request": {"$ref": "#/$defs/Request"}},
            "$defs": {
                "Request": {"properties": {"files": {"type": "array", "items": {"$ref": "#/$defs/File"}}}},
                "File": {"type": "object", "properties": {"path": TEXT}},
            },
        },
    }
    assert uses(classify(tool(raw))) == ["request/files/0/path path read"]


def test_a_choice_of_fixed_values_is_no_path_and_no_command():
    assert taken("view", command={"type": "string", "enum": ["view", "create"]}).cls == "opaque"
    assert taken("run_command", command={"const": "ls"}).cls == "opaque"


def test_numbers_and_flags_are_no_paths():
    assert taken("read_file", path={"type": "integer"}).cls == "opaque"


@pytest.mark.parametrize(
    ("description", "cls"),
    [
        ("JSONPath expression", "text"),
        ("URL path of the request", "text"),
        ("Filter by file path", "text"),
        ("Path to the file", "path"),
    ],
)
def test_what_a_description_says_of_a_path(description, cls):
    assert taken("lookup", path={"type": "string", "description": description}).cls == cls


def test_a_query_is_sql_only_where_something_says_so():
    assert taken("query", "Run a query", query=TEXT).cls == "text"
    assert taken("query", "Run a SQL query", query=TEXT).cls == "sql"
    assert (
        taken("search", "Search with GraphQL", query={"type": "string", "description": "GraphQL query"}).cls == "text"
    )


@pytest.mark.parametrize(
    ("name", "says", "use"),
    [
        ("execute", "Execute a SQL statement that modifies data (INSERT, UPDATE, DELETE)", "write"),
        ("run_update", "Run a SQL statement", "write"),
        ("execute", "Execute a SQL statement", "query"),
        ("query", "Run a SQL query. INSERT, UPDATE and DELETE are rejected.", "query"),
        ("query", "Run a read-only SQL query; it never modifies data", "query"),
    ],
)
def test_a_sql_tool_that_says_that_it_writes_is_a_writer(name, says, use):
    (found,) = (one for one in taken(name, says, sql=TEXT).uses if one.cls == "sql")
    assert found.use == use


def test_a_repository_of_a_hosting_service_is_no_local_one():
    hosted = taken("get_repo", "Get a repository from GitHub", owner=TEXT, repo=TEXT)
    local = taken("git_status", "Show the status", repo_path=TEXT)
    assert (hosted.cls, local.cls) == ("text", "git")


def test_a_schema_that_says_nothing_is_guessed_with_care():
    raw = {
        "name": "read_file",
        "description": "Read a file.",
        "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#"},
    }
    guessed = classify(tool(raw))
    assert (guessed.cls, guessed.confidence, uses(guessed)) == ("path", "medium", ["path path read"])
    assert "declares no arguments" in guessed.why
    assert classify(tool({**raw, "inputSchema": {"type": "object", "properties": {}}})).cls == "opaque"
    assert classify(tool({**raw, "inputSchema": {"type": "object"}})).cls == "opaque"
    assert classify(tool({**raw, "name": "read_graph", "description": "Read the graph."})).cls == "opaque"


def test_overrides():
    plain = made("legacy", "Does things", name=TEXT, other=TEXT)
    found = classify(plain, {"class": "path", "params": {"path": "name"}})
    assert (found.cls, found.confidence, found.overridden, uses(found)) == ("path", "high", True, ["name path read"])
    found = classify(made("read_file", path=TEXT), {"class": "opaque"})
    assert (found.cls, found.uses, found.overridden) == ("opaque", (), True)


def test_an_override_needs_no_params_where_one_argument_is_likely():
    assert uses(classify(made("x", url=TEXT, name=TEXT), {"class": "url"})) == ["url url fetch"]
    assert uses(classify(made("x", name=TEXT), {"class": "url"})) == ["name url fetch"]
    assert uses(
        classify(made("x", names={"type": "array", "items": TEXT}), {"class": "path", "params": {"path": "names"}})
    ) == ["names/0 path read"]


@pytest.mark.parametrize(
    ("override", "words_of_it"),
    [
        ({"class": "path"}, "params: {path: NAME}"),
        ({"class": "git", "params": {"git": "nope"}}, "'nope'"),
        ({"class": "nonsense"}, "class must be one of"),
        ({}, "class must be one of"),
    ],
)
def test_overrides_that_cannot_be_used(override, words_of_it):
    ambiguous = made("legacy", "Does things", first=TEXT, second=TEXT)
    problem = override_problem(ambiguous, override)
    assert problem is not None
    assert words_of_it in problem
    assert classify(ambiguous, override) == classify(ambiguous)


@pytest.mark.parametrize("override", [{"class": "opaque"}, {"class": "path", "params": {"path": "first"}}])
def test_overrides_that_can_be_used(override):
    assert override_problem(made("legacy", "", first=TEXT, second=TEXT), override) is None


def test_words_of_identifiers():
    assert words("readTextFile") == words("read_text-file") == ("read", "text", "file")
    assert words("getHTTPResponse2") == ("get", "http", "response", "2")
    assert words("filepath") == ("file", "path")


def test_leaves_are_bounded():
    wide = {"type": "object", "properties": {f"p{n}": TEXT for n in range(2_000)}}
    assert len(leaves(wide)) <= 200
    loop = {"type": "object", "properties": {"a": {"$ref": "#"}}}
    assert leaves(loop) == ()


def test_claims():
    shy = tool(
        {
            "name": "a",
            "annotations": {"readOnlyHint": True, "openWorldHint": False},
            "execution": {"taskSupport": "required"},
        }
    )
    bare = tool({"name": "b", "inputSchema": {"type": "object", "properties": {}}})
    assert (read_only(shy), destructive(shy), closed_world(shy), task_only(shy)) == (True, False, True, True)
    assert (read_only(bare), destructive(bare), closed_world(bare), task_only(bare)) == (False, True, False, False)
    assert no_arguments(bare)
    assert not no_arguments(made("c", x=TEXT))
    assert not no_arguments(tool({"name": "d", "inputSchema": {}}))


KEYS = st.sampled_from("type properties items anyOf allOf $ref enum path url sql description format".split())
VALUES = st.sampled_from(["string", "object", "array", "#", "#/properties/path", "path", "uri", "Path to the file"])
SCHEMAS = st.recursive(
    VALUES | st.none() | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=15,
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(), st.text(), SCHEMAS, st.dictionaries(KEYS, VALUES))
def test_classify_never_raises(name, description, schema, override):
    raw = tool({"name": name, "description": description, "inputSchema": schema})
    classify(raw)
    classify(raw, override)
    override_problem(raw, override)
    no_arguments(raw)
