"""Commands: whether what is run is what was allowed, where, and for how long. Runs only with --active."""

from __future__ import annotations

from sealmark.check import Pack, Target
from sealmark.packs.exec import allow_list, arg_injection, cwd, timeout_cap


def applies(target: Target) -> tuple[bool, str]:
    """Whether a tool runs commands and the harness owns the directory that they run in."""
    sure = dict.fromkeys(tool.name for tool, _ in target.taking("command", "run"))
    if not sure:
        return False, "no tool runs commands"
    if not target.facts.get("sandboxed"):
        return False, "the run has no sandbox, so the harness owns no directory to run commands in"
    return True, f"tools that run commands: {', '.join(sure)}"


PACK = Pack(
    id="exec",
    title="Commands",
    question="Does the server run only what it allows, where it should, and no longer than it says?",
    applies=applies,
    checks=(arg_injection.CHECK, allow_list.CHECK, cwd.CHECK, timeout_cap.CHECK),
    active_only=True,
)
