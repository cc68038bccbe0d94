"""Fetchers that are redirected: some check only the first URL, some every one, some follow none."""

import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from toykit import Refused, Toys
from webbed import fetcher, follow, get, guard, only_web

ONLY = {f"checks.net-{name}.enabled": False for name in ("scheme-allowlist", "caps")}
toys = Toys(**ONLY)


def only_dotted(url):
    """Takes one host of all, as a server with a list of allowed hosts does."""
    only_web(url)
    if urlsplit(url).hostname != "127.0.0.1":
        raise Refused(f"The host {urlsplit(url).hostname} is not on the list of allowed hosts")


@toys.toy("fail", "to-refused")
def checks_the_first_only(server):
    """Checks the URL that it was given and follows redirects wherever they lead."""
    fetcher(server, lambda url: only_dotted(url) or follow(url).text)


@toys.toy("fail", "to-refused")
def checks_the_scheme_of_each(server):
    """Checks the host of the first URL and the scheme of all."""
    fetcher(server, lambda url: only_dotted(url) or follow(url, only_web).text)


@toys.toy("fail", "to-file")
def opens_files_on_the_way(server):
    """Follows a redirect to a file."""

    def fetch(url):
        only_dotted(url)
        page = get(url)
        if page.location.startswith("file:"):
            return Path(unquote(urlsplit(page.location).path)).read_text()
        if page.location:
            only_dotted(page.location)
            return follow(page.location, only_dotted).text
        return page.text

    fetcher(server, fetch)


@toys.toy("pass", "revalidated", near=True)
def checks_every_one(server):
    """Follows redirects and checks each target like the first URL."""
    fetcher(server, lambda url: only_dotted(url) or follow(url, only_dotted).text)


@toys.toy("pass", "not-followed", near=True)
def follows_none(server):
    """Returns the answer of the first page, whatever it is."""
    fetcher(server, lambda url: only_dotted(url) or f"{get(url).status} {get(url).text}")


@toys.toy("inconclusive", "nothing-refused")
def refuses_nothing(server):
    """Fetches every spelling, so that no redirect gets round anything."""
    fetcher(server, lambda url: follow(url, only_web).text)


@toys.toy("na", "not-fetched")
def refuses_loopback(server):
    """Fetches nothing that the harness owns."""
    fetcher(server, lambda url: guard(url) or get(url).text)


if __name__ == "__main__":
    toys.main()
