"""Net: where a tool that takes a URL can be sent, by which scheme, and how much it takes in."""

from __future__ import annotations

from urllib.parse import urlsplit

from sealmark.check import Pack, Target
from sealmark.packs.net import (
    caps,
    dns_rebinding,
    loopback_ssrf,
    private_ranges,
    public_redirect,
    redirect,
    scheme_allowlist,
)

LOCAL = ("localhost", "127.0.0.1", "::1")
"""Hosts of a server that runs where the listener does."""


def applies(target: Target) -> tuple[bool, str]:
    """Whether a tool takes a URL, and the server runs where the harness's listener can be reached."""
    sure = dict.fromkeys(tool.name for tool, _ in target.taking("url"))
    if not sure:
        unsure = dict.fromkeys(tool.name for tool, _ in target.taking("url", sure=False))
        more = f"; not sure enough of: {', '.join(unsure)} (say so under tools.overrides)" if unsure else ""
        return False, f"no tool takes a URL{more}"
    if "listener" not in target.facts:
        return False, "the run has no listener, so the harness owns no URL to test with"
    host = urlsplit(target.gathered.server.url).hostname
    if host is not None and host not in LOCAL:
        return False, "the server runs on another machine, whose loopback is not the harness's"
    return True, f"tools that take a URL: {', '.join(sure)}"


PACK = Pack(
    id="net",
    title="Network",
    question="Where can a tool that takes a URL be sent, and how much does it take in?",
    applies=applies,
    checks=(
        loopback_ssrf.CHECK,
        scheme_allowlist.CHECK,
        caps.CHECK,
        redirect.CHECK,
        private_ranges.CHECK,
        dns_rebinding.CHECK,
        public_redirect.CHECK,
    ),
)
