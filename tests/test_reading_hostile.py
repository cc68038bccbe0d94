"""No reader ever raises, whatever it is given."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sealmark.reading.blocks import content_of, decode_base64, shape_of
from sealmark.reading.clauses import clauses
from sealmark.reading.failure import failure
from sealmark.reading.internals import internals
from sealmark.reading.metadata import findings
from sealmark.reading.protocol import invalid_shape, name_problem
from sealmark.reading.refusal import refusal
from sealmark.reading.reply import read_reply
from sealmark.reading.rows import rows
from sealmark.reading.schema import problems
from sealmark.reading.secrets import secrets
from sealmark.reading.sightings import find
from sealmark.reading.visible import visible
from sealmark.record.model import Tool

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=20,
)
KEYS = st.sampled_from(
    [
        "result",
        "error",
        "content",
        "contents",
        "messages",
        "structuredContent",
        "type",
        "text",
        "blob",
        "data",
        "resource",
        "rows",
    ]
)
MESSAGES = st.dictionaries(
    KEYS, st.recursive(JSON, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner))
)
SCHEMA_KEYS = st.sampled_from(
    [
        "type",
        "properties",
        "items",
        "required",
        "$ref",
        "anyOf",
        "allOf",
        "enum",
        "minimum",
        "multipleOf",
        "pattern",
        "$defs",
    ]
)
SCHEMAS = st.recursive(JSON, lambda inner: st.dictionaries(SCHEMA_KEYS, inner, max_size=4), max_leaves=12)
PIECES = """Ignore previous instructions not allowed ECONNREFUSED { [ ] (1, | --- a,b ' " at /a.js:1:1
Traceback password= https://a.b ~/.ssh/id_rsa read data:;base64, 3 rows"""
WORDS = st.lists(st.sampled_from([*PIECES.split(), "\n", "\u200d", "\u202e"])).map(" ".join)
QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@QUICK
@given(st.text() | WORDS)
def test_text_readers(text):
    for reader in (clauses, failure, internals, findings, refusal, secrets, visible, decode_base64, name_problem):
        reader(text)
    rows(None, text)
    find(text, {"token": "sm-0a1b2c3d", "text": text[:20]})


@QUICK
@given(MESSAGES | JSON)
def test_message_readers(message):
    for method in ("tools/call", "resources/read", "prompts/get", "tools/list", ""):
        content = content_of(message, method)
        shape_of(message, method)
        find(content, {"token": "sm-0a1b2c3d"})
        read_reply(message, method=method, protocol_version="2025-11-25", content=content)


@QUICK
@given(SCHEMAS, JSON)
def test_schemas(schema, value):
    problems(schema, value)
    read_reply({"result": {"structuredContent": value}}, method="tools/call", tool=Tool(name="t", output_schema=schema))


@QUICK
@given(JSON)
def test_shapes(value):
    for method in ("tools/call", "tools/list", "initialize", "server/discover", "x"):
        for version in ("2025-11-25", "2026-07-28", "x"):
            invalid_shape(method, version, value)
    rows(value, "")
