"""SQLite: whether a tool that takes SQL stays a reader, and stays in its file."""

from __future__ import annotations

from sealmark.check import Pack, Target
from sealmark.packs.sql.aims import aims
from sealmark.packs.sqlite import extension_load, file_access, mutating_sql, read_only, row_cap, timeout


def applies(target: Target) -> tuple[bool, str]:
    """Whether a tool takes SQL and the harness owns the database that it works on."""
    names = ", ".join(aim.tool.name for aim in aims(target))
    if not names:
        return False, "no tool takes SQL (say so under sql_tools)"
    if not target.facts.get("sandboxed"):
        return False, "the run has no sandbox, so the harness owns no database file to test with"
    if "sqlite" in target.facts:
        return True, f"tools that take SQL: {names}"
    if "duckdb" in target.facts:
        return True, f"tools that take SQL: {names}; DuckDB is not graded, so the checks can only name the engine"
    return False, (
        f"{names}: tools that take SQL, but the server's database is not {{sqlite_path}}: name it in the command line "
        "or the environment. SQLite servers only"
    )


PACK = Pack(
    id="sqlite",
    title="SQLite",
    question="Does a tool that takes SQL stay a reader, and stay in its file?",
    applies=applies,
    checks=(
        read_only.CHECK,
        row_cap.CHECK,
        timeout.CHECK,
        mutating_sql.CHECK,
        file_access.CHECK,
        extension_load.CHECK,
    ),
)
