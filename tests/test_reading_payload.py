"""Fields at any depth, rows in any spelling, error codes and texts: what a reply holds of what is expected of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sealmark.reading.payload import has_code, has_field, has_text, payload_of, read_sought, row_count


def text(value: Any, *, error: bool = False) -> dict[str, Any]:
    written = value if isinstance(value, str) else json.dumps(value)
    result: dict[str, Any] = {"content": [{"type": "text", "text": written}]}
    return {"jsonrpc": "2.0", "id": 1, "result": {**result, **({"isError": True} if error else {})}}


def structured(value: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "result": {"content": [], "structuredContent": value}}


def failed(code: int, message: str, data: Any = None) -> dict[str, Any]:
    error = {"code": code, "message": message, **({} if data is None else {"data": data})}
    return {"jsonrpc": "2.0", "id": 1, "error": error}


@pytest.mark.parametrize(
    ("message", "name", "held"),
    [
        (text({"source": "a"}), "source", True),
        (text({"meta": {"page": {"freshness": 1}}}), "freshness", True),
        (text({"rows": [{"a": 1}, {"b": {"deep": None}}]}), "deep", True),
        (text([{"limit": 1}]), "limit", True),
        (structured({"meta": {"rowCount": 0}}), "rowCount", True),
        ({"result": {"content": [{"type": "json", "json": {"inner": {"source": 1}}}]}}, "source", True),
        ({"result": {"content": [{"type": "x", "data": {"source": 1}}]}}, "source", True),
        (
            {"result": {"content": [{"type": "resource", "resource": {"uri": "a:b", "text": '{"source": 1}'}}]}},
            "source",
            True,
        ),
        (failed(-32000, "no", {"requestId": "x"}), "requestId", True),
        (text({"Source": 1}), "source", False),
        (text("the source is known"), "source", False),
        (text({"a": "source"}), "source", False),
        (text('{"source": 1'), "source", False),
    ],
)  # fmt: skip
def test_a_required_field_may_stand_anywhere_and_must_be_a_field(message: Any, name: str, held: bool) -> None:
    assert has_field(payload_of(message), name) is held


@pytest.mark.parametrize(
    ("message", "rows"),
    [
        (text({"rowCount": 3}), 3),
        (text({"rowCount": "12"}), 12),
        (text({"meta": {"rowsReturned": 7}}), 7),
        (text({"row_count": 4}), 4),
        (text({"rowsReturned": 9, "meta": {"rowCount": 2}}), 2),
        (text({"rowCount": 2, "rows": [1, 2, 3]}), 2),
        (text({"rows": [1, 2, 3]}), 3),
        (text({"data": [{"a": 1}]}), 1),
        (text({"result": {"items": []}}), 0),
        (text({"records": [[1], [2]]}), 2),
        (text({"rows": None, "data": [1, 2]}), 2),
        (structured({"page": {"records": [1, 2, 3, 4]}}), 4),
        (text([{"a": 1}, {"a": 2}]), 2),
        (text("a | b\n--+--\n1 | 2\n3 | 4"), 2),
        (text("5 rows returned"), 5),
        (text({"rowCount": True}), None),
        (text({"rowCount": "many"}), None),
        (text("done"), None),
    ],
)
def test_rows_are_counted_in_every_spelling_and_never_guessed(message: Any, rows: int | None) -> None:
    assert row_count(payload_of(message), message) == rows


@pytest.mark.parametrize(
    ("message", "code", "held"),
    [
        (text({"error": {"code": "WRITE_NOT_ALLOWED"}}, error=True), "WRITE_NOT_ALLOWED", True),
        (text("Error: write_not_allowed", error=True), "WRITE_NOT_ALLOWED", True),
        (failed(-32001, "no", {"code": "E_SCOPE"}), "E_SCOPE", True),
        (failed(-32602, "bad"), -32602, True),
        (text("401 Unauthorized", error=True), 401, True),
        (text("HTTP 403: Forbidden", error=True), 403, True),
        (text("status=401.", error=True), 401, True),
        (text("took 14015 ms", error=True), 401, False),
        (text("version 2.401", error=True), 401, False),
        (text({"error": {"code": "READ_ONLY"}}, error=True), "WRITE_NOT_ALLOWED", False),
    ],
)
def test_an_error_code_is_a_word_or_a_number_by_itself(message: Any, code: Any, held: bool) -> None:
    assert has_code(payload_of(message), code) is held


def test_texts_are_looked_for_in_any_case_and_in_every_part() -> None:
    payload = payload_of(text({"Message": "The DATABASE_URL is set"}))
    assert has_text(payload, "database_url")
    assert not has_text(payload, "stack")
    assert not has_text(payload, "content")
    assert has_text(payload_of(failed(1, "boom", {"stack": "at main.js:1"})), "STACK")


def test_what_is_sought_is_read_from_the_whole_of_a_large_reply() -> None:
    large = text({"rows": [{"n": n, "name": "x" * 20} for n in range(40_000)], "meta": {"freshness": "now"}})
    found = read_sought(large, {"fields": ["freshness", "lost"], "contains": ["NOW"], "rows": True, "codes": [99999]})
    assert found == {"fields": [True, False], "contains": [True], "rows": 40_000, "codes": [False]}
