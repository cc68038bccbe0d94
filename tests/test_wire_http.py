"""The HTTP transports on real sockets: sessions, headers, both eras, the older transport, single requests."""

import asyncio
import json
import time

import pytest
from http_servers import events, good, on_call, respond, result_of, serving

from sealmark.errors import ServerError
from sealmark.wire.http import Client, Endpoint, SseConnection, StreamableConnection, knock, params
from sealmark.wire.http.client import join, origin_of
from sealmark.wire.http.events import EventSplitter
from sealmark.wire.http.streamable import encoded
from sealmark.wire.session import Session


def talk(site, use, kind=StreamableConnection, headers=None, **opening):
    async def go():
        endpoint = Endpoint(site.url, headers or {})
        session = Session(lambda transcript: kind(endpoint, transcript=transcript))
        opened = await session.open(timeout=5, **opening)
        try:
            return opened, await use(session)
        finally:
            await session.close()

    return asyncio.run(go())


async def call(session, timeout=2):
    return await session.request("tools/call", {"name": "t", "arguments": {}}, timeout=timeout)


def test_a_session_carries_its_id_and_version_and_is_deleted_at_the_end():
    with serving(good) as site:
        opened, reply = talk(site, call, headers={"Authorization": "Bearer abc"})
    assert (opened.era, opened.protocol_version) == ("legacy", "2025-11-25")
    assert reply.result["content"][0]["text"] == "done"
    assert site.methods() == ["initialize", "notifications/initialized", *site.methods()[2:]]
    first, *rest = site.asked
    assert "mcp-session-id" not in first.headers
    assert "mcp-protocol-version" not in first.headers
    assert {(one.headers["mcp-session-id"], one.headers["mcp-protocol-version"]) for one in rest} == {
        ("s-123", "2025-11-25")
    }
    assert {one.headers["authorization"] for one in site.asked} == {"Bearer abc"}
    assert site.asked[-1].method == "DELETE"
    assert "GET" in [one.method for one in site.asked]
    assert all("text/event-stream" in one.headers["accept"] for one in site.asked if one.method == "POST")


def test_a_stream_may_carry_notifications_and_requests_before_the_reply():
    def streams(asked, connection):
        reply = result_of(asked)
        note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {}}
        ask = {"jsonrpc": "2.0", "id": "s1", "method": "sampling/createMessage", "params": {}}
        respond(connection, 200, events(note, ask, reply), "text/event-stream; charset=utf-8")

    async def use(session):
        reply = await call(session)
        for _ in range(100):
            if any(one.message.get("id") == "s1" for one in site.asked):
                break
            await asyncio.sleep(0.01)
        return reply, session.notifications, session.server_requests

    with serving(on_call(streams)) as site:
        _, (reply, notes, requests) = talk(site, use)
    assert reply.outcome == "result"
    assert notes == {"notifications/message": 1}
    assert [(one.method, one.answered) for one in requests] == [("sampling/createMessage", True)]
    assert [one.message["error"]["code"] for one in site.asked if one.message.get("id") == "s1"] == [-32601]


def test_modern_requests_repeat_version_method_and_name_in_headers():
    def modern(asked, connection):
        if asked.message.get("method") != "server/discover":
            if asked.message.get("method") == "initialize":
                error = {"code": -32022, "message": "no", "data": {"supported": ["2026-07-28"]}}
                body = json.dumps({"jsonrpc": "2.0", "id": asked.message["id"], "error": error}).encode()
                return respond(connection, 400, body)
            return good(asked, connection)
        result = {"supportedVersions": ["2026-07-28"], "capabilities": {}, "resultType": "complete"}
        return respond(
            connection, 200, json.dumps({"jsonrpc": "2.0", "id": asked.message["id"], "result": result}).encode()
        )

    async def use(session):
        await call(session)
        return await session.request("resources/read", {"uri": "demo://é"}, timeout=2)

    with serving(modern) as site:
        opened, _ = talk(site, use)
    assert opened.era == "modern"
    sent = [(one.headers.get("mcp-method"), one.headers.get("mcp-name")) for one in site.asked[1:]]
    assert sent == [("server/discover", None), ("tools/call", "t"), ("resources/read", encoded("demo://é"))]
    assert {one.headers["mcp-protocol-version"] for one in site.asked[1:]} == {"2026-07-28"}
    assert encoded("demo://é").startswith("=?base64?")


def test_a_refusal_by_status_is_an_error_and_an_error_without_an_id_belongs_to_its_request():
    bad = {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "bad"}}
    with serving(on_call(lambda asked, connection: respond(connection, 400, json.dumps(bad).encode()))) as site:
        _, reply = talk(site, call)
    assert (reply.outcome, reply.error["code"]) == ("error", -32600)
    assert "http-400" in reply.flags
    with serving(on_call(lambda asked, connection: respond(connection, 413, b"too large", "text/plain"))) as site:
        _, reply = talk(site, call)
    assert (reply.outcome, reply.message, reply.raw) == ("error", None, b"too large")


def test_a_wrong_id_is_seen_and_answers_nothing():
    def wrong(asked, connection):
        respond(connection, 200, json.dumps({"jsonrpc": "2.0", "id": 9999, "result": {"content": []}}).encode())

    async def use(session):
        return await call(session), [stray.kind for stray in session.strays]

    with serving(on_call(wrong)) as site:
        _, (reply, strays) = talk(site, use)
    assert reply.outcome == "timeout"
    assert reply.elapsed_ms < 1500
    assert strays == ["unmatched"]


def test_a_redirect_is_seen_and_not_followed():
    with serving(good) as elsewhere:
        location = elsewhere.url
        moved = serving(lambda asked, connection: respond(connection, 307, location=location))
        with moved as site, pytest.raises(ServerError) as caught:
            talk(site, call, headers={"Authorization": "Bearer abc"})
        assert elsewhere.asked == []
    assert "redirect" in caught.value.message
    assert caught.value.code == "HANDSHAKE_INVALID"


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [(401, "HANDSHAKE_AUTH", "--bearer"), (404, "TARGET_NOT_FOUND", "path"), (500, "HANDSHAKE_INVALID", "log")],
)
def test_a_handshake_that_is_refused_says_why(status, code, words):
    with (
        serving(lambda asked, connection: respond(connection, status, b"no", "text/plain")) as site,
        pytest.raises(ServerError) as caught,
    ):
        talk(site, call)
    assert caught.value.code == code
    assert f"HTTP {status}" in caught.value.message
    assert words in caught.value.hint


def test_nothing_listening_is_said_at_once():
    with serving(good) as site:
        pass
    with pytest.raises(ServerError) as caught:
        talk(site, call)
    assert caught.value.code == "TARGET_NOT_FOUND"
    assert "cannot reach" in caught.value.message


def older(post_to):
    """A server of the older transport whose replies come on the stream."""
    streams = []

    def handler(asked, connection):
        if asked.method == "GET":
            streams.append(connection)
            head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
            connection.sendall(head + events(post_to.encode(), name="endpoint"))
            while connection.recv(1):
                pass
            return
        if not asked.path.startswith("/messages"):
            return respond(connection, 405)
        respond(connection, 202, b"Accepted", "text/plain")
        reply = result_of(asked)
        if reply is not None:
            streams[-1].sendall(events(reply, name="message"))

    return handler


def test_the_older_transport_posts_to_the_endpoint_of_its_stream():
    with serving(older("/messages?session=1")) as site:
        opened, reply = talk(site, call, SseConnection)
        found = asyncio.run(knock(Endpoint(site.url)))
    assert opened.protocol_version == "2025-11-25"
    assert reply.outcome == "result"
    assert {one.path for one in site.asked if one.message.get("method") == "tools/call"} == {"/messages?session=1"}
    assert (found.up, found.transport) == (True, "sse")


def test_an_endpoint_of_another_origin_is_refused_and_gets_nothing():
    with serving(good) as elsewhere, serving(older(elsewhere.url)) as site:
        with pytest.raises(ServerError, match="another origin"):
            talk(site, call, SseConnection, headers={"Authorization": "Bearer abc"})
        assert elsewhere.asked == []


@pytest.mark.parametrize(
    ("status", "body", "up"),
    [
        (401, b"", True),
        (400, b"no", True),
        (404, b"no", False),
        (502, b"", False),
        (404, b'{"jsonrpc":"2.0","id":"sealmark-knock","error":{"code":-32601,"message":"x"}}', True),
    ],
)
def test_what_counts_as_up(status, body, up):
    with serving(lambda asked, connection: respond(connection, status, body)) as site:
        found = asyncio.run(knock(Endpoint(site.url)))
    assert (found.up, found.listening) == (up, True)


def test_a_single_request_has_its_own_headers_and_keeps_the_first_response_of_a_stream():
    def handler(asked, connection):
        reply = {"jsonrpc": "2.0", "id": 1, "result": {}}
        respond(connection, 200, events({"jsonrpc": "2.0", "method": "n"}, reply), "text/event-stream", x_one="a")

    async def go(url):
        client = Client(Endpoint(url))
        headers = {"Host": "evil.example", "Origin": "http://evil.example", "content-type": "application/json"}
        answer = await client.exchange("POST", url, headers, b"{}", seconds=2)
        await client.close()
        return answer

    with serving(handler) as site:
        answer = asyncio.run(go(site.url))
    assert site.asked[0].headers["host"] == "evil.example"
    assert site.asked[0].headers["origin"] == "http://evil.example"
    assert (answer.status, answer.headers["x-one"], answer.message.kind) == (200, "a", "response")


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_events_are_the_same_however_they_are_cut(newline, size):
    raw = newline.join([b": hello", b"event: a", b"data: 1", b"data:2", b"", b"id: 7", b"", b"data", b"", b""])
    splitter = EventSplitter(100)
    found = [event for at in range(0, len(raw), size) for event in splitter.feed(raw[at : at + size])]
    assert [(event.name, event.line.data) for event in found] == [("a", b"1\n2"), ("message", b"")]


def test_an_event_is_bounded():
    splitter = EventSplitter(1000)
    events_found = []
    began = time.process_time()
    for _ in range(2000):
        events_found += splitter.feed(b"data: " + b"x" * 5000 + b"\n")
    events_found += splitter.feed(b"\n")
    (event,) = events_found
    assert event.line.cut
    assert len(event.line.data) <= 1000
    assert event.line.length > 9_000_000
    assert time.process_time() - began < 5


def test_arguments_go_into_headers_where_the_schema_asks_for_it():
    schema = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}, "n": {}}}
    odd = {"name": "odd", "inputSchema": {"properties": {"a": {"x-mcp-header": "bad\r\nX"}, "b": 5}}}
    listed = {"tools": [{"name": "t", "inputSchema": schema}, odd, 7, {"name": 5}, {"name": "u", "inputSchema": []}]}
    headers = params.wanted(listed)
    assert headers == {"t": {"region": "mcp-param-region"}}
    assert params.values({"name": "t", "arguments": {"region": "eu", "n": 1}}, headers) == {"mcp-param-region": "eu"}
    assert params.values({"name": "t", "arguments": {"region": True}}, headers) == {"mcp-param-region": "true"}
    for wrong in (None, {"name": "t"}, {"name": "t", "arguments": []}, {"name": ["t"], "arguments": {}}):
        assert params.values(wrong, headers) == {}
    assert params.values({"name": "t", "arguments": {"region": {}}}, headers) == {}


def test_a_modern_call_repeats_its_argument_in_a_header():
    schema = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}

    def modern(asked, connection):
        results = {
            "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}},
            "tools/list": {"tools": [{"name": "t", "inputSchema": schema}]},
            "tools/call": {"content": []},
        }
        result = {"resultType": "complete", **results[asked.message["method"]]}
        body = {"jsonrpc": "2.0", "id": asked.message["id"], "result": result}
        respond(connection, 200, json.dumps(body).encode())

    async def use(session):
        await session.list_all("tools/list", "tools", timeout=5)
        return await session.request("tools/call", {"name": "t", "arguments": {"region": "eu-é"}}, timeout=5)

    with serving(modern) as site:
        talk(site, use, era="modern")
    assert site.asked[-1].headers["mcp-param-region"] == encoded("eu-é")


def test_origins_and_paths():
    assert origin_of("http://LOCALHOST/mcp") == origin_of("http://localhost:80/x")
    assert origin_of("https://a/") != origin_of("http://a/")
    assert join("http://h:1/mcp", "") == "http://h:1/mcp"
    assert join("http://h:1/mcp", "?a=b") == "http://h:1/mcp?a=b"
    assert join("http://h:1/x/mcp", "/.well-known/y") == "http://h:1/.well-known/y"
