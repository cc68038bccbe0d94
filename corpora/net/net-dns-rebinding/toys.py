"""Fetchers that are given names which change their address: looked up once, twice, or checked once connected."""

import http.client
import ipaddress
import socket
import sys
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from toykit import Refused, Toys
from webbed import addresses, fetcher, get, guard, is_local, isolated, only_web

toys = Toys(**isolated("dns-rebinding"))


class Pinned(http.client.HTTPConnection):
    """A connection to the address that was checked, whatever the name has become."""

    def __init__(self, host, address):
        super().__init__(host, timeout=2)
        self.address = address

    def connect(self):
        self.sock = socket.create_connection((self.address, self.port), self.timeout)


class Watched(http.client.HTTPConnection):
    """A connection that is given up, before a word is said, when it has led inside."""

    def connect(self):
        super().connect()
        if is_local(ipaddress.ip_address(self.sock.getpeername()[0])):
            self.close()
            raise Refused("Refused: the connection led to a private or loopback address")


def over(connection, url):
    """One GET over a connection."""
    try:
        connection.request("GET", urlsplit(url).path)
        return connection.getresponse().read(2**20).decode("utf-8", "replace")
    except OSError:
        raise Refused("Fetch failed: could not connect") from None
    finally:
        connection.close()


def pinned(url):
    """Looks the name up once, checks the address, and connects to that one."""
    only_web(url)
    found = addresses(url)
    if any(is_local(address) for address in found):
        raise Refused("Refused: a private or loopback address")
    return over(Pinned(urlsplit(url).hostname, str(found[0])), url)


@toys.toy("fail", "content")
def looks_up_twice(server):
    """Checks the address at one lookup and connects by another."""
    fetcher(server, lambda url: guard(url) or get(url).text)


@toys.toy("fail", "blind")
def looks_up_twice_and_shows_nothing(server):
    """The same, and tells only how large the page was."""
    fetcher(server, lambda url: guard(url) or f"{len(get(url).body) // 1000} kB")


@toys.toy("fail", "content")
def checks_four_times(server):
    """Checks so often that only a name which changes later gets through."""
    fetcher(server, lambda url: [guard(url) for _ in range(4)] and get(url).text)


@toys.toy("pass", "pinned", near=True)
def connects_to_what_it_checked(server):
    """Looks up once."""
    fetcher(server, pinned)


@toys.toy("pass", "pinned", near=True)
def checks_once_connected(server):
    """Looks up twice, and looks at where the connection has led before it says a word."""
    fetcher(server, lambda url: guard(url) or over(Watched(urlsplit(url).hostname, timeout=2), url))


@toys.toy("inconclusive", "not-looked-up")
def knows_its_hosts(server):
    """Takes only hosts that it knows, and looks no other name up."""

    def fetch(url):
        if not urlsplit(url).hostname.endswith("public.sealmark.example"):
            raise Refused("Refused: the host is not on the list of allowed hosts")
        return get(url).text

    fetcher(server, fetch)


@toys.toy("inconclusive", "no-control")
def fetches_nothing(server):
    """Refuses everything."""

    def refuse(url):
        raise Refused("Refused: this host is not on the list of allowed hosts")

    fetcher(server, refuse)


@toys.toy("na", "not-isolated", isolation="none")
def is_not_isolated(server):
    """Runs where no name is the harness's."""
    fetcher(server, pinned)


if __name__ == "__main__":
    toys.main()
