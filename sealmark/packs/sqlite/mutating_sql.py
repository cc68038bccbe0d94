"""Whether any statement gets a change past a tool that is there to read.

Why: Most servers guard reading by one means: a look at the first word, a list of forbidden words, a pragma, a
connection that may only read. The first two have ways around them that are well known, and a pragma protects nothing
from whoever may set it.

How: Each tool that takes SQL, except those that call themselves writers, first reads a row of a small database that
the harness made, and the engine is known by sqlite_version(). Then it gets every case of the corpus: plain data and
schema changes, changes behind comments, blanks, a byte order mark or WITH, changes that return rows, stacked
statements, each way to begin or end a transaction followed by a change, and pragmas that write or that switch a guard
off. After each the harness reads the file itself: rows of every table, the schema, the numbers in its head. What
changed decides, whatever the reply says; then it is put back. Temporary tables change nothing and are no finding.

Tools that call themselves writers are not judged here, since writing is what they are for (see sqlite-read-only).

When it can be wrong: What a statement did and undid before the look is not seen. Neither is a change that a server
keeps in an open transaction and commits later, unless a later case of the run ends it. A tool that is meant to write
and does not say so in its name fails here.
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
        "A statement sent to a reading tool changed the database.",
        "Open the file with mode=ro, run one statement at a time, and set an authorizer that allows reading only.",
    ),
    SOME_UNJUDGED,
    NO_CONTROL,
    OTHER_ENGINE,
    Rule("unchanged", "pass", "Tools read, and no statement of the corpus changed the database."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each tool its controls, then every case."""
    yield from statements(target)


def judge(seen: Seen) -> Verdict:
    """Pick the rule: something changed, another engine, or how much could be judged."""
    return foreign(seen) or changed(seen, changes, wrote, counted=True) or unchanged(seen, "statements")


CHECK = Check(
    id="sqlite-mutating-sql",
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
