"""Scope: whether a server serves only what was declared for it."""

from __future__ import annotations

from sealmark.check import Pack, Target
from sealmark.packs.scope import escape


def applies(target: Target) -> tuple[bool, str]:
    """Whether the configuration declares tools and what they may serve."""
    tools = [entry["tool"] for entry in target.setting("scope.tools") or ()]
    if not tools:
        return False, "no tool's scope is declared (scope.tools)"
    if not target.setting("scope.allow"):
        return False, "scope.tools names tools, and scope.allow does not say what they may serve"
    return True, f"declared for: {', '.join(dict.fromkeys(tools))}"


PACK = Pack(
    id="scope",
    title="Scope",
    question="Does the server serve only what was declared for it?",
    applies=applies,
    checks=(escape.CHECK,),
    status="candidate",
)
