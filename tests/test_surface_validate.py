"""Arguments that a tool's own schema rejects, and schemas that are none."""

import json
from pathlib import Path

import jsonschema
import pytest

from sealmark.surface.surface import tool
from sealmark.surface.validate import invalid_cases, schema_problems

LISTINGS = sorted((Path(__file__).parent / "data" / "tools").glob("*.json"))
TOOLS = [row["tool"] for path in LISTINGS for row in json.loads(path.read_text("utf-8"))]


def cases(**schema):
    return {
        case.id: case.arguments
        for case in invalid_cases(tool({"name": "t", "inputSchema": {"type": "object", **schema}}))
    }


def test_missing_and_wrong_types():
    found = cases(properties={"a": {"type": "string"}, "b": {"type": "integer"}}, required=["a", "b"])
    assert set(found) == {f"{kind}:{name}" for kind in ("missing", "type", "null", "deep") for name in "ab"}
    assert found["missing:a"] == {"b": 1}
    assert found["type:a"] == {"a": {"sealmark": "sealmark"}, "b": 1}
    assert found["type:b"] == {"a": "sealmark", "b": "sealmark"}
    assert found["null:b"] == {"a": "sealmark", "b": None}


def test_nested_ones_and_enumerations():
    found = cases(
        properties={"a": {"type": "array", "items": {"type": "string"}}, "m": {"type": "string", "enum": ["x"]}}
    )
    assert found["nested:a/0"] == {"a": [{"sealmark": "sealmark"}]}
    assert found["enum:m"] == {"m": "sealmark-not-listed"}
    inner = {"type": "object", "properties": {"k": {"type": "boolean"}}, "required": ["k"]}
    assert cases(properties={"o": inner})["nested:o/k"] == {"o": {"k": "sealmark"}}


def test_nullable_alternatives_get_what_none_of_them_accepts():
    found = cases(properties={"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}})
    assert found == {"type:a": {"a": {"sealmark": "sealmark"}}}


@pytest.mark.parametrize("schema", [{}, {"properties": {}}, {"properties": {"a": {}}}, {"properties": {"a": True}}])
def test_a_schema_that_rejects_nothing_gives_no_case(schema):
    assert cases(**schema) == {}


def test_a_tool_that_cannot_be_filled_gives_no_case_but_what_is_missing():
    assert cases(properties={"a": {"$ref": "https://example.com/x"}}, required=["a"]) == {"missing:a": {}}
    assert invalid_cases(tool({"name": "t"})) == ()


def test_the_number_of_cases_is_bounded():
    many = {f"p{n}": {"type": "string"} for n in range(50)}
    assert len(cases(properties=many, required=list(many))) == 12


@pytest.mark.parametrize("raw", TOOLS, ids=lambda raw: raw["name"])
def test_every_case_is_rejected_by_the_schema_of_its_tool(raw):
    found = invalid_cases(tool(raw))
    assert len({case.id for case in found}) == len(found)
    for case in found:
        assert not jsonschema.Draft202012Validator(raw["inputSchema"]).is_valid(case.arguments), case


def test_most_real_tools_get_cases():
    with_arguments = [raw for raw in TOOLS if raw["inputSchema"].get("required")]
    assert all(invalid_cases(tool(raw)) for raw in with_arguments)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"type": "object", "properties": {"a": {"type": ["string", "null"]}}},
        {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "definitions": {}},
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "x-own": 1},
    ],
)
def test_schemas_that_are_fine(schema):
    assert schema_problems(schema) == ()


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (None, "not an object"),
        ([], "not an object"),
        ({}, 'type is not "object"'),
        ({"type": "string"}, 'type is not "object"'),
        ({"type": "object", "properties": []}, "properties"),
        ({"type": "object", "properties": {"a": {"type": "strin"}}}, "properties/a/type"),
        ({"type": "object", "required": "a"}, "required"),
        ({"$schema": "urn:made-up", "type": "object"}, "unknown"),
    ],
)
def test_schemas_that_are_not(schema, words):
    assert words in schema_problems(schema)[0]


def test_an_output_schema_may_be_of_any_type():
    assert schema_problems({"type": "array"}, output=True) == ()
    assert schema_problems({"type": "nonsense"}, output=True) != ()
