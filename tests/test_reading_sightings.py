"""Values of the harness, found in every spelling that a server may give them."""

import base64
import json
import re
from urllib.parse import quote

import pytest

from sealmark.reading.blocks import content_of
from sealmark.reading.sightings import find

TOKEN = "sm-canary-0a1b2c3d4e5f"
PATH = "/srv/box one/secret.txt"
OWNED = {"canary": TOKEN, "sandbox": PATH}


def spellings(text, **owned):
    return {(sighting.name, sighting.spelling) for sighting in find(text, owned or OWNED)}


@pytest.mark.parametrize(
    ("spelling", "text"),
    [
        ("plain", TOKEN),
        ("plain", TOKEN.upper()),
        ("percent", "".join(f"%{ord(c):02X}" for c in TOKEN)),
        ("percent", "".join(f"%{ord(c):02x}" for c in TOKEN)),
        ("base64", base64.b64encode(TOKEN.encode()).decode()),
        ("base64", base64.b64encode(b"x" + TOKEN.encode() + b"y").decode()),
        ("base64", base64.b64encode(b"xx" + TOKEN.encode() + b"yyz").decode()),
        ("base64", base64.encodebytes(b"q" * 50 + TOKEN.encode() + b"q" * 50).decode()),
        ("hex", TOKEN.encode().hex()),
        ("hex", TOKEN.encode().hex().upper()),
        ("hex", TOKEN.encode().hex(" ")),
        ("hex", TOKEN.encode().hex(":")),
        ("json", "".join(f"\\u{ord(c):04x}" for c in TOKEN)),
    ],
)
def test_a_token(spelling, text):
    assert ("canary", spelling) in spellings(f"before {text} after")


@pytest.mark.parametrize(
    ("spelling", "text"),
    [
        ("plain", PATH),
        ("percent", quote(PATH)),
        ("percent", quote(PATH, safe="")),
        ("percent", quote(PATH, safe="").lower()),
        ("json", PATH.replace("/", "\\/")),
        ("backslash", PATH.replace("/", "\\")),
        ("backslash", PATH.replace("/", "\\\\")),
        ("base64", base64.b64encode(PATH.encode()).decode()),
    ],
)
def test_a_path(spelling, text):
    assert ("sandbox", spelling) in spellings(f"before {text} after")


def test_both_alphabets_of_base64():
    value = "\u00ff\u00fe\u00fb\u00ef>>>???" * 2
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        assert ("v", "base64") in spellings(encode(b"a" + value.encode()).decode(), v=value)


def test_a_value_with_characters_that_json_escapes():
    value = 'quo"te\\and\u00fcmlaut'
    assert ("v", "json") in spellings(json.dumps({"a": value}), v=value)


@pytest.mark.parametrize(
    "text",
    ["", "sm-canary-", TOKEN[:-1], TOKEN.replace("-", "_"), "c20tY2FuYXJ5", "sm canary 0a1b2c3d4e5f", PATH.upper()],
)
def test_near_misses(text):
    assert spellings(text) == set()


def test_places_and_offsets():
    message = {
        "result": {
            "content": [{"type": "text", "text": "a\u00e9\U0001f600"}, {"type": "text", "text": f"b {TOKEN}"}],
            "structuredContent": {"k": TOKEN},
        }
    }
    found = {sighting.place: sighting.offset for sighting in find(content_of(message, "tools/call"), OWNED)}
    assert found == {"text": 6, "structured": 2}
    (raw,) = find(f"xy{TOKEN}", {"canary": TOKEN}, place="stderr")
    assert (raw.place, raw.offset) == ("stderr", 2)


def test_an_offset_in_wrapped_base64_counts_the_line_breaks():
    text = base64.encodebytes(b"q" * 60 + TOKEN.encode()).decode()
    (found,) = find(text, {"canary": TOKEN})
    packed = text.replace("\n", "")
    core = re.search(re.escape(base64.b64encode(TOKEN.encode()).decode()[:20]), packed)
    assert core is not None
    assert found.offset == core.start() + text[: core.start() + 2].count("\n")


def test_blobs_are_searched():
    packed = base64.b64encode(b"\x89PNG" + TOKEN.encode()).decode()
    message = {"result": {"content": [{"type": "image", "data": packed}]}}
    assert {sighting.place for sighting in find(content_of(message, "tools/call"), OWNED)} == {"blob"}


def test_one_sighting_for_a_spelling_and_empty_values_are_ignored():
    assert len(find(TOKEN * 50, {"canary": TOKEN, "empty": ""})) == 1


def test_unpaired_surrogates_and_nuls():
    assert spellings("\ud800\x00" + TOKEN) == {("canary", "plain")}
