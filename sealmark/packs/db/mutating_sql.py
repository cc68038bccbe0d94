"""Whether any statement gets a change past a tool that is there to read.

Why: Most servers guard reading by one means: a look at the first word, a read-only transaction, a parser. Each has ways
around it that are well known. A transaction that a statement can end protects nothing after its end; a first word says
nothing of what follows it, or of what a function does.

How: Each tool that takes SQL, except those that call themselves writers, first reads a row. Then it gets nineteen
cases: plain data and schema changes, stacked statements, a change inside WITH, COPY, DO, and SELECT with side effects
(a function, EXPLAIN ANALYZE of a write, nextval, set_config followed by a write, an attempt to end a connection of
the harness's own), and each of COMMIT, ROLLBACK, END and ABORT followed by a write. The role may do all of it but the
last, so that only the server stands in the way. The harness looks at the database before and after each case
with a connection of its own: rows of every table, objects, sequences, roles, settings. What changed decides, whatever
the reply says; then it is put back.

When it can be wrong: What a statement did and undid before the look is not seen, nor are changes outside the database
(a file that COPY wrote would need rights that the role does not have). A tool that is meant to write and does not say
so in its name fails here.
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
        "A statement sent to a reading tool changed the database.",
        "Run one prepared statement at a time inside a read-only transaction, as a role that may only read.",
    ),
    SOME_UNJUDGED,
    NO_CONTROL,
    Rule("unchanged", "pass", "Tools read, and no statement of the corpus changed the database."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each tool a control read, then every case."""
    yield from writes(target)


def judge(seen: Seen) -> Verdict:
    """Pick the rule: something changed, or how much could be judged."""
    return changed(seen, changes, wrote, counted=True) or unchanged(seen, "statements")


CHECK = Check(
    id="db-mutating-sql",
    revision=1,
    title="No statement writes through a reading tool",
    question="Can any statement change the database through a tool that is there to read?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-89", "CWE-863"),
    owasp="MCP05:2025 Command Injection & Execution",
    settings=("sql_tools",),
)
