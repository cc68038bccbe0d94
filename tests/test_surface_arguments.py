"""Arguments that a schema accepts: what is filled, what is not, and what cannot be."""

import json

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sealmark.surface.arguments import CannotFill, Filled, fill

FORMATS = "date date-time time email uri uuid ipv4 ipv6 hostname uri-reference json-pointer regex duration".split()


def args(schema, values=None, **more):
    found = fill({"type": "object", **schema}, values, **more)
    assert isinstance(found, Filled), found
    return found.arguments


def value(schema, **defs):
    """What one required argument of this schema is filled with."""
    return args({"properties": {"x": schema}, "required": ["x"], **defs})["x"]


def cannot(schema, values=None):
    found = fill({"type": "object", **schema}, values)
    assert isinstance(found, CannotFill), found
    return found


def test_only_what_is_required_is_filled():
    schema = {"properties": {"a": {"type": "string"}, "b": {"type": "integer", "default": 3}}, "required": ["a"]}
    assert args(schema) == {"a": "sealmark"}
    assert args(schema, optional=["b"]) == {"a": "sealmark", "b": 3}
    assert args({"properties": {"a": {}}}) == {}
    assert args({}) == {}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, "sealmark"),
        ({"type": "string", "maxLength": 3}, "sea"),
        ({"type": "string", "minLength": 10}, "sealmarkaa"),
        ({"type": "string", "maxLength": 0}, ""),
        ({"type": "integer"}, 1),
        ({"type": "integer", "minimum": 5}, 5),
        ({"type": "integer", "exclusiveMinimum": 5}, 6),
        ({"type": "integer", "maximum": -3}, -3),
        ({"type": "integer", "exclusiveMaximum": 0}, -1),
        ({"type": "integer", "minimum": 3, "multipleOf": 5}, 5),
        ({"type": "integer", "maximum": -1, "multipleOf": 4}, -4),
        ({"type": "integer", "minimum": 0}, 0),
        ({"type": "integer", "minimum": 1.5}, 2),
        ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, 0.5),
        ({"type": "number", "multipleOf": 0.25, "minimum": 0.3}, 0.5),
        ({"type": "boolean"}, False),
        ({"type": "null"}, None),
        ({"type": ["null", "string"]}, "sealmark"),
        ({"type": "array"}, []),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 2}, [1, 1]),
        (
            {"type": "array", "items": {"type": "string"}, "minItems": 2, "uniqueItems": True},
            ["sealmark", "sealmark-1"],
        ),
        ({"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 2, "uniqueItems": True}, ["a", "b"]),
        ({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "boolean"}], "minItems": 2}, [1, False]),
        ({"type": "array", "contains": {"const": 5}}, [5]),
        ({"type": "object", "properties": {"a": {"type": "null"}}, "required": ["a"]}, {"a": None}),
        ({"type": "object", "minProperties": 1, "properties": {"a": {"type": "integer"}}}, {"a": 1}),
        ({"type": "object", "minProperties": 1}, {"sealmark0": "sealmark"}),
        ({"enum": ["a", "b"]}, "a"),
        ({"enum": [None, "b"]}, "b"),
        ({"const": {"k": 1}}, {"k": 1}),
        ({"type": "string", "default": "d"}, "d"),
        ({"type": "string", "default": 5}, "sealmark"),
        ({"type": "string", "default": "c", "enum": ["a", "b"]}, "a"),
        ({"type": "string", "examples": ["e"]}, "e"),
        ({"anyOf": [{"type": "null"}, {"type": "integer"}]}, 1),
        ({"oneOf": [{"type": "string", "maxLength": 2}, {"type": "integer"}]}, "se"),
        ({"allOf": [{"type": "integer", "minimum": 3}, {"maximum": 9, "minimum": 5}]}, 5),
        ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}], "type": "object"}, {"a": "sealmark"}),
        ({"type": "string", "pattern": "^[A-Z]{3}$"}, "EUR"),
        ({"type": "string", "pattern": "^[A-Z]{4}$"}, "AAAA"),
        ({"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}, "2026-01-02"),
        ({"type": "string", "pattern": "^x+$", "minLength": 3}, "xxx"),
        (True, "sealmark"),
        ({}, "sealmark"),
    ],
    ids=lambda item: json.dumps(item)[:50],
)
def test_values(schema, expected):
    assert value(schema) == expected


@pytest.mark.parametrize("name", FORMATS)
def test_formats(name):
    found = value({"type": "string", "format": name})
    assert jsonschema.Draft202012Validator.FORMAT_CHECKER.conforms(found, name)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("timezone", "UTC"),
        ("source_timezone", "UTC"),
        ("pageUrl", "https://example.com/"),
        ("time", "03:04"),
        ("title", "sealmark"),
    ],
)
def test_a_name_that_means_the_same_everywhere(name, expected):
    assert args({"properties": {name: {"type": "string"}}, "required": [name]}) == {name: expected}


def test_references():
    defs = {
        "$defs": {
            "A": {"type": "object", "properties": {"b": {"$ref": "#/$defs/B"}}, "required": ["b"]},
            "B": {"const": 7},
        }
    }
    assert value({"$ref": "#/$defs/A"}, **defs) == {"b": 7}
    assert value({"$ref": "#/definitions/x%20~1y"}, definitions={"x /y": {"const": 1}} | {"x%20/y": {"const": 2}}) == 1
    assert value({"$ref": "#here"}, **{"$defs": {"A": {"$anchor": "here", "const": 3}}}) == 3


def test_cycles_end():
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}}}
    assert value({"$ref": "#/$defs/N"}, **{"$defs": {"N": node}}) == {}
    endless = {"$defs": {"N": {**node, "required": ["next"]}}}
    assert (
        "nested deeper than 12"
        in cannot({"properties": {"x": {"$ref": "#/$defs/N"}}, "required": ["x"], **endless}).reason
    )
    circle = {"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}
    assert "reference" in cannot({"properties": {"x": {"$ref": "#/$defs/A"}}, "required": ["x"], **circle}).reason


def test_given_values():
    schema = {
        "properties": {
            "paths": {"type": "array", "items": {"type": "string"}},
            "edits": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"old": {"type": "string"}, "new": {"type": "string"}, "note": {"type": "string"}},
                    "required": ["old", "new"],
                },
            },
            "options": {
                "type": "object",
                "properties": {"a/b": {"type": "string"}, "n": {"type": "integer"}},
                "required": ["n"],
            },
        }
    }
    assert args(schema, {"paths/1": "{outside}/x"}) == {"paths": ["sealmark", "{outside}/x"]}
    assert args(schema, {"edits/0/old": "o"}) == {"edits": [{"old": "o", "new": "sealmark"}]}
    assert args(schema, {"options/a~1b": "v"}) == {"options": {"n": 1, "a/b": "v"}}
    assert args(schema, {"paths": []}) == {"paths": []}
    assert args({}, {"anything/deep/0": 1}) == {"anything": {"deep": [1]}}
    assert fill({"$schema": "http://json-schema.org/draft-07/schema#"}, {"path": "p"}) == Filled({"path": "p"})


def test_a_value_chooses_its_alternative():
    schema = {
        "properties": {
            "x": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"path": {"type": "string"}}}]}
        }
    }
    assert args(schema, {"x/path": "p"}) == {"x": {"path": "p"}}
    assert args(schema, {"x": "plain"}) == {"x": "plain"}


@pytest.mark.parametrize(
    ("schema", "values", "pointer"),
    [
        ({"properties": {"a": {"type": "integer"}}}, {"a": "text"}, "a"),
        ({"properties": {"a": {"enum": ["x"]}}}, {"a": "y"}, "a"),
        ({"properties": {"a": {"type": "string", "pattern": "^x$"}}}, {"a": "y"}, "a"),
        ({"properties": {"a": {"type": "string"}}}, {"a/b": "y"}, "a"),
        ({"properties": {"a": {}}, "additionalProperties": False}, {"b": "y"}, "b"),
        ({"properties": {"a": {"type": "array", "maxItems": 1}}}, {"a/1": "y"}, "a"),
    ],
)
def test_given_values_that_the_schema_refuses(schema, values, pointer):
    assert cannot(schema, values).pointer == pointer


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (False, "nothing is accepted"),
        ({"type": "string", "pattern": r"(?=x)y"}, "look-around"),
        ({"type": "string", "pattern": "^x$", "minLength": 2}, "pattern"),
        ({"type": "string", "minLength": 5, "maxLength": 2}, "contradict"),
        ({"type": "integer", "minimum": 5, "maximum": 4}, "bounds"),
        ({"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 2}, "bounds"),
        ({"type": "array", "minItems": 1_000}, "items"),
        ({"type": "nonsense"}, "unknown"),
        ({"$ref": "https://example.com/x"}, "reference"),
        ({"$ref": "#/nowhere"}, "reference"),
        ({"type": "string", "not": {"type": "string"}}, "does not accept"),
        ({"type": "object", "required": [f"p{n}" for n in range(600)]}, "512"),
        ({"anyOf": [{"type": "integer", "minimum": 2, "maximum": 1}, False]}, "bounds"),
    ],
    ids=lambda item: json.dumps(item)[:40],
)
def test_what_cannot_be_filled(schema, words):
    found = cannot({"properties": {"x": schema}, "required": ["x"]})
    assert words in found.reason
    assert found.pointer.startswith("x")


@pytest.mark.parametrize("schema", [None, [], "x", 5, True])
def test_a_schema_that_is_no_object(schema):
    assert isinstance(fill(schema), CannotFill)


def test_marks_are_checked_as_what_stands_in_for_them():
    path = {"properties": {"p": {"type": "string", "pattern": "^/", "minLength": 12}}}
    assert args(path, {"p": "{sandbox}/x"}) == {"p": "{sandbox}/x"}
    assert cannot(path, {"p": "{token}/x"}).pointer == "p"
    assert args({"properties": {"p": {"enum": ["{sandbox}/a"]}}}, {"p": "{sandbox}/a"}) == {"p": "{sandbox}/a"}
    assert (
        args({"properties": {"u": {"type": "string", "pattern": "^https?://"}}}, {"u": "{listener}/x"})["u"]
        == "{listener}/x"
    )
    default = {"properties": {"d": {"type": "string", "pattern": "^/", "default": "{sandbox}"}}, "required": ["d"]}
    assert args(default) == {"d": "{sandbox}"}
    assert (
        args({}, {"big": "{repeat:A:1048576}", "odd": "{repeat:A}", "bound": "{bind.id}"})["big"]
        == "{repeat:A:1048576}"
    )


def test_a_pattern_that_is_not_supported_is_noted_for_given_values():
    found = fill({"properties": {"a": {"type": "string", "pattern": r"(?=x)y"}}}, {"a": "z"})
    assert isinstance(found, Filled)
    assert found.notes == ("a: the pattern was not checked",)


def test_the_same_schema_gives_the_same_arguments():
    schema = {"properties": {name: {"type": "string"} for name in "dbca"}, "required": list("cabd")}
    assert json.dumps(args(schema)) == json.dumps(args(schema))
    assert list(args(schema)) == list("cabd")


def test_the_schema_is_left_as_it_is():
    schema = {"type": "object", "properties": {"x": {"default": {"a": [1]}}}, "required": ["x"]}
    before = json.dumps(schema)
    filled = args(schema)
    filled["x"]["a"].append(2)
    assert json.dumps(schema) == before


STRINGS = st.fixed_dictionaries(
    {"type": st.just("string")},
    optional={
        "minLength": st.integers(0, 12),
        "maxLength": st.integers(12, 40),
        "format": st.sampled_from(FORMATS),
        "pattern": st.sampled_from(["^[a-z]+$", "[0-9]", r"^\w{3,20}$", "^(a|bb)*$"]),
    },
)
NUMBERS = st.fixed_dictionaries(
    {"type": st.sampled_from(["integer", "number"])},
    optional={
        "minimum": st.integers(-50, 20),
        "maximum": st.integers(40, 90),
        "multipleOf": st.sampled_from([1, 2, 3, 5, 0.5]),
        "exclusiveMinimum": st.integers(-50, 20),
    },
)
LEAVES = (
    STRINGS
    | NUMBERS
    | st.sampled_from([{"type": "boolean"}, {"type": "null"}, {"enum": ["a", 2, None]}, {"const": [1]}, {}, True])
)


def objects(inner):
    return st.dictionaries(st.sampled_from("abcdef"), inner, max_size=4).flatmap(
        lambda properties: st.fixed_dictionaries(
            {
                "type": st.just("object"),
                "properties": st.just(properties),
                "required": st.lists(st.sampled_from(sorted(properties) or ["a"]), unique=True, max_size=4),
            },
            optional={"minProperties": st.integers(0, 3), "maxProperties": st.integers(6, 9)},
        )
    )


def arrays(inner):
    return st.fixed_dictionaries(
        {"type": st.just("array"), "items": inner},
        optional={"minItems": st.integers(0, 3), "maxItems": st.integers(3, 5)},
    )


def choices(inner):
    return st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)}) | st.fixed_dictionaries(
        {"allOf": st.tuples(inner).map(list)}
    )


SCHEMAS = st.recursive(LEAVES, lambda inner: objects(inner) | arrays(inner) | choices(inner), max_leaves=12)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(objects(SCHEMAS))
def test_what_is_filled_is_valid(schema):
    found = fill(schema)
    if isinstance(found, Filled):
        jsonschema.Draft202012Validator(schema).validate(found.arguments)
        assert set(found.arguments) >= set(schema["required"])


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(objects(LEAVES))
def test_plain_schemas_are_nearly_always_filled(schema):
    found = fill(schema)
    if isinstance(found, CannotFill):
        assert "pattern" in found.reason or "minProperties" in schema or "bounds" in found.reason, (schema, found)


KEYS = "type properties items required $ref anyOf allOf enum const default minimum multipleOf pattern minItems $defs"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS.split()), inner, max_size=4),
    max_leaves=15,
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(JSON, st.dictionaries(st.text(max_size=5), JSON, max_size=2))
def test_never_raises(schema, values):
    fill(schema, values)
    fill({"type": "object", "properties": {"x": schema}, "required": ["x"]}, optional=list(values))
