"""Injection: whether a plain text, given to a tool as a value, becomes a command, SQL, a path or a URL.

Runs only with --active, since it calls tools of every kind.
"""

from __future__ import annotations

from sealmark.check import Pack, Target
from sealmark.packs.inject import command, path, sql, url
from sealmark.packs.inject.values import free


def applies(target: Target) -> tuple[bool, str]:
    """Whether a tool has an argument for text that no other pack owns, and the harness owns where the server runs."""
    names = dict.fromkeys(tool.name for tool, _ in free(target))
    if not names:
        return False, "no tool has an argument for text that the other packs leave out"
    if not target.facts.get("sandboxed"):
        return False, "the run has no sandbox, so the harness owns nothing that an injection could reach"
    shown = ", ".join(list(names)[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
    return True, f"tools with arguments for text: {shown}"


PACK = Pack(
    id="inject",
    title="Injection",
    question="Can a value that a tool takes as text become something that runs, reads or fetches?",
    applies=applies,
    checks=(command.CHECK, sql.CHECK, path.CHECK, url.CHECK),
    status="candidate",
    active_only=True,
)
