"""Backends: what a server sends to what it fronts, for whom, and what it lets through on the way back."""

from __future__ import annotations

from sealmark.check import Pack, Target
from sealmark.packs.upstream import error_relay, identity, slow, token_leak
from sealmark.packs.upstream.calls import stubbed, valid_calls


def applies(target: Target) -> tuple[bool, str]:
    """Whether a stub stands in for the backend and a valid call is known."""
    if not stubbed(target):
        return False, "no stub stands in for the server's backend (upstream: {kind: http})"
    calls = valid_calls(target)
    if not calls:
        return False, "no valid call is known: write a probe without check: under probes:"
    return True, f"valid calls: {', '.join(dict.fromkeys(call.tool for _, call in calls))}"


PACK = Pack(
    id="upstream",
    title="Backend",
    question="Does the server treat its backend, and its callers' tokens, as it should?",
    applies=applies,
    checks=(identity.CHECK, token_leak.CHECK, error_relay.CHECK, slow.CHECK),
    status="candidate",
)
