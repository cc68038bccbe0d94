"""The stub that stands in for a backend: scripts, tokens, delays, a log by pack, and sessions of callers."""

from __future__ import annotations

import json
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from sealmark.bench.callers import Callers
from sealmark.bench.launch import Launch
from sealmark.bench.listener import loopback_sockets
from sealmark.bench.upstream import Upstream
from sealmark.record.marks import Marks

SCRIPT = (
    {"id": "count", "match": {"path": "^/sql$", "body": r"count\(\*\)"}, "reply": {"json": {"rows": [{"count": 3}]}}},
    {"match": {"method": "DELETE", "header": {"X-Kind": "^hard$"}}, "reply": {"status": 409, "body": "no"}},
    {"match": {"path": "/mint"}, "reply": {"body": "{upstream_token} {upstream_token}"}},
    {"match": {"path": "/echo"}, "reply": {"status": 401, "json": {"error": "bad {credential}"}}},
    {"match": {"path": "/big"}, "reply": {"json": [1], "bytes": 5000, "headers": {"X-Page": "2"}}},
)


@pytest.fixture
def stub() -> Iterator[Upstream]:
    made = Upstream(
        loopback_sockets, ["core", "upstream"], responses=SCRIPT, keep_bytes=4096, patterns=["^POST /sql", "secret"]
    )
    made.start({})
    callers = Callers({"a": None, "b": None})
    pairs = [*callers.marks().items(), *made.marks_of("core").items(), *made.marks_of("upstream").items()]
    made.take(Marks(pairs))
    made.token_of_a = callers.marks()["bearer_a"]  # type: ignore[attr-defined]
    yield made
    made.stop()


def ask(stub: Upstream, path: str, body: str | None = None, *, pack: str = "upstream", **more: Any) -> tuple[int, str]:
    headers = {name.replace("_", "-"): value for name, value in more.pop("headers", {}).items()}
    request = urllib.request.Request(
        stub.values(pack, "main")["upstream"] + path, body.encode() if body is not None else None, headers, **more
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_the_first_response_that_matches_answers_and_else_the_default(stub: Upstream) -> None:
    assert ask(stub, "/sql", "select count(*) from t") == (200, '{"rows": [{"count": 3}]}')
    assert ask(stub, "/sql", "select 1") == (200, "{}")
    assert ask(stub, "/x", method="DELETE", headers={"X_Kind": "hard"}) == (409, "no")
    assert ask(stub, "/x", method="DELETE", headers={"X_Kind": "soft"}) == (200, "{}")
    requests = stub.look("upstream", "upstream")["requests"]
    assert [request["reply"] for request in requests] == ["count", "default", "responses-2", "default"]
    assert [request.get("matches", []) for request in requests][:2] == [["^POST /sql"], ["^POST /sql"]]


def test_each_pack_has_a_log_of_its_own_and_a_look_empties_it(stub: Upstream) -> None:
    ask(stub, "/one")
    ask(stub, "/two", pack="core")
    assert [request["path"] for request in stub.look("upstream", "upstream")["requests"]] == ["/one"]
    assert [request["path"] for request in stub.look("core", "upstream")["requests"]] == ["/two"]
    assert stub.look("upstream", "upstream") == {"requests": []}


def test_tokens_are_minted_for_each_occurrence_and_shown_as_marks(stub: Upstream) -> None:
    _, body = ask(stub, "/mint")
    first, second = body.split()
    assert first != second
    (request,) = stub.look("upstream", "upstream")["requests"]
    assert request["minted"] == ["{upstream_token}-1", "{upstream_token}-2"]
    assert first.startswith(stub.owned("upstream")["upstream_token"])


def test_the_credential_is_shown_as_a_mark_and_can_be_echoed(stub: Upstream) -> None:
    token = stub.token_of_a  # type: ignore[attr-defined]
    status, body = ask(stub, "/echo", headers={"Authorization": f"Bearer {token}"})
    assert (status, json.loads(body)) == (401, {"error": f"bad Bearer {token}"})
    (request,) = stub.look("upstream", "upstream")["requests"]
    assert request["headers"] == {"authorization": "Bearer {bearer_a}"}


def test_words_of_probes_are_found_in_every_encoding(stub: Upstream) -> None:
    ask(stub, "/q?sql=DELETE%20FROM%20t%20WHERE%20sm_delete%3D1")
    ask(stub, "/q", json.dumps({"sql": 'SELECT "SM_QUOTED"\n--'}))
    ask(stub, "/q", "nothing of it")
    words = [request.get("words", []) for request in stub.look("upstream", "upstream")["requests"]]
    assert words == [["sm_delete"], ["sm_quoted"], []]


def test_a_reply_is_padded_and_a_long_body_is_cut_and_says_so(stub: Upstream) -> None:
    _, body = ask(stub, "/big")
    assert (len(body), json.loads(body)) == (5000, [1])
    ask(stub, "/long", "x" * 3000 + "secret" + "x" * 5000)
    (_, long) = stub.look("upstream", "upstream")["requests"]
    assert (len(long["body"]), long["cut"], long["matches"]) == (2048, True, ["secret"])


def test_what_is_told_wins_until_it_is_put_back(stub: Upstream) -> None:
    stub.tell("upstream", "upstream", {"status": 503, "body": "down", "delay_ms": 300})
    started = time.monotonic()
    assert ask(stub, "/sql", "select count(*)") == (503, "down")
    assert time.monotonic() - started >= 0.3
    assert ask(stub, "/sql", "select count(*)", pack="core")[0] == 200
    stub.restore("upstream", "upstream")
    assert ask(stub, "/sql", "select count(*)")[0] == 200
    assert len(stub.look("upstream", "upstream")["requests"]) == 1


def test_a_single_server_has_a_single_stub() -> None:
    made = Upstream(loopback_sockets, ["core", "upstream"], single=True)
    made.start({})
    try:
        assert made.values("core", "main") == made.values("upstream", "bearer:b")
    finally:
        made.stop()


def test_a_session_speaks_for_its_own_caller_and_nobodys_has_no_token() -> None:
    callers = Callers({"a": None, "b": "real-token"})
    one, two = callers.values("p", "main"), callers.values("p", "bearer:b/check.case")
    assert one["caller"] == one["bearer_a"] != two["caller"] == two["bearer_b"] == "real-token"
    launch = Launch((sys.executable, "--token={caller}", "{sandbox}"), env={"TOKEN": "Bearer {caller}", "X": "y"})
    nobody = launch.for_session("anonymous")
    assert nobody.argv == (sys.executable, "--token=", "{sandbox}")
    assert nobody.env == {"X": "y"}
    assert launch.for_session("bearer:b") == launch
