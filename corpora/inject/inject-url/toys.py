"""Tools that put a value into a URL, and tools that only look as if they did."""

import http.client
import sys
from pathlib import Path
from urllib.parse import quote, urljoin, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from toykit import Refused, Toys

OTHERS = ("sql", "command", "path")
toys = Toys(active=True, **{f"checks.inject-{name}.enabled": False for name in OTHERS})


def get(url):
    """Fetches a page from loopback, and nothing from anywhere else."""
    parts = urlsplit(url)
    if parts.hostname != "127.0.0.1" or not parts.port:
        raise Refused("The service cannot be reached")
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=5)
    connection.request("GET", parts.path or "/", headers={"Connection": "close"})
    status = connection.getresponse().status
    connection.close()
    return f"status {status}"


def status(server, run):
    """Registers a tool that asks a tenant's service how it is."""
    server.tool("service_status", {"tenant": {"type": "string"}}, ["tenant"], "Ask a tenant's service how it is.")(
        lambda arguments: run(arguments["tenant"])
    )


@toys.toy("fail", "reached")
def takes_the_value_for_the_host(server):
    """Puts the value where the host stands."""
    status(server, lambda tenant: get(f"http://{tenant}/status") if ":" in tenant else "unknown tenant")


@toys.toy("fail", "reached")
def puts_the_value_behind_the_host(server):
    """Puts the value right behind a fixed host, without a slash."""
    status(server, lambda tenant: get(f"http://service.invalid{tenant}") if "@" in tenant else "unknown tenant")


@toys.toy("fail", "reached")
def joins_the_value(server):
    """Joins the value to a fixed URL, which another URL replaces."""

    def run(tenant):
        url = urljoin("http://service.invalid/tenants/", tenant)
        return "unknown tenant" if "service.invalid" in url else get(url)

    status(server, run)


@toys.toy("pass", "not-reached", near=True)
def quotes_the_value(server):
    """Quotes the value, so that it stays one part of the path."""

    def run(tenant):
        host = urlsplit(f"http://service.invalid/{quote(tenant, safe='')}").hostname
        return f"asked {host}: unknown tenant"

    status(server, run)


@toys.toy("pass", "not-reached", near=True)
def repeats_the_value(server):
    """Repeats the address that it was given."""
    status(server, lambda tenant: f"Fetched {tenant}: nothing there")


@toys.toy("part", "some-unjudged")
def has_a_tool_that_never_works(server):
    """Has a second tool that turns every value down."""
    status(server, lambda tenant: f"unknown tenant {tenant}")

    @server.tool("region_status", {"region": {"type": "string"}}, ["region"], "Ask a region how it is.")
    def region(arguments):
        raise Refused("Invalid parameters: no such region")


@toys.toy("inconclusive", "no-control")
def turns_everything_down(server):
    """Turns every value down before it is used."""

    def run(tenant):
        raise Refused("Invalid parameters: no such tenant")

    status(server, run)


if __name__ == "__main__":
    toys.main()
