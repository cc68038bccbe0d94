"""Ways in which toys fetch a URL that they were given, from careless to careful. No redirect is followed unasked."""

import http.client
import ipaddress
import socket
from urllib.parse import urljoin, urlsplit

from toykit import Refused

URL = {"url": {"type": "string"}}
PUBLIC = "http://public.example/"
"""The one URL outside that toys can fetch: they make it up, so that no toy needs a network."""


CHECKS = ("loopback-ssrf", "scheme-allowlist", "caps", "redirect", "private-ranges", "dns-rebinding", "public-redirect")


def isolated(check):
    """Settings of a run in which every name and address is the harness's, for one check alone."""
    return {"isolation": "network", **{f"checks.net-{name}.enabled": False for name in CHECKS if name != check}}


class Page:
    """One answer of a web server."""

    def __init__(self, status, location, body):
        self.status, self.location, self.body = status, location, body

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")


def get(url, most=2**20, timeout=2):
    """One GET; of the body at most `most` bytes are read (all of it when None)."""
    if url == PUBLIC:
        return Page(200, "", b"A page on the public web\n")
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=timeout)
    try:
        connection.request("GET", parts.path or "/")
        reply = connection.getresponse()
        return Page(reply.status, reply.headers.get("Location", ""), reply.read(most))
    except (OSError, http.client.HTTPException, UnicodeError):
        raise Refused("Fetch failed: could not connect") from None
    finally:
        connection.close()


def follow(url, check=lambda url: None, most=5):
    """GET and follow redirects; `check` is asked about every target and raises to refuse it."""
    page = get(url)
    while page.status in (301, 302, 303, 307, 308) and most:
        url, most = urljoin(url, page.location), most - 1
        check(url)
        page = get(url)
    return page


def addresses(url):
    """The addresses that a URL's host has."""
    host = urlsplit(url).hostname
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Refused(f"Could not resolve host: {host}") from None
    return [ipaddress.ip_address(item[4][0]) for item in found]


def is_local(address):
    """Whether an address is this machine's or a private network's, IPv4 inside IPv6 included."""
    mapped = getattr(address, "ipv4_mapped", None)
    return not (mapped or address).is_global


def only_web(url):
    """Raise unless the URL is one of the web, with a host."""
    scheme = urlsplit(url).scheme
    if scheme not in ("http", "https"):
        raise Refused(f"Unsupported scheme '{scheme}': only http and https URLs are allowed")
    if not urlsplit(url).hostname:
        raise Refused("Invalid URL: it has no host")


def guard(url):
    """The check that a fetcher should have: web schemes and public addresses only."""
    only_web(url)
    if url != PUBLIC and any(is_local(address) for address in addresses(url)):
        raise Refused(f"Refused: {urlsplit(url).hostname} is a private or loopback address")


def fetcher(server, act, name="fetch_url", **more):
    """Registers a tool that answers with what `act(url)` returns."""

    @server.tool(name, URL, ["url"], "Fetch a URL and return its content.", **more)
    def fetch(arguments):
        return act(arguments["url"])
