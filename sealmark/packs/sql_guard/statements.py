"""Whether a guard of read-only SQL stops twenty forms that are no plain read.

Why: A server that lets a model write SQL for a shared engine relies on its guard to let reads pass and nothing else. A
guard that looks at the first word, at one statement, or at the text instead of its grammar is passed by.

How: A stub stands in for the engine. An ordinary read must reach it first. Then each form is sent through each reading
tool: DML, DDL, stacked statements, a write in a common table expression, terminators, mixed case, comments, a procedure
call, a statement that cannot be parsed. What reached the stub decides: each statement holds a word of its own where it
does harm, and a request with that word fails, whatever came back.

When it can be wrong: A guard that relies on the engine's own rights sends statements on by design; then the engine
decides, and this check says so. A guard that sends a harmless rewriting under the same word is taken for one that does
not stop it.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Rule, Seen, Target
from sealmark.packs.sql_guard.guarded import NO_CONTROL, allowed, filled, judged, probes, sent_on
from sealmark.record.model import Probe, Verdict

RULES = (
    Rule(
        "forwarded",
        "fail",
        "A statement that is no plain read was sent on to the backend.",
        "Parse each statement, allow a single SELECT whose whole tree reads, and refuse what cannot be parsed.",
    ),
    NO_CONTROL,
    Rule("stopped", "pass", "No statement other than plain reads reached the backend."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each reading tool an ordinary read, then every form."""
    values = {"allowed": allowed(target)}
    yield from probes(target, {case.id: (filled(case["sql"], values), case.why) for case in target.cases})


def judge(seen: Seen) -> Verdict:
    """Pick the rule: sent on, or stopped."""
    return judged(seen, sent_on, "forms")


CHECK = Check(
    id="sql-guard-statements",
    revision=1,
    title="The guard lets plain reads pass and nothing else",
    question="Does a statement that is no plain read reach the backend?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-89", "CWE-863"),
    owasp="MCP05",
    settings=("checks.sql-guard-statements.control_sql",),
)
