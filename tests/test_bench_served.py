"""A server behind a URL: started, awaited, kept to one, restarted, stopped; credentials stay on this machine."""

import os
import socket
import sys
import time

import pytest
from http_servers import good, respond, serving

from sealmark.api import run
from sealmark.arrange import launch_of
from sealmark.bench.reached import is_loopback
from sealmark.errors import ConfigError, ServerError
from sealmark.processes import living
from sealmark.settings import Origin, Settings

SERVER = """
import json, os, sys, http.server
PORT, HOW = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
if HOW == "dies":
    sys.exit("no such table")
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        method = message.get("method")
        if self.path != "/mcp" or HOW == "broken":
            return self.answer(404 if self.path != "/mcp" else 503, b"")
        if HOW == "guarded" and self.headers.get("authorization") != "Bearer " + os.environ["TOKEN"]:
            return self.answer(401, b"")
        if "id" not in message:
            return self.answer(202, b"")
        tool = {"name": "env", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
        result = {
            "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                           "serverInfo": {"name": "http toy", "version": "1"}},
            "tools/list": {"tools": [tool]},
            "tools/call": {"content": [{"type": "text", "text": json.dumps(dict(os.environ))}]},
            "ping": {},
        }.get(method)
        if method == "tools/call" and message["params"].get("name") != "env":
            result = None
        if method == "tools/call" and HOW == "crashes":
            os._exit(3)
        body = {"jsonrpc": "2.0", "id": message["id"]}
        body |= {"error": {"code": -32601, "message": "no"}} if result is None else {"result": result}
        self.answer(200, json.dumps(body).encode())
    def answer(self, status, body):
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        self.answer(405, b"")
    def log_message(self, *args):
        pass
http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "server.py"
    path.write_text(SERVER)
    return str(path)


def started(script, how="", **settings):
    chosen = {"server.url": "http://127.0.0.1:{server_port}/mcp", "packs": ("core",), **settings}
    command = f"{sys.executable} {script} {{server_port}} {how}".strip()
    return run(command, settings=chosen)


def verdict(one, check):
    return next(v for v in one.record.judgement.verdicts if v.check == check)


def test_a_started_server_is_awaited_tested_and_stopped(script):
    one = started(script)
    facts = one.record.gathered.facts
    assert facts["http"] == {
        "scheme": "http",
        "loopback": True,
        "started": True,
        "transport": "http",
        "credentials": [],
        "bearer": False,
    }
    assert one.record.gathered.server.transport == "http"
    assert one.record.gathered.server.url == "http://127.0.0.1:{server_port}/mcp"
    assert verdict(one, "secret-echo").rule == "echoed"
    assert verdict(one, "protocol").tag != "fail", verdict(one, "protocol").summary
    assert not [p for p in living("") if script in p.name]


def test_a_started_server_inherits_the_whole_environment(script, monkeypatch):
    monkeypatch.setenv("SM_TEST_ORDINARY", "inherited-by-the-server")
    one = started(script)
    texts = [body.head + body.tail for body in one.record.gathered.bodies.values()]
    assert any("inherited-by-the-server" in text or "SEALMARK_CANARY" in text for text in texts)


def test_a_server_that_is_only_reached_gets_no_canaries():
    with serving(good) as site:
        one = run(url=site.url, settings={"packs": ("core",)})
    assert one.record.gathered.facts["canaries"] is False
    assert verdict(one, "secret-echo").tag == "na"
    assert "did not start" in verdict(one, "secret-echo").summary


def test_something_that_answers_before_the_start_is_an_error(script):
    with serving(lambda asked, connection: respond(connection, 404)) as site, pytest.raises(ServerError) as caught:
        run(f"{sys.executable} {script} 1", url=site.url, settings={"server.headers": {"Authorization": "Bearer abc"}})
    assert caught.value.code == "ADDRESS_IN_USE"
    assert not [one for one in site.asked if "authorization" in one.headers]


def test_a_server_that_ends_fails_the_run_with_its_last_output(script):
    with pytest.raises(ServerError, match="no such table") as caught:
        started(script, "dies")
    assert caught.value.code == "TARGET_EXITED"


def test_a_server_that_answers_503_is_never_up(script):
    began = time.monotonic()
    with pytest.raises(ServerError, match="HTTP 503") as caught:
        started(script, "broken", **{"server.start_timeout_sec": 1.5})
    assert caught.value.code == "HANDSHAKE_TIMEOUT"
    assert "--start-timeout" in caught.value.hint
    assert time.monotonic() - began < 15


def test_a_server_that_crashes_is_started_again_and_the_crash_counts(script):
    one = started(script, "crashes")
    closed = [seen for seen in one.record.gathered.observations if seen.outcome == "closed"]
    assert closed
    assert {seen.exit_code for seen in closed} <= {3, None}
    assert verdict(one, "protocol").probes > 10


def test_a_401_is_up_and_the_credentials_stay_out_of_the_record(script, monkeypatch):
    monkeypatch.setenv("TOKEN", "very-secret-token-42")
    with pytest.raises(ServerError) as caught:
        started(script, "guarded")
    assert caught.value.code == "HANDSHAKE_AUTH"
    one = started(script, "guarded", **{"server.headers": {"Authorization": "Bearer ${TOKEN}"}})
    assert one.record.gathered.facts["http"]["credentials"] == ["Authorization"]
    assert "very-secret-token-42" not in one.to_json()


def settings(**chosen):
    return Settings.standard().replace(
        {key.replace("__", "."): value for key, value in chosen.items()}, Origin("code", "x")
    )


@pytest.mark.parametrize("header", [{"Authorization": "Bearer x"}, {"X-Thing": "${HOME}"}, {"X-Api-Key": "k"}])
def test_credentials_are_not_sent_in_the_clear_to_another_machine(header):
    with pytest.raises(ConfigError, match="unencrypted"):
        launch_of(settings(server__url="http://example.test/mcp", server__headers=header), os.environ)
    assert launch_of(settings(server__url="https://example.test/mcp", server__headers=header), os.environ)
    assert launch_of(settings(server__url="http://127.0.0.2/mcp", server__headers=header), os.environ)
    assert launch_of(settings(server__url="http://example.test/mcp", server__headers={"X-Plain": "1"}), os.environ)


@pytest.mark.parametrize(
    ("host", "yes"),
    [
        ("localhost", True),
        ("LOCALHOST.", True),
        ("a.localhost", True),
        ("127.9.9.9", True),
        ("[::1]", True),
        ("localhost.example", False),
        ("127.0.0.1.example", False),
        ("0.0.0.0", False),
        ("10.0.0.1", False),
    ],
)
def test_loopback(host, yes):
    assert is_loopback(f"http://{host}:80/x") is yes


def test_a_port_that_was_chosen_is_free():
    from sealmark.bench.ports import ServerPort

    part = ServerPort()
    part.start({})
    with socket.socket() as again:
        again.bind(("127.0.0.1", int(part.values("core", "main")["server_port"])))
