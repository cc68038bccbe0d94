"""A saved listing of any tool becomes a record: a drift baseline, and metadata to judge."""

from __future__ import annotations

import json

import pytest

from sealmark.compare.diff import against, diff
from sealmark.compare.listing import is_listing, read_listing
from sealmark.errors import RecordError
from sealmark.record.codec import dump, load
from tests import runs

TOOLS = [
    {"name": "read_file", "description": "Reads {sandbox}", "inputSchema": runs.SCHEMA_OF_READ},
    {"name": "write_file"},
]
SHAPES = {
    "a result": {"tools": TOOLS},
    "a message": {"jsonrpc": "2.0", "id": 1, "result": {"tools": TOOLS}},
    "an array": TOOLS,
    "with more": {"tools": TOOLS, "prompts": [{"name": "p"}], "serverInfo": {"name": "s", "version": "1"}},
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_every_shape_gives_the_tools(shape):
    data = json.dumps(shape).encode()
    assert is_listing(data)
    record = read_listing(data, "saved")
    assert [tool.name for tool in record.gathered.surface.tools] == ["read_file", "write_file"]
    assert record.gathered.surface.tools[0].description == "Reads {=sandbox}"
    assert record.judgement is None
    assert load(dump(record)) == record
    assert record.gathered.observations[0].facts["items"] == 2


def test_more_than_tools_is_kept():
    record = read_listing(json.dumps(SHAPES["with more"]).encode(), "saved")
    assert record.gathered.server.name == "s"
    assert [prompt.name for prompt in record.gathered.surface.prompts] == ["p"]
    assert [probe.case for probe in record.gathered.probes] == ["tools", "prompts"]


@pytest.mark.parametrize("data", [b"{", b"[1", b"\xff", b"{}", b'{"tools": 1}', b"null", b'"x"'])
def test_anything_else_is_refused(data):
    assert not is_listing(data)
    with pytest.raises(RecordError) as caught:
        read_listing(data, "saved.json")
    assert "saved.json" in caught.value.message


def test_a_record_is_not_taken_for_a_listing():
    assert not is_listing(dump(runs.clean()))


def test_odd_items_do_not_break_it():
    record = read_listing(json.dumps({"tools": [1, None, {"name": 5}, {"name": "a"}]}).encode())
    assert len(record.gathered.surface.tools) == 4


def test_it_is_a_drift_baseline_whatever_its_name():
    listing = read_listing(json.dumps(TOOLS[:1]).encode(), "saved")
    (found,) = against([listing], [runs.clean()])
    assert "tool write_file added" in [drift.line for drift in found.drift]
    assert found.regressions == ()
    assert diff(listing, listing).drift == ()
