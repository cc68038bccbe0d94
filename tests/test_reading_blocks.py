"""Everything that a reply says, from every place where it can say it."""

import base64

from sealmark.reading.blocks import MAX_BLOB, content_of, decode_base64, shape_of

PACKED = base64.b64encode(b"hidden words").decode()


def result(**fields):
    return {"jsonrpc": "2.0", "id": 1, "result": fields}


def texts(message, place, method="tools/call"):
    return [text for where, text in content_of(message, method).texts if where == place]


def blobs(message, method="tools/call"):
    return [blob for _, blob in content_of(message, method).blobs]


def test_text_blocks():
    message = result(content=[{"type": "text", "text": "one"}, {"type": "text", "text": "two"}])
    assert content_of(message, "tools/call").said == "one\ntwo"
    assert content_of(message, "tools/call").kinds == ("text", "text")


def test_embedded_resources_images_and_audio_are_decoded():
    message = result(
        content=[
            {"type": "resource", "resource": {"uri": "file:///a", "text": "inside"}},
            {"type": "resource", "resource": {"uri": "file:///b", "blob": PACKED}},
            {"type": "image", "data": PACKED, "mimeType": "image/png"},
            {"type": "audio", "data": PACKED, "mimeType": "audio/wav"},
        ]
    )
    assert texts(message, "text") == ["inside"]
    assert blobs(message) == [b"hidden words"] * 3
    assert "file:///a" in texts(message, "raw")


def test_data_urls_are_decoded_wherever_they_stand():
    message = result(content=[{"type": "text", "text": f"see data:text/plain;base64,{PACKED} and data:,a%20b"}])
    assert blobs(message) == [b"hidden words", b"a b"]
    assert blobs(result(content=[], structuredContent={"u": f"data:;base64,{PACKED}"})) == [b"hidden words"]


def test_resource_links_are_text_that_a_model_reads():
    message = result(content=[{"type": "resource_link", "uri": "file:///a", "name": "n", "description": "d"}])
    assert {"file:///a", "n", "d"} <= set(texts(message, "text"))


def test_structured_values_and_their_keys():
    message = result(content=[], structuredContent={"a": {"b": ["c"]}})
    assert texts(message, "structured") == ["a", "b", "c"]
    assert content_of(message, "tools/call").said == "a\nb\nc"


def test_errors():
    message = {"id": 1, "error": {"code": -32000, "message": "no", "data": {"why": ["because"]}}}
    assert texts(message, "error") == ["no", "why", "because"]
    assert content_of({"id": 1, "error": "just words"}).said == "just words"


def test_resources_and_prompts():
    read = result(contents=[{"uri": "a://b", "text": "body"}, {"uri": "a://c", "blob": PACKED}])
    assert texts(read, "text", "resources/read") == ["body"]
    assert blobs(read, "resources/read") == [b"hidden words"]
    got = result(description="d", messages=[{"role": "user", "content": {"type": "text", "text": "ask"}}])
    assert texts(got, "text", "prompts/get") == ["ask"]
    assert "d" in texts(got, "raw", "prompts/get")


def test_what_no_block_holds_is_raw():
    message = result(content=[{"type": "text", "text": "x", "_meta": {"k": "deep"}}], _meta={"top": "level"})
    assert {"deep", "level"} <= set(texts(message, "raw"))
    assert content_of(message, "tools/call").said == "x"


def test_listings_are_raw():
    assert texts(result(tools=[{"name": "t"}]), "raw", "tools/list") == ["tools", "name", "t"]


def test_shapes_that_are_none():
    for message in (None, [], "x", {"result": None}, {"result": []}, result(content=5), result(content=[None, 7])):
        content_of(message, "tools/call")
        shape_of(message, "tools/call")


def test_base64_of_both_alphabets_padded_or_not():
    data = bytes(range(256))
    assert decode_base64(base64.b64encode(data).decode()) == data
    assert decode_base64(base64.urlsafe_b64encode(data).decode().rstrip("=")) == data
    assert decode_base64(base64.encodebytes(data).decode()) == data
    assert decode_base64("not base64!") == b""


def test_blobs_are_bounded():
    packed = base64.b64encode(b"a" * (MAX_BLOB + 100)).decode()
    content = content_of(result(content=[{"type": "image", "data": packed}, {"type": "image", "data": PACKED}]))
    assert sum(len(blob) for _, blob in content.blobs) <= MAX_BLOB
    assert content.cut


def test_the_number_of_blocks_is_bounded_and_said():
    content = content_of(result(content=[{"type": "text", "text": "x"}] * 5_000), "tools/call")
    assert content.cut
    assert len(content.kinds) == 2_000


def test_shapes():
    two = [{"type": "text", "text": ""}, {"type": "image"}]
    assert shape_of(result(content=two, structuredContent={"b": 1, "a": 2})) == "content[text,image]+structured{a,b}"
    assert shape_of(result(content=[], structuredContent=[1, 2])) == "content[]+structured[2]"
    assert shape_of({"error": {}}) == "error"
    assert shape_of({}) == "nothing"
    assert shape_of(result(contents=[{"uri": "a"}])) == "contents[item]"
    assert shape_of(result(z=1, y=2)) == "result{y,z}"
    assert shape_of(result(content=[{"type": "text"}] * 20)) == "content[" + "text," * 12 + "+8]"
