"""Shapes of results by revision, and names of tools."""

import pytest

from sealmark.reading.protocol import invalid_shape, name_problem

TEXT = {"type": "text", "text": "x"}
TOOL = {"name": "t", "inputSchema": {"type": "object"}}


@pytest.mark.parametrize(
    ("method", "version", "result"),
    [
        ("tools/call", "2025-11-25", {"content": [TEXT]}),
        ("tools/call", "2024-11-05", {"content": [TEXT], "isError": True}),
        ("tools/call", "2026-07-28", {"content": [TEXT], "resultType": "complete"}),
        ("tools/list", "2025-06-18", {"tools": [TOOL]}),
        ("tools/list", "2025-06-18", {"tools": [], "unknown": 1}),
        ("made/up", "2025-11-25", {"anything": 1}),
        ("tools/call", "1999-01-01", {"content": 5}),
    ],
)
def test_fine_or_no_rule(method, version, result):
    assert invalid_shape(method, version, result) == ""


@pytest.mark.parametrize(
    ("method", "version", "result", "words"),
    [
        ("tools/call", "2025-11-25", {}, "content"),
        ("tools/call", "2025-11-25", {"content": "x"}, "content"),
        ("tools/call", "2025-11-25", {"content": [{"type": "text"}]}, "content.0.text: Field required"),
        ("tools/call", "2025-11-25", {"content": [{"type": "image", "data": "eA=="}]}, "content.0.mimeType"),
        ("tools/call", "2025-11-25", {"content": [TEXT], "isError": "maybe"}, "isError"),
        ("tools/list", "2025-11-25", {"tools": [{"name": 1, "inputSchema": {"type": "object"}}]}, "tools.0.name"),
        ("tools/list", "2025-11-25", {"tools": [{"name": "t", "inputSchema": {}}]}, "tools.0.inputSchema.type"),
        ("tools/call", "2025-11-25", [], "an array, not an object"),
        ("tools/call", "2025-11-25", None, "null, not an object"),
    ],
)
def test_not_well_formed(method, version, result, words):
    assert words in invalid_shape(method, version, result)


def test_the_text_is_bounded_and_visible():
    text = invalid_shape("tools/call", "2025-11-25", {"content": [{"type": "text", "\x1b[31m" + "k" * 5_000: 1}]})
    assert 0 < len(text) <= 300
    assert text.isprintable()


@pytest.mark.parametrize("name", ["a", "read_file", "a.b-c_D9", "x" * 128])
def test_names_that_are_fine(name):
    assert name_problem(name) == ""


@pytest.mark.parametrize(
    ("name", "words"),
    [("", "empty"), (None, "not a string"), ("x" * 129, "129"), ("a b", "characters"), ("a/b", "characters")],
)
def test_names_that_are_not(name, words):
    assert words in name_problem(name)
