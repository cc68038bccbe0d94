"""Real servers in a world of their own: fetched from the registries first, then started without a network."""

import asyncio
import os

import pytest

from sealmark.bench.isolation import level
from sealmark.conductor import Conductor
from sealmark.settings import Origin, Settings

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(level().name != "full", reason=f"this machine isolates: {level().name} ({level().reason})"),
]

OTHERS = ("loopback-ssrf", "scheme-allowlist", "caps", "redirect")
ONLY = {f"checks.net-{name}.enabled": False for name in OTHERS}


def run(command, *args, packs=("net",), **more):
    settings = Settings.standard().replace(
        {"server.command": command, "server.args": args, "packs": packs, "isolation": "full", **ONLY, **more},
        Origin("code", "test"),
    )
    return asyncio.run(Conductor(settings, environ=os.environ).run())


def rules(record):
    return {verdict.check: verdict.rule for verdict in record.judgements[-1].verdicts}


def test_an_old_fetcher_goes_everywhere():
    record = run("uvx", "--with", "mcp<2", "--with", "httpx<0.28", "mcp-server-fetch@2025.4.7")
    assert record.failure is None
    found = rules(record)
    assert found["net-private-ranges"] == "metadata"
    assert found["net-public-redirect"] == "led-inside"
    assert found["net-dns-rebinding"] in ("content", "blind")


def test_a_current_fetcher_stays_out_of_private_networks_and_looks_at_redirects():
    """Its documentation says that it does not protect against names that change their address."""
    record = run("uvx", "mcp-server-fetch@2026.10.24")
    assert record.failure is None
    found = rules(record)
    assert found["net-private-ranges"] == "kept-out"
    assert found["net-public-redirect"] in ("revalidated", "not-followed")
    assert found["net-dns-rebinding"] in ("content", "blind")


@pytest.mark.parametrize("package", ["@modelcontextprotocol/server-memory", "@modelcontextprotocol/server-filesystem"])
def test_a_package_is_fetched_first_and_starts_without_a_network(package):
    record = run("npx", "-y", package, "{sandbox}", packs=("core",))
    assert record.failure is None
    assert record.gathered.facts["isolation"]["level"] == "full"
    assert rules(record)["protocol"] != "none-answered"
