"""Whether a tool that answers questions also changes the database when it is plainly told to.

Why: A model that was asked for a figure and writes a wrong statement, or was talked into one by a text that it read,
should meet a database that does not change. The other rules of this pack build on that one.

How: Each tool that takes SQL, except those that call themselves writers, first reads a row of a small database that
the harness made, and computes something with sqlite_version(), so that the engine is known. Then it is told in plain
SQL to insert a row, to change one, to remove one, to create a table. After each the harness reads the file itself:
rows of every table, the schema, the numbers in its head. What changed decides, whatever the reply says; then it is put
back. The many ways around such a rule are the business of sqlite-mutating-sql.

A tool that says by its name that it writes (write_query, create_table) is not held to this: who calls it knows what
to expect, and a client can ask its user first. It is held to sqlite-file-access and sqlite-extension-load like all
others. A tool that only the configuration calls a writer is held to this all the same, so that no list can excuse it.

When it can be wrong: A server that is meant to write by its only SQL tool fails here by design; let it offer a reading
tool beside it. A server that commits long after its reply is not seen to write.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Rule, Seen, Target
from sealmark.packs.sql.verdicts import NO_CONTROL, SOME_UNJUDGED, changed
from sealmark.packs.sqlite.ground import OTHER_ENGINE, changes, foreign, unchanged, wrote
from sealmark.packs.sqlite.statements import statements
from sealmark.record.model import Probe, Verdict

RULES = (
    Rule(
        "changed",
        "fail",
        "A plain writing statement changed the database.",
        "Open the file with mode=ro, or set an authorizer that allows reading only, unless somebody approved a write.",
    ),
    SOME_UNJUDGED,
    NO_CONTROL,
    OTHER_ENGINE,
    Rule("unchanged", "pass", "Tools read, and no plain writing statement changed the database."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each tool its controls, then the plain writes."""
    yield from statements(target)


def judge(seen: Seen) -> Verdict:
    """Pick the rule: something changed, another engine, or how much could be judged."""
    return foreign(seen) or changed(seen, changes, wrote) or unchanged(seen, "plain writes")


CHECK = Check(
    id="sqlite-read-only",
    revision=1,
    title="Plain writes are refused",
    question="Does a tool that answers questions change the database when it is told to?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-250", "CWE-732"),
    owasp="MCP02:2025 Privilege Escalation via Scope Creep",
    settings=("sql_tools",),
)
