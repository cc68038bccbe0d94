"""The listener: what it answers, what it notes, how it counts, and that each pack sees its own visitors alone."""

from __future__ import annotations

import http.client
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from sealmark.bench.listener import Listener, loopback_sockets
from sealmark.bench.listener.pages import answer
from sealmark.record import marks

SITE = {"token": "sm-t", "secret": "sm-page-x", "port": 8000}


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener(loopback_sockets, ("net", "effects"), body_mib=32, slow_sec=30)
    made.start({})
    yield made
    made.stop()


def url(listener: Listener, path: str, pack: str = "net") -> str:
    return marks.fill("{listener}" + path, listener.values(pack, "main"))


def hits(listener: Listener, pack: str = "net") -> list[dict[str, Any]]:
    return list(listener.look(pack, "listener")["hits"])


# -- paths


def test_a_path_without_the_token_is_not_found() -> None:
    assert answer("/robots.txt", **SITE).status.startswith("404")
    assert answer("/other/page/x", **SITE).status.startswith("404")
    assert answer("/sm-t", **SITE).status.startswith("404")


def test_a_page_holds_the_secret_and_a_query_changes_nothing() -> None:
    assert b"sm-page-x" in answer("/sm-t/page/a?b=c", **SITE).body


def test_redirects_lead_to_another_spelling_a_file_or_along_a_chain() -> None:
    assert answer("/sm-t/to/http/127.1/a", **SITE).location == "http://127.1:8000/sm-t/page/a"
    assert answer("/sm-t/to/https/::1/a", **SITE).location == "https://[::1]:8000/sm-t/page/a"
    assert answer("/sm-t/file/tmp/x/hello.txt", **SITE).location == "file:///tmp/x/hello.txt"
    assert answer("/sm-t/hops/2/a", **SITE).location == "/sm-t/hops/1/a"
    assert answer("/sm-t/hops/1/a", **SITE).location == "/sm-t/page/a"


# -- visits


def test_a_visit_is_noted_once_with_marks(listener: Listener) -> None:
    with urllib.request.urlopen(url(listener, "/{listener_token}/page/plain")) as reply:
        assert listener.owned("net")["listener_secret"] in reply.read().decode()
    (hit,) = hits(listener)
    assert hit == {
        "family": "ipv4",
        "protocol": "http",
        "method": "GET",
        "path": "/{listener_token}/page/plain",
        "host": "127.0.0.1:{listener_port}",
    }
    assert hits(listener) == []


def test_a_visit_without_a_token_belongs_to_the_pack_whose_port_it_came_to(listener: Listener) -> None:
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(url(listener, "/robots.txt", "effects"))
    assert hits(listener) == []
    assert [hit["path"] for hit in hits(listener, "effects")] == ["/robots.txt"]


def test_restore_forgets_and_an_unknown_pack_has_no_visitors(listener: Listener) -> None:
    urllib.request.urlopen(url(listener, "/{listener_token}/page/plain")).close()
    listener.restore("net", "listener")
    assert hits(listener) == []
    assert hits(listener, "fs") == []


def test_a_chain_of_redirects_is_noted_hop_by_hop(listener: Listener) -> None:
    urllib.request.urlopen(url(listener, "/{listener_token}/hops/3/chain")).close()
    assert len(hits(listener)) == 4


def test_ipv6_and_ipv4_share_a_port(listener: Listener) -> None:
    if not listener.facts()["listener"]["ipv6"]:
        pytest.skip("this machine has no IPv6 loopback")
    port = listener.values("net", "main")["listener_port"]
    with socket.create_connection(("::1", int(port))) as visitor:
        visitor.sendall(b"GET / HTTP/1.1\r\nHost: [::1]\r\n\r\n")
        assert visitor.recv(100).startswith(b"HTTP/1.1 404")
    assert [hit["family"] for hit in hits(listener)] == ["ipv6"]


@pytest.mark.parametrize(
    ("said", "protocol"),
    [
        (b"\x16\x03\x01\x00\x05hello", "tls"),
        (b"_selector\r\n", "raw"),
        (b"HELO there\r\n\r\n", "raw"),
        (b"", "none"),
    ],
)
def test_other_protocols_are_visits_too(listener: Listener, said: bytes, protocol: str) -> None:
    with socket.create_connection(("127.0.0.1", int(listener.values("net", "")["listener_port"]))) as visitor:
        visitor.sendall(said)
        visitor.shutdown(socket.SHUT_WR)
        assert visitor.recv(10) == b""
    (hit,) = hits(listener)
    assert hit["protocol"] == protocol
    assert ("head" in hit) == (protocol == "raw")


def test_what_a_visitor_took_of_a_large_body_is_counted(listener: Listener) -> None:
    with urllib.request.urlopen(url(listener, "/{listener_token}/large/all")) as reply:
        assert len(reply.read()) == 32 * 2**20
    (hit,) = hits(listener)
    assert (hit["whole"], hit["over_mib"], hit["under_mib"]) == (True, 16, 32)


def test_who_hangs_up_early_took_little(listener: Listener) -> None:
    parts = urlsplit(url(listener, "/{listener_token}/large/little"))
    visitor = http.client.HTTPConnection(parts.hostname or "", parts.port)
    visitor.request("GET", parts.path)
    assert len(visitor.getresponse().read(1024)) == 1024
    visitor.close()
    (hit,) = hits(listener)
    assert (hit["whole"], hit["over_mib"], hit["under_mib"]) == (False, 0, 8)


def test_a_slow_body_begins_and_does_not_hold_up_others(listener: Listener) -> None:
    parts = urlsplit(url(listener, "/{listener_token}/slow/a"))
    visitor = http.client.HTTPConnection(parts.hostname or "", parts.port)
    visitor.request("GET", parts.path)
    reply = visitor.getresponse()
    assert reply.read(5) == b"slow\n"
    urllib.request.urlopen(url(listener, "/{listener_token}/page/other")).close()
    visitor.close()
    assert len(hits(listener)) == 2


def test_after_the_end_nobody_listens_and_a_second_end_is_no_harm(listener: Listener) -> None:
    port = int(listener.values("net", "")["listener_port"])
    listener.stop()
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), timeout=2)
    listener.stop()


def test_every_value_is_a_mark_and_a_port_is_marked_where_it_stands_alone(listener: Listener) -> None:
    values = listener.marks_of("net")
    marker = marks.Marks(values.items())
    port = values["listener_port"]
    assert marker.mark(f"127.1:{port}/ and %3A{port}%2F") == "127.1:{listener_port}/ and %3A{listener_port}%2F"
    assert marker.mark(f"a{port}b 1{port} {port}9") == f"a{port}b 1{port} {port}9"
    assert marker.mark(values["listener"]) == "{listener}"
