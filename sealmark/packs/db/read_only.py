"""Whether a tool that answers questions also changes the database when it is plainly told to.

Why: A model that was asked for a figure and writes a wrong statement, or was talked into one by a text that it read,
should meet a database that does not change. Read-only by default is the first of the rules that other rules rest on.

How: Each tool that takes SQL, except those that call themselves writers, first reads a row. Then it is told in plain
SQL to insert a row, to change one, to create a table: things that its role may do, so that only the server stands in
the way. The harness looks at the database before and after with a connection of its own. What changed decides,
whatever the reply says; then it is put back. The many ways around such a rule are the business of db-mutating-sql.

When it can be wrong: A server that is meant to write by its only SQL tool fails here by design; let it offer a reading
tool, or an approval. A server that commits long after its reply is not seen to write.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Rule, Seen, Target
from sealmark.packs.db.shop import changes, unchanged, writes, wrote
from sealmark.packs.sql.verdicts import NO_CONTROL, SOME_UNJUDGED, changed
from sealmark.record.model import Probe, Verdict

RULES = (
    Rule(
        "changed",
        "fail",
        "A plain writing statement changed the database.",
        "Run statements in a read-only transaction, as a role that may only read, unless somebody approved a write.",
    ),
    SOME_UNJUDGED,
    NO_CONTROL,
    Rule("unchanged", "pass", "Tools read, and no plain writing statement changed the database."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each tool a control read, then the plain writes."""
    yield from writes(target)


def judge(seen: Seen) -> Verdict:
    """Pick the rule: something changed, or how much could be judged."""
    return changed(seen, changes, wrote) or unchanged(seen, "plain writes")


CHECK = Check(
    id="db-read-only",
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
