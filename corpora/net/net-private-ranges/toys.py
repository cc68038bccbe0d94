"""Fetchers in a network that is all the harness's: some go anywhere, some look at the text, some at the address."""

import ipaddress
import sys
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from toykit import Refused, Toys
from webbed import addresses, fetcher, get, guard, isolated, only_web

toys = Toys(**isolated("private-ranges"))


def no_metadata(url):
    """Refuses link-local addresses, and only them."""
    only_web(url)
    if any(getattr(one, "ipv4_mapped", None) or one.is_link_local for one in addresses(url)):
        raise Refused("Refused: a link-local address")


def only_text(url):
    """Refuses what reads like a private address."""
    only_web(url)
    try:
        address = ipaddress.ip_address(urlsplit(url).hostname)
    except ValueError:
        return
    if not address.is_global:
        raise Refused("Refused: a private address")


@toys.toy("fail", "metadata")
def goes_anywhere(server):
    """Fetches every URL."""
    fetcher(server, lambda url: only_web(url) or get(url).text)


@toys.toy("fail", "private")
def refuses_the_metadata_alone(server):
    """Keeps off the metadata address, and off nothing else."""
    fetcher(server, lambda url: no_metadata(url) or get(url).text)


@toys.toy("fail", "metadata")
def looks_at_the_text(server):
    """Refuses private addresses by their text, so that a name or a number gets it there."""
    fetcher(server, lambda url: only_text(url) or get(url).text)


@toys.toy("pass", "kept-out", near=True)
def looks_at_the_address(server):
    """Refuses every address that is not of the open internet."""
    fetcher(server, lambda url: guard(url) or get(url).text)


@toys.toy("inconclusive", "no-control")
def fetches_nothing(server):
    """Refuses everything, so that nothing shows that it could fetch."""

    def refuse(url):
        raise Refused("Refused: this host is not on the list of allowed hosts")

    fetcher(server, refuse)


@toys.toy("na", "not-isolated", isolation="none")
def is_not_isolated(server):
    """Runs where only loopback is the harness's."""
    fetcher(server, lambda url: guard(url) or get(url).text)


if __name__ == "__main__":
    toys.main()
