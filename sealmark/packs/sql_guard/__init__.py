"""SQL guards: what a server that takes SQL sends on to the engine that it fronts."""

from __future__ import annotations

from sealmark.check import Pack, Target
from sealmark.packs.sql.aims import readers
from sealmark.packs.sql_guard import rowcap, scope, statements
from sealmark.packs.upstream.calls import stubbed


def applies(target: Target) -> tuple[bool, str]:
    """Whether a tool takes SQL and a stub stands in for the engine."""
    tools = [aim.tool.name for aim in readers(target)]
    if not tools:
        return False, "no tool takes SQL to read with"
    if not stubbed(target):
        return False, f"{', '.join(tools)} take SQL, but no stub stands in for the engine (upstream: {{kind: http}})"
    return True, f"tools that take SQL: {', '.join(tools)}"


PACK = Pack(
    id="sql-guard",
    title="SQL guard",
    question="Does the server send only what it should on to its engine?",
    applies=applies,
    checks=(statements.CHECK, scope.CHECK, rowcap.CHECK),
    status="candidate",
)
