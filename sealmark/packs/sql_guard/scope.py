"""Whether a guard of SQL finds names outside the scope in every position of a statement.

Why: A guard that checks the name after FROM misses the one in a join, in a subquery, behind a common table expression
or in the second half of a union, and the engine serves them all.

How: scope.allow says what may be read. Through each reading tool go reads that name something outside in every position
where SQL takes a name, and reads of each name under scope.deny. A stub stands in for the engine: a request that holds
the name from outside fails, whatever came back.

When it can be wrong: A guard that relies on the engine's own rights sends them on by design. Names that only the engine
can resolve, such as views over other tables, are not tried.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.scope.names import Scope
from sealmark.packs.sql_guard.guarded import NO_CONTROL, allowed, filled, judged, probes, sent_on
from sealmark.packs.upstream.calls import naming
from sealmark.record.model import Probe, Verdict

RULES = (
    Rule(
        "forwarded",
        "fail",
        "A read that names something outside the scope was sent on to the backend.",
        "Parse each statement, collect every table in its tree, and compare whole parts with what is allowed.",
    ),
    NO_CONTROL,
    Rule("no-scope", "na", "What may be read is not declared (scope.allow)."),
    Rule("stopped", "pass", "No read that names something outside the scope reached the backend."),
)


def statements(target: Target) -> dict[str, tuple[str, str]]:
    """Case -> (statement, reason)."""
    scope = Scope.of(target.setting)
    sep = scope.separator
    made: dict[str, tuple[str, str]] = {}
    for case in target.cases:
        out = sep.join(["sm_other", "sm_schema", f"sm_out_{case.id.replace('-', '_')}"])
        quoted = sep.join(f'"{part}"' for part in out.split(sep))
        values = {"allowed": allowed(target), "out": out, "quoted_out": quoted, "upper_out": out.upper()}
        made[case.id] = (filled(case["sql"], values), case.why)
    for number, entry in enumerate(scope.deny, 1):
        name = f"{entry}sm_denied" if entry.endswith(sep) else entry
        made[f"denied-{number}"] = (f"SELECT * FROM {name}", "a name that is denied")
        made[f"denied-{number}-join"] = (f"SELECT * FROM {allowed(target)} a, {name} b", "the same, second")
    return made


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each reading tool an ordinary read, then every read of something outside."""
    if target.setting("scope.allow"):
        yield from probes(target, statements(target))


def _denied(outcome: Outcome, scope: Scope) -> bool:
    return outcome.probe.case.startswith("denied-") and any(
        True for entry in scope.deny if not entry.endswith(scope.separator) for _ in naming(outcome, entry)
    )


def judge(seen: Seen) -> Verdict:
    """Pick the rule: sent on, or stopped."""
    scope = Scope.of(seen.target.setting)
    if not scope.allow:
        return seen.decide("no-scope")
    return judged(seen, lambda outcome: sent_on(outcome) or _denied(outcome, scope), "reads")


CHECK = Check(
    id="sql-guard-scope",
    revision=1,
    title="The guard finds names outside the scope everywhere",
    question="Does a read of something outside the scope reach the backend?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-863", "CWE-639"),
    owasp="MCP02",
)
