"""Fetchers that a page of the open internet redirects: some check only the first URL, some every one."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from toykit import Refused, Toys
from webbed import fetcher, follow, get, guard, isolated

toys = Toys(**isolated("public-redirect"))


@toys.toy("fail", "led-inside")
def checks_the_first_only(server):
    """Checks the URL that it was given and follows redirects wherever they lead."""
    fetcher(server, lambda url: guard(url) or follow(url).text)


@toys.toy("pass", "revalidated", near=True)
def checks_every_one(server):
    """Follows redirects and checks each target like the first URL."""
    fetcher(server, lambda url: guard(url) or follow(url, guard).text)


@toys.toy("pass", "not-followed", near=True)
def follows_none(server):
    """Tells where a redirect leads and does not go there."""
    fetcher(server, lambda url: guard(url) or f"{get(url).status} {get(url).location} {get(url).text}")


@toys.toy("inconclusive", "no-control")
def fetches_nothing(server):
    """Refuses everything."""

    def refuse(url):
        raise Refused("Refused: this host is not on the list of allowed hosts")

    fetcher(server, refuse)


@toys.toy("na", "not-isolated", isolation="none")
def is_not_isolated(server):
    """Runs where no page of the open internet is the harness's."""
    fetcher(server, lambda url: guard(url) or follow(url, guard).text)


if __name__ == "__main__":
    toys.main()
