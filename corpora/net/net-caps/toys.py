"""Fetchers that are given too much, or too slowly: some take it all, some stop, some fall over."""

import http.client
import os
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from toykit import Refused, Toys
from webbed import fetcher, get, guard

ONLY = {f"checks.net-{name}.enabled": False for name in ("loopback-ssrf", "scheme-allowlist", "redirect")}
MOST = 2**20
toys = Toys(**ONLY, **{"timeouts.probe_sec": 1})


def bounded(url, most=MOST, seconds=0.5):
    """Reads in pieces, to a bound of bytes and of time. Returns five characters: the rest depends on the clock."""
    parts, ends = urlsplit(url), time.monotonic() + seconds
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=seconds)
    connection.request("GET", parts.path)
    reply, body = connection.getresponse(), b""
    while len(body) < most and time.monotonic() < ends and (piece := reply.read1(2**18)):
        body += piece
    connection.close()
    return body.decode()[:5]


def slowly(act, quick):
    """`quick` for the slow page, `act` for all others."""
    return lambda url: quick(url) if "/slow/" in url else act(url)


@toys.toy("fail", "over-limit")
def takes_it_all(server):
    """Reads the whole body and returns its beginning."""
    fetcher(server, slowly(lambda url: get(url, most=None).text[:1000], bounded))


@toys.toy("fail", "over-limit")
def stops_too_late(server):
    """Reads half of it."""
    fetcher(server, slowly(lambda url: get(url, most=40 * MOST).text[:1000], bounded))


@toys.toy("fail", "fell-over")
def runs_out_of_memory(server):
    """Ends when a body is large."""

    def fetch(url):
        get(url)
        os._exit(137)

    fetcher(server, slowly(fetch, bounded))


@toys.toy("fail", "fell-over", **{"timeouts.call_sec": 1})
def never_comes_back(server):
    """Does not answer when a body is large."""

    def fetch(url):
        get(url)
        time.sleep(60)

    fetcher(server, slowly(fetch, bounded))


@toys.toy("part", "waits-on")
def waits_for_the_end(server):
    """Bounds the size and the time of one read, not the whole time."""
    fetcher(server, lambda url: get(url, timeout=5).text[:1000])


@toys.toy("pass", "capped", near=True)
def stops_at_a_bound(server):
    """Reads in pieces to bounds of bytes and time."""
    fetcher(server, bounded)


@toys.toy("pass", "capped", near=True)
def takes_what_is_allowed(server):
    """Reads up to the limit of the check, but not beyond it."""
    fetcher(server, slowly(lambda url: bounded(url, most=10 * MOST, seconds=5), bounded))


@toys.toy("inconclusive", "too-small", **{"checks.net-caps.body_mib": 8})
def is_offered_too_little(server):
    """Reads the whole body, which is below the limit."""
    fetcher(server, slowly(lambda url: get(url, most=None).text[:1000], bounded))


@toys.toy("na", "not-fetched")
def refuses_loopback(server):
    """Fetches nothing that the harness owns."""

    def fetch(url):
        guard(url)
        raise Refused("not reached")

    fetcher(server, fetch)


if __name__ == "__main__":
    toys.main()
