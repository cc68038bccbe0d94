"""Postgres: whether a server that runs SQL keeps to reading, to its role's rows, and to bounds."""

from __future__ import annotations

from sealmark.check import Pack, Target
from sealmark.packs.db import (
    audit_log,
    masking,
    mutating_sql,
    privilege,
    read_only,
    rls,
    row_cap,
    timeout,
    write_gate,
)
from sealmark.packs.sql.aims import aims

PLACEHOLDERS = frozenset(("dsn", "host", "port", "user", "password", "database"))
"""Placeholders by which the server is told of the harness's database."""


def applies(target: Target) -> tuple[bool, str]:
    """Whether a tool takes SQL and the server talks to the harness's own Postgres."""
    tools = [aim.tool.name for aim in aims(target)]
    if not tools:
        unsure = dict.fromkeys(tool.name for tool, _ in target.taking("sql", sure=False))
        more = f"; not sure enough of: {', '.join(unsure)} (name them under sql_tools)" if unsure else ""
        return False, f"no tool takes SQL{more}"
    if not target.facts.get("database"):
        return False, (
            f"{', '.join(tools)} take SQL, but the server is not told of the harness's Postgres: put {{dsn}} where its "
            "command line or its environment takes a connection string"
        )
    if not PLACEHOLDERS & set(target.facts.get("placeholders", ())):
        return False, "the server's command line and environment do not say where the harness's Postgres is"
    return True, f"tools that take SQL: {', '.join(tools)}"


PACK = Pack(
    id="db",
    title="Postgres",
    question="Does the server keep to reading, to what its role may see, and to bounds?",
    applies=applies,
    checks=(
        read_only.CHECK,
        rls.CHECK,
        mutating_sql.CHECK,
        masking.CHECK,
        row_cap.CHECK,
        timeout.CHECK,
        write_gate.CHECK,
        audit_log.CHECK,
        privilege.CHECK,
    ),
)
