"""All readers over one reply."""

import json

import pytest

from sealmark.reading.reply import output_schema, read_reply
from sealmark.record.model import Tool

TOOL = Tool(name="t", output_schema={"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})


def read(result, **more):
    return read_reply(
        {"jsonrpc": "2.0", "id": 1, "result": result}, method="tools/call", protocol_version="2025-11-25", **more
    )


def text(words, **more):
    return {"content": [{"type": "text", "text": words}], **more}


def test_a_refusal():
    found = read(text("Access denied: '/srv/x' is outside the allowed directories", isError=True))
    assert (found.refusal, found.failure, found.shape, found.blocks) == ("rule", "", "content[text]", ("text",))
    assert found.invalid_shape == ""


def test_an_error_reply():
    found = read_reply({"id": 1, "error": {"code": -32602, "message": "Invalid arguments"}}, method="tools/call")
    assert (found.failure, found.shape, found.text) == ("validation", "error", "Invalid arguments")


def test_everything_kept_is_marked():
    def mark(words):
        return words.replace("/srv/secret-root", "{sandbox}")

    found = read(text("Error: '/srv/secret-root/a' is not allowed. ENOENT: '/srv/secret-root/b'"), mark=mark)
    assert "/srv/secret-root" not in json.dumps([found.text, found.refusal_words, found.failure_words])
    assert found.text_length == len(found.text)


def test_the_kept_text_is_bounded_and_its_length_is_of_the_whole():
    found = read(text("x" * 100_000))
    assert (len(found.text), found.text_length) == (300, 100_000)


def test_a_long_reply_that_is_no_error_is_content():
    words = "Access denied. " + "lorem ipsum " * 200
    assert read(text(words)).refusal == ""
    assert read(text(words, isError=True)).refusal == "plain"


def test_structured_text_is_read_when_there_is_no_other():
    assert read({"content": [], "structuredContent": {"error": "Only SELECT is allowed"}}).refusal == "rule"


def test_internals_and_secrets_are_found_in_any_part():
    trace = 'Traceback (most recent call last):\n  File "/app/a.py", line 1, in x'
    assert read({"content": [], "_meta": {"debug": trace}}).internals == ("trace:python", "source-path")
    assert read(
        {"content": [], "structuredContent": {"DB_PASSWORD": "x", "url": "postgres://a:r4Tq8z@b/c"}}
    ).secrets == ("connection-string",)


def test_rows():
    assert read(text('[{"a": 1}, {"a": 2}]')).rows == 2
    assert read(text("hello")).rows is None


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ({"content": [], "structuredContent": {"n": 1}}, "conforms"),
        ({"content": [], "structuredContent": {"n": "x"}}, "n: 'x' is not of type 'integer'"),
        ({"content": []}, "the result has no structuredContent"),
        ({"content": [], "isError": True}, ""),
        ({"resultType": "input_required"}, ""),
    ],
)
def test_output_schemas(result, said):
    assert read(result, tool=TOOL).output_schema == said


def test_a_tool_that_promises_nothing():
    assert output_schema(Tool(name="t"), {"structuredContent": 1}) == ""
    assert output_schema(None, {"structuredContent": 1}) == ""


def test_a_schema_that_cannot_be_checked_is_not_called_conforming():
    tool = Tool(name="t", output_schema={"$ref": "https://example.com/x"})
    assert output_schema(tool, {"structuredContent": {}}).startswith("unchecked: ")
    assert output_schema(Tool(name="t", output_schema={"pattern": "x"}), {"structuredContent": "y"}) == "conforms"


def test_result_types():
    message = {"id": 1, "result": {"resultType": "input_required", "inputRequests": {}}}
    assert read_reply(message, method="tools/call", protocol_version="2026-07-28").result_type == "input_required"
