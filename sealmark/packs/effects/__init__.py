"""Effects: whether what a tool says of itself is true, that it only reads, that it reaches nothing outside."""

from __future__ import annotations

from sealmark.check import Pack, Target
from sealmark.packs.effects import network, open_world, outside, read_only
from sealmark.packs.effects.claims import closed, readers


def applies(target: Target) -> tuple[bool, str]:
    """Whether a tool makes a claim, or reads by its name, and can be called with what the harness owns."""
    if not target.facts.get("sandboxed"):
        return False, "the run has no sandbox, so the harness owns no directory to watch"
    tools = [*(reader.tool for reader in readers(target)), *(aim.tool for aim in closed(target))]
    names = dict.fromkeys(tool.name for tool in tools)
    if not names:
        return False, "no tool that claims or seems to change nothing can be called with what the harness owns"
    return True, f"tools whose claims can be tried: {', '.join(names)}"


PACK = Pack(
    id="effects",
    title="Effects",
    question="Do tools keep to what their annotations say of them?",
    applies=applies,
    checks=(read_only.CHECK, open_world.CHECK, outside.CHECK, network.CHECK),
)
