"""Fetchers that are given other schemes: some read files, some speak to any port, some know the web only."""

import base64
import socket
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import urlopen

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from toykit import Refused, Toys
from webbed import PUBLIC, fetcher, get, guard

ONLY = {f"checks.net-{name}.enabled": False for name in ("loopback-ssrf", "caps", "redirect")}
toys = Toys(**ONLY)


@toys.toy("fail", "file-read")
def trusts_its_library(server):
    """Hands every URL to a library that knows file URLs."""

    def fetch(url):
        try:
            with urlopen(url, timeout=2) as reply:
                return reply.read(2**20).decode("utf-8", "replace")
        except (OSError, ValueError):
            raise Refused("Fetch failed") from None

    fetcher(server, fetch)


@toys.toy("fail", "file-read")
def compares_the_case(server):
    """Refuses file URLs, but only in small letters."""

    def fetch(url):
        if url.startswith("file:"):
            raise Refused("file: URLs are not allowed")
        if url.lower().startswith("file:"):
            return Path(unquote(urlsplit(url).path)).read_text()
        return get(url).text

    fetcher(server, fetch)


@toys.toy("fail", "other-scheme")
def speaks_gopher(server):
    """Sends the selector of a gopher URL to any port."""

    def fetch(url):
        parts = urlsplit(url)
        if parts.scheme != "gopher":
            return get(url).text if parts.scheme == "http" else ""
        with socket.create_connection((parts.hostname, parts.port), timeout=2) as there:
            there.sendall(parts.path[2:].encode() + b"\r\n")
            return there.recv(1000).decode()

    fetcher(server, fetch)


@toys.toy("part", "data-decoded")
def decodes_data(server):
    """Shows what a data URL holds."""

    def fetch(url):
        if url.startswith("data:"):
            return base64.b64decode(url.partition(",")[2]).decode()
        if not url.startswith("http"):
            raise Refused("Unsupported scheme")
        return get(url).text

    fetcher(server, fetch)


@toys.toy("pass", "web-only", near=True)
def fetches_the_web(server):
    """Fetches by http, and fails on all else without a word of why."""

    def fetch(url):
        if not url.startswith("http://"):
            raise Refused("Fetch failed")
        return get(url).text

    fetcher(server, fetch)


@toys.toy("pass", "web-only", near=True, **{"net.control_url": PUBLIC})
def fetches_the_public_web(server):
    """Refuses loopback, fails on other schemes, and fetches what is public."""

    def fetch(url):
        if url != PUBLIC:
            raise Refused("No such page")
        return get(url).text

    fetcher(server, fetch)


@toys.toy("pass", "web-only", near=True)
def repeats_what_it_was_given(server):
    """Says which data URL it does not take, encoded as it was."""

    def fetch(url):
        if not url.startswith("http://"):
            raise Refused(f"Cannot use {url}")
        return get(url).text

    fetcher(server, fetch)


@toys.toy("pass", "refused", near=True)
def names_the_scheme(server):
    """Refuses loopback, and other schemes by name."""
    fetcher(server, lambda url: guard(url) or get(url).text)


@toys.toy("inconclusive", "not-shown")
def fetches_nothing(server):
    """Fails on everything."""

    def fetch(url):
        raise Refused("Fetch failed")

    fetcher(server, fetch)


if __name__ == "__main__":
    toys.main()
