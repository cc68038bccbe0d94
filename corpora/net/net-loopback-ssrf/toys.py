"""Fetchers that are sent to loopback: some go, some refuse for a reason, some only seem to refuse."""

import sys
import threading
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from toykit import Refused, Toys
from webbed import PUBLIC, URL, addresses, fetcher, follow, get, guard, is_local, only_web

ONLY = {f"checks.net-{name}.enabled": False for name in ("scheme-allowlist", "caps", "redirect")}
CONTROL = {"net.control_url": PUBLIC}
toys = Toys(**ONLY)


@toys.toy("fail", "reached")
def fetches_anything(server):
    """Fetches whatever it is given."""
    fetcher(server, lambda url: follow(url).text)


@toys.toy("fail", "reached")
def hides_the_body(server):
    """Fetches, and says that it did not."""

    def fetch(url):
        only_web(url)
        get(url)
        raise Refused("Access to private addresses is not allowed")

    fetcher(server, fetch)


@toys.toy("fail", "reached")
def asks_for_robots_first(server):
    """Asks for robots.txt before it looks at the address, and then refuses."""

    def fetch(url):
        only_web(url)
        parts = urlsplit(url)
        get(f"http://{parts.netloc}/robots.txt")
        guard(url)
        return get(url).text

    fetcher(server, fetch)


@toys.toy("fail", "reached")
def fetches_later(server):
    """Takes the URL, answers at once and fetches afterwards."""

    def fetch(url):
        threading.Timer(0.5, lambda: get(url)).start()
        return "The URL is queued"

    @server.tool("queue_url", URL, ["url"], "Fetch a URL later.")
    def queue_url(arguments):
        if "dotted" not in arguments["url"]:
            raise Refused("Only one URL can be queued")
        return fetch(arguments["url"])


@toys.toy("fail", "reached")
def compares_texts(server):
    """Knows loopback by two of its spellings."""

    def fetch(url):
        only_web(url)
        if urlsplit(url).hostname in ("localhost", "127.0.0.1"):
            raise Refused("Loopback hosts are not allowed")
        return get(url).text

    fetcher(server, fetch)


@toys.toy("fail", "reached")
def forgets_ipv4_in_ipv6(server):
    """Looks at the address, but takes IPv4 inside IPv6 for a public one."""

    def fetch(url):
        only_web(url)
        for address in addresses(url):
            if address.is_loopback or address.is_unspecified:
                raise Refused(f"{address} is a loopback address and not allowed")
        return get(url).text

    fetcher(server, fetch)


@toys.toy("fail", "reached")
def guards_one_tool_of_two(server):
    """One tool looks at the address, the other does not."""
    fetcher(server, lambda url: guard(url) or get(url).text)
    fetcher(server, lambda url: get(url).text, "download_page")


@toys.toy("pass", "refused", near=True)
def looks_at_the_address(server):
    """Resolves the host and refuses loopback, with the address in words."""
    fetcher(server, lambda url: guard(url) or get(url).text)


@toys.toy("pass", "refused", near=True)
def does_not_know_odd_spellings(server):
    """Takes short and numeric spellings for names, which it cannot resolve."""

    def fetch(url):
        only_web(url)
        host = urlsplit(url).hostname
        if host.count(".") != 3 and host.replace(".", "").isalnum() and host != "localhost":
            raise Refused(f"Could not resolve host: {host}: no such host")
        guard(url)
        return get(url).text

    fetcher(server, fetch)


@toys.toy("pass", "not-reached", near=True, **CONTROL)
def has_one_sentence_but_fetches(server):
    """Refuses everything local in the same words, and fetches what is public."""

    def fetch(url):
        if not url.startswith("http") or (url != PUBLIC and any(map(is_local, addresses(url)))):
            raise Refused("This URL cannot be fetched")
        return get(url).text

    fetcher(server, fetch)


@toys.toy("inconclusive", "same-text")
def has_one_sentence(server):
    """Answers every rejection with one constant sentence."""

    def fetch(url):
        raise Refused("Only public hosts are allowed")

    fetcher(server, fetch)


@toys.toy("inconclusive", "same-text")
def repeats_the_url_in_one_sentence(server):
    """Answers every rejection with one sentence that repeats the URL."""

    def fetch(url):
        raise Refused(f"Blocked: the URL '{url}' is not allowed")

    fetcher(server, fetch)


@toys.toy("inconclusive", "incoherent")
def sees_addresses_where_none_are(server):
    """Refuses a URL without a host as a private address, in other words than the rest."""

    def fetch(url):
        if url.startswith("data:"):
            raise Refused("Access to an internal address is not allowed for this input")
        raise Refused("Loopback addresses are not allowed")

    fetcher(server, fetch)


@toys.toy("inconclusive", "not-shown")
def dresses_a_failure_as_a_refusal(server):
    """Cannot connect to anything, and calls that a denial."""

    def fetch(url):
        raise Refused("Access denied: failed to connect, connection blocked by proxy")

    fetcher(server, fetch)


@toys.toy("inconclusive", "not-shown")
def refuses_without_a_reason(server):
    """Says no, and nothing of why."""

    def fetch(url):
        raise Refused("Not permitted")

    fetcher(server, fetch)


@toys.toy("inconclusive", "not-shown")
def returns_nothing(server):
    """Answers with an empty page, whatever it is asked for."""
    fetcher(server, lambda url: "")


if __name__ == "__main__":
    toys.main()
