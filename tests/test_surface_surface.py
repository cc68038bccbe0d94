"""The surface, from whatever a server answered."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from sealmark.record.model import Resource
from sealmark.surface.surface import MAX_DESCRIPTION, build_surface, canonical, prompt, resource, tool

OPENED = {
    "protocolVersion": "2025-11-25",
    "serverInfo": {"name": "s", "title": "S", "version": "1"},
    "capabilities": {"tools": {}},
    "instructions": "hello",
}


def test_a_plain_surface():
    listings = {
        "tools/list": {"items": [{"name": "t", "inputSchema": {"type": "object"}}], "pages": 2, "stopped_by": ""},
        "resources/list": {"items": [{"uri": "a://b", "name": "n", "mimeType": "text/plain"}], "pages": 1},
        "resources/templates/list": {"items": [{"uriTemplate": "a://{x}", "name": "n"}], "pages": 1},
        "prompts/list": {"items": [{"name": "p", "arguments": [{"name": "x", "required": True}]}], "pages": 1},
    }
    surface = build_surface(OPENED, listings)
    assert (surface.server_name, surface.server_title, surface.server_version) == ("s", "S", "1")
    assert (surface.protocol_version, surface.instructions, surface.era) == ("2025-11-25", "hello", "legacy")
    assert [item.uri for item in surface.resources] == ["a://b", "a://{x}"]
    assert [item.template for item in surface.resources] == [False, True]
    assert surface.prompts[0].arguments[0].required
    assert surface.listings[0].pages == 2
    assert surface.cut == ()


def test_a_modern_server_names_itself_in_meta():
    opened = {"_meta": {"io.modelcontextprotocol/serverInfo": {"name": "m"}}, "capabilities": {}}
    surface = build_surface(opened, {}, era="modern", protocol_version="2026-07-28")
    assert (surface.server_name, surface.era, surface.protocol_version) == ("m", "modern", "2026-07-28")


def test_unknown_keys_of_a_tool_are_kept():
    assert tool({"name": "t", "execution": {"taskSupport": "required"}}).extra == {
        "execution": {"taskSupport": "required"}
    }


def test_a_tool_without_a_usable_name_is_kept():
    assert (tool({"name": 7}).name, tool({"name": 7}).extra) == ("", {"name": 7})
    assert tool({}).name == ""
    assert (tool("words").name, tool("words").extra) == ("", {"item": "words"})


def test_wrong_types_do_not_hide():
    found = tool({"name": "t", "description": ["x"], "annotations": "y", "title": 5})
    assert found.extra == {"description": ["x"], "annotations": "y", "title": 5}
    assert (found.description, found.annotations) == ("", {})


def test_what_is_too_large_is_cut_and_named():
    raw = {
        "name": "t",
        "description": "d" * 20_000,
        "inputSchema": {"x": "y" * 70_000},
        "outputSchema": {"type": "object"},
    }
    found = tool(raw)
    assert found.input_schema is None
    assert found.output_schema == {"type": "object"}
    assert len(found.description) == MAX_DESCRIPTION
    assert found.cut == ("description", "inputSchema")
    assert tool({"name": "t", "more": "m" * 9_000}).cut == ("extra",)


def test_deep_schemas_are_cut():
    deep = {}
    for _ in range(300):
        deep = {"properties": deep}
    assert tool({"name": "t", "inputSchema": deep}).cut == ("inputSchema",)


def test_the_hash_covers_everything_and_no_order():
    one = tool({"name": "t", "description": "d", "x": 1})
    assert one.sha256 == tool({"x": 1, "description": "d", "name": "t"}).sha256
    assert one.sha256 != tool({"name": "t", "description": "D", "x": 1}).sha256
    large = {"name": "t", "inputSchema": {"x": "y" * 70_000}}
    assert tool(large).sha256 != tool({**large, "inputSchema": {"x": "z" * 70_000}}).sha256


def test_canonical_json_is_json_for_ordinary_values():
    value = {"b": [1, None, True, 1.5], "a": "\u00fc\ud800"}
    assert json.loads(canonical(value)) == value
    assert canonical(value) == canonical(dict(reversed(value.items())))


def test_canonical_json_of_what_json_cannot_hold():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    for value in (deep, 10**5_000, {1: 2}, {"a": {1, 2}}, float("nan"), b"x"):
        assert canonical(value) == canonical(value)


def test_listings_that_are_too_long_are_bounded_and_say_so():
    surface = build_surface(OPENED, {"tools/list": {"items": [{"name": "t"}] * 6_000, "pages": 1}})
    assert len(surface.tools) == 5_000
    assert surface.listings[0].items == 6_000
    assert surface.listings[0].stopped_by == "more than 5000 items"


def test_large_words_of_the_server_are_named():
    surface = build_surface({**OPENED, "instructions": "i" * 100_000, "serverInfo": {"x": "y" * 20_000}}, {})
    assert set(surface.cut) == {"instructions", "serverInfo"}


def test_anything_else_is_taken_as_empty():
    assert resource(None) == Resource(uri="")
    assert prompt({"arguments": [5, {"name": 1}]}).arguments[0].name == ""


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@settings(max_examples=60, deadline=None)
@given(JSON, JSON)
def test_never_raises(opened, item):
    listing = {
        "items": [item, {"name": item, "inputSchema": item, "annotations": item}],
        "pages": item,
        "stopped_by": item,
    }
    for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
        build_surface(opened, {method: listing})
        build_surface({"serverInfo": opened, "instructions": opened}, {method: item})


def test_capabilities_that_are_too_large_keep_their_names():
    """A server that puts its schemas there still declares tools."""
    opened = {"serverInfo": {"name": "s"}, "capabilities": {"tools": {"schemas": "x" * 40_000}, "logging": {}}}
    surface = build_surface(opened, {}, era="legacy", protocol_version="2025-06-18")
    assert set(surface.capabilities) == {"tools", "logging"}
    assert "capabilities" in surface.cut
