"""Reading one line: what it is, what is wrong with it, and that nothing can break the reader."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealmark.wire import jsonrpc

CASES: list[tuple[bytes, str, tuple[str, ...]]] = [
    (b'{"jsonrpc":"2.0","id":1,"result":{}}', "response", ()),
    (b' {"jsonrpc":"2.0","id":"a","error":{"code":-1,"message":"no"}} \r', "response", ()),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping"}', "request", ()),
    (b'{"jsonrpc":"2.0","method":"notifications/x","params":{"a":[1]}}', "notification", ()),
    (b"", "invalid", ("blank",)),
    (b"  \r", "invalid", ("blank",)),
    (b"hello", "invalid", ("not-json",)),
    (b'{"jsonrpc":"2.0"', "invalid", ("not-json",)),
    (b'{"a":1} {"b":2}', "invalid", ("not-json",)),
    (b"17", "invalid", ("not-object",)),
    (b"null", "invalid", ("not-object",)),
    (b"[]", "batch", ("batch",)),
    (b'[{"jsonrpc":"2.0","id":1,"result":{}}]', "batch", ("batch",)),
    (b"{}", "invalid", ("missing-jsonrpc", "no-method")),
    (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"result":{}}', "response", ("bom",)),
    (b'{"jsonrpc":"2.0","id":1,"result":{"x":"\xff"}}', "response", ("invalid-utf8",)),
    (b"\xff\xfe", "invalid", ("invalid-utf8", "not-json")),
    (b'{"jsonrpc":"2.0","id":1,"id":2,"result":{}}', "response", ("duplicate-key",)),
    (b'{"jsonrpc":"2.0","id":1,"result":{"a":{"b":1,"b":1}}}', "response", ("duplicate-key",)),
    (b'{"jsonrpc":"2.0","id":1,"result":{"a":NaN,"b":-Infinity}}', "response", ("nan",)),
    (b'{"jsonrpc":"2.0","id":1,"result":{"a":1e999}}', "response", ("overflow",)),
    (b'{"jsonrpc":"2.0","id":1,"result":{"a":1e99}}', "response", ()),
    (b'{"jsonrpc":"2.0","id":1,"result":{"a":"\\ud800"}}', "response", ("lone-surrogate",)),
    (b'{"jsonrpc":"2.0","id":1,"result":{"\\udfff":1}}', "response", ("lone-surrogate",)),
    (b'{"jsonrpc":"2.0","id":1,"result":{"a":"\\ud83d\\ude00"}}', "response", ()),
    (b'{"jsonrpc":"2.0","id":1,"result":{"a":"\\\\ud800"}}', "response", ()),
    (b'{"id":1,"result":{}}', "response", ("missing-jsonrpc",)),
    (b'{"jsonrpc":"1.0","id":1,"result":{}}', "response", ("wrong-jsonrpc",)),
    (b'{"jsonrpc":2.0,"id":1,"result":{}}', "response", ("wrong-jsonrpc",)),
    (b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}', "response", ("id-null",)),
    (b'{"jsonrpc":"2.0","result":{}}', "response", ("no-id",)),
    (b'{"jsonrpc":"2.0","id":1.0,"result":{}}', "response", ("bad-id",)),
    (b'{"jsonrpc":"2.0","id":true,"result":{}}', "response", ("bad-id",)),
    (b'{"jsonrpc":"2.0","id":[1],"result":{}}', "response", ("bad-id",)),
    (b'{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}', "response", ("result-and-error",)),
    (b'{"jsonrpc":"2.0","id":1,"result":null}', "response", ("result-not-object",)),
    (b'{"jsonrpc":"2.0","id":1,"error":"no"}', "response", ("bad-error",)),
    (b'{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"no"}}', "response", ("bad-error",)),
    (b'{"jsonrpc":"2.0","id":1,"error":{"code":true,"message":"no"}}', "response", ("bad-error",)),
    (b'{"jsonrpc":"2.0","id":1,"method":7}', "invalid", ("bad-method",)),
    (b'{"jsonrpc":"2.0","id":1,"method":"a","params":3}', "request", ("bad-params",)),
    (b'{"jsonrpc":"2.0","id":null,"method":"a"}', "request", ("id-null",)),
    (b'{"jsonrpc":"2.0","id":1,"result":{"a":' + b"1" * 5000 + b"}}", "invalid", ("huge-number",)),
    (b"[" * 200_000 + b"]" * 200_000, "invalid", ("too-deep",)),
    (b'{"a":' * 200_000, "invalid", ("too-deep",)),
]


@pytest.mark.parametrize(("line", "kind", "flags"), CASES, ids=[repr(case[0][:60]) for case in CASES])
def test_a_line_is_named_and_its_defects_are_flagged(line: bytes, kind: str, flags: tuple[str, ...]) -> None:
    parsed = jsonrpc.parse(line)
    assert (parsed.kind, parsed.flags) == (kind, flags)


def test_every_flag_is_explained_and_reached() -> None:
    reached = {flag for line, _, _ in CASES for flag in jsonrpc.parse(line).flags}
    assert reached == set(jsonrpc.FLAGS)


def test_what_is_delivered_can_be_written_again() -> None:
    for line, _, _ in CASES:
        parsed = jsonrpc.parse(line)
        json.dumps(parsed.value, ensure_ascii=False).encode("utf-8")


def test_the_last_of_two_equal_keys_counts_and_bad_bytes_become_replacements() -> None:
    assert jsonrpc.parse(b'{"jsonrpc":"2.0","id":1,"id":2,"result":{}}').message["id"] == 2
    assert jsonrpc.parse(b'{"a":"\xff"}').value == {"a": "\ufffd"}
    assert math.isnan(jsonrpc.parse(b'{"a":NaN}').value["a"])


@given(st.binary(max_size=300))
def test_no_bytes_break_the_reader(line: bytes) -> None:
    parsed = jsonrpc.parse(line)
    assert set(parsed.flags) <= set(jsonrpc.FLAGS)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(), children, max_size=3),
)


@given(JSON)
def test_a_request_survives_writing_and_reading(params: Any) -> None:
    message = jsonrpc.request("m", params, id=1)
    line = jsonrpc.encode(message)
    assert b"\n" not in line
    parsed = jsonrpc.parse(line)
    assert parsed.kind == "request"
    assert parsed.value == message


def test_a_lone_surrogate_can_be_sent_and_too_deep_a_message_is_refused() -> None:
    assert jsonrpc.encode({"a": "\ud800"}) == b'{"a":"\\ud800"}'
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ValueError, match="too deeply"):
        jsonrpc.encode(deep)
    while deep:  # freed level by level, since the interpreter would recurse
        deep = deep[0]


def test_ids_of_different_types_are_different() -> None:
    values: list[Any] = [3, "3", 3.0, True, 1, "1", None, [3], {}, 10**5000]
    keys = [jsonrpc.id_key(value) for value in values]
    assert keys[0] == ("int", "3")
    known = [key for key in keys if key is not None]
    assert len(known) == 4
    assert len(set(known)) == 4


def test_messages_have_the_members_of_json_rpc() -> None:
    assert jsonrpc.request("m", id=1) == {"jsonrpc": "2.0", "id": 1, "method": "m"}
    assert jsonrpc.notification("n", {"a": 1}) == {"jsonrpc": "2.0", "method": "n", "params": {"a": 1}}
    assert jsonrpc.result_reply("x", {}) == {"jsonrpc": "2.0", "id": "x", "result": {}}
    assert jsonrpc.error_reply(2, -32601, "no") == {
        "jsonrpc": "2.0",
        "id": 2,
        "error": {"code": -32601, "message": "no"},
    }
