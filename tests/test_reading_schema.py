"""Validation that a hostile schema cannot turn against the harness."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from sealmark.reading.schema import is_multiple, problems, refuses


def rejects(schema, value):
    return refuses(problems(schema, value))


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "object", "required": ["a"]}, {"a": 1}, {}),
        ({"type": "string", "maxLength": 2}, "ab", "abc"),
        ({"enum": ["a", 1]}, 1, "b"),
        ({"type": ["string", "null"]}, None, 1),
        ({"$ref": "#/$defs/x", "$defs": {"x": {"type": "integer"}}}, 1, "1"),
        ({"anyOf": [{"type": "integer"}, {"minLength": 3}]}, "abc", "ab"),
        ({"prefixItems": [{"type": "integer"}], "items": False}, [1], [1, 2]),
        ({"properties": {"a": {}}, "additionalProperties": False}, {"a": 1}, {"b": 1}),
        ({"uniqueItems": True}, [1, "1", 2], [{"a": 1, "b": 2}, {"b": 2, "a": 1}]),
        ({"multipleOf": 0.1}, 0.3, 0.35),
        ({"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 1, "exclusiveMinimum": True}, 2, 1),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}]}, ["a"], [1]),
        (True, 1, None),
    ],
)
def test_good_and_bad(schema, good, bad):
    assert problems(schema, good) == ()
    if schema is not True:
        assert rejects(schema, bad)


def test_nothing_fits_false():
    assert rejects(False, 1)


def test_a_problem_names_its_place():
    schema = {"properties": {"a": {"items": {"type": "integer"}}}}
    assert problems(schema, {"a": [1, "x"]}) == ("a/1: 'x' is not of type 'integer'",)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"pattern": "(a+)+$"}, "a" * 5_000 + "b"),
        (
            {"patternProperties": {"(a+)+$": {"type": "integer"}}, "additionalProperties": False},
            {"a" * 5_000 + "b": "x"},
        ),
        ({"propertyNames": {"pattern": "^(a+)+$"}}, {"a" * 5_000 + "b": 1}),
        ({"patternProperties": {"(a+)+$": {}}, "unevaluatedProperties": False}, {"a" * 5_000 + "b": 1}),
    ],
)
def test_regular_expressions_are_never_executed(schema, value):
    found = problems(schema, value)
    assert found
    assert not refuses(found)
    assert all(line.startswith("unchecked: ") for line in found)


@pytest.mark.parametrize(
    "reference", ["https://example.com/schema.json", "file:///etc/passwd", "#/nowhere", "other.json"]
)
def test_references_never_leave_the_document(reference):
    assert problems({"$ref": reference}, 1) == ("unchecked: a reference that leads out of the document or nowhere",)


def test_recursion_and_branching_are_bounded():
    assert problems({"$ref": "#"}, 1)[0].startswith("unchecked: ")
    branching = {
        "$defs": {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)},
        "$ref": "#/$defs/d0",
    }
    branching["$defs"]["d40"] = {"type": "null"}
    assert problems(branching, 1) == ("unchecked: too many steps",)


def test_threads_do_not_count_each_other():
    schema = {"items": {"type": "integer", "minimum": 0}}
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: problems(schema, [1] * 1_000), range(40)))
    assert found == {()}


def test_sizes_are_bounded():
    deep = []
    for _ in range(500):
        deep = [deep]
    assert problems({"type": "array"}, deep) == ("unchecked: the value is too large or too deep",)
    assert problems({"type": "array"}, [0] * 50_000) == ("unchecked: the value is too large or too deep",)
    assert problems({"a": deep}, 1) == ("unchecked: the schema is too large or too deep",)


@pytest.mark.parametrize(
    "schema",
    [
        5,
        {"type": "nonsense"},
        {"type": {"a": 1}},
        {"properties": []},
        {"required": 7},
        {"items": "x"},
        {"minimum": "a"},
        {"multipleOf": 0},
        {"multipleOf": 1e-320},
        {"$schema": "urn:unknown", "type": "string"},
        {"$schema": 5},
        {"$id": "::not a uri::", "$ref": "#"},
        {"$dynamicRef": "#x"},
        {"enum": 5},
    ],
)
def test_a_schema_that_is_none_never_raises(schema):
    for value in (1, "x", [1], {"a": 1}, None, 1e308, True):
        assert isinstance(problems(schema, value), tuple)


def test_messages_are_bounded_and_visible():
    (line,) = problems({"type": "integer"}, "\x1b[31m" + "x" * 10_000)
    assert len(line) <= 240
    assert "\x1b" not in line


def test_multiples_are_exact():
    assert is_multiple(0.3, 0.1)
    assert is_multiple(10**30, 7) == (10**30 % 7 == 0)
    assert not is_multiple(0.35, 0.1)
