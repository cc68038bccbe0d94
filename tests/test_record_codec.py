"""The codec: stable bytes, and one clear error for anything that is not a record of this build or an older one."""

import gzip
import json

import pytest

from sealmark.errors import RecordError
from sealmark.record.codec import MAX_BYTES, dump, json_schema, load, load_many
from sealmark.record.model import SCHEMA, Call, Gathered, Open, Probe, RunRecord, ServerFacts


def record(**more):
    probe = Probe(id="a", pack="core", check="c", role="fact", steps=(Open(), Call(tool="t", arguments={"x": [1]})))
    gathered = Gathered(server=ServerFacts(name="s"), probes=(probe,))
    return RunRecord(
        schema=SCHEMA, tool_version="0", started_at="t", duration_ms=1, status="complete", gathered=gathered, **more
    )


def test_a_record_survives_and_its_bytes_are_stable():
    data = dump(record())
    assert load(data) == record()
    assert dump(load(data)) == data
    assert data.endswith(b"}\n")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "cut short after 0 bytes"),
        (dump(record())[:-40], "cut short"),
        (b"hello", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[]", "not a run record"),
        (b"{}", "no schema number"),
        (b'{"schema": "1"}', "no schema number"),
        (b'{"schema": true}', "no schema number"),
        (b'{"schema": 99}', "newer than this build"),
        (b'{"schema": 1}', "toolVersion"),
        (dump(record()).replace(b'"complete"', b'"perfect"'), "status"),
        (dump(record()).replace(b'"toolVersion"', b'"grade": "A", "toolVersion"'), "grade"),
        (b'{"schema": 1, "x": ' + b"[" * 200_000, "nested deeper"),
        (b'{"schema": 1, "gathered": 7}', "toolVersion|gathered"),
    ],
)
def test_what_is_no_record_is_one_clear_error(data, says):
    with pytest.raises(RecordError, match=says) as caught:
        load(data, "run.json")
    assert str(caught.value).startswith("run.json: ")
    assert caught.value.exit_code == 2
    assert caught.value.hint


def test_several_runs_in_one_report():
    one = json.loads(dump(record()))
    assert load_many(json.dumps({"runs": [one, one]}).encode()) == (record(), record())
    assert load_many(dump(record())) == (record(),)
    one["status"] = "perfect"
    with pytest.raises(RecordError, match="run 2"):
        load_many(json.dumps({"runs": [json.loads(dump(record())), one]}).encode())


def test_the_schema_accepts_a_record_and_refuses_an_edited_one():
    import jsonschema

    schema = json_schema()
    document = json.loads(dump(record()))
    jsonschema.validate(document, schema)
    document["status"] = "perfect"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)


def test_a_gzipped_record_is_read_and_never_more_of_it_than_a_record_can_hold():
    packed = gzip.compress(dump(record()))
    assert load(packed) == record()
    assert load_many(packed) == (record(),)
    with pytest.raises(RecordError, match="more than a run record can have"):
        load(gzip.compress(b" " * (MAX_BYTES + 10)), "bomb.json.gz")
    with pytest.raises(RecordError, match=r"cut\.json\.gz: not a whole gzip file"):
        load(packed[:-20], "cut.json.gz")
