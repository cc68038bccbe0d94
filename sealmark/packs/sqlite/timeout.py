"""Whether a query that would run for ever is stopped.

Why: A join without a condition, or a recursion without an end, keeps a processor busy until somebody kills the server.
SQLite runs inside the server's own process: while it computes, many servers answer nobody.

How: Each tool that takes SQL, except those that call themselves writers, is first asked for a join of one row; the
engine is known by sqlite_version(). At the end of the run, in a session of its own, it is asked for the same join of a
whole table with itself four times, which takes years: at the end, since a query that runs keeps the file locked for
whoever would write. It gets as long as a query may run (checks.sqlite-timeout.max_sec). An answer within that time,
whatever it says, means that something stopped the query; so does a refusal to begin it. The sessions of several tools
run side by side, so that the waits overlap, and a server that did not answer is ended.

When it can be wrong: A server whose time-out lies above the limit is told that it has none. A server that answers in
time and lets the query go on in the background passes, since nobody can look into its engine from outside.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.sql.aims import probe, readers, reply_of, statement_of
from sealmark.packs.sql.verdicts import NO_CONTROL, SOME_UNJUDGED, settle
from sealmark.packs.sqlite.ground import OTHER_ENGINE, foreign, reading, said, unnamed
from sealmark.record.model import Probe, Verdict

KEY = "checks.sqlite-timeout.max_sec"

RULES = (
    Rule(
        "ran-on",
        "fail",
        "A query got no answer within the longest time that a query may run.",
        "Set a progress handler that interrupts a statement at a deadline, or call interrupt() from another thread.",
    ),
    SOME_UNJUDGED,
    NO_CONTROL,
    OTHER_ENGINE,
    Rule("stopped", "pass", "A query that would run for ever was answered within the limit."),
)

SHORT = (
    "SELECT 'joined ' || count(*) AS n FROM readings a, readings b, readings c, readings d "
    "WHERE a.label <> b.label || c.label AND a.id + b.id = 2 AND c.id = 1 AND d.id = 1 AND b.id = 1 AND a.id = 1"
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each tool its controls and a short join."""
    for aim in readers(target):
        yield from reading(target, aim)
        yield from probe(target, aim, "short", [SHORT], role="control", why="one row of a join")


def follow_up(target: Target, seen: Seen) -> Iterator[Probe]:
    """Yield the long join for each tool that ran the short one: after all else, since it keeps the file locked."""
    if foreign(seen) is not None:
        return
    most = float(target.setting(KEY, 30))
    for aim in readers(target):
        for control in seen.controls.of_tool(aim.tool.name).where(lambda outcome: _works(outcome, seen)):
            for case in target.cases:
                yield from probe(
                    target,
                    aim,
                    case.id,
                    case["statements"],
                    why=case.why,
                    session=f"wait:{aim.tool.name}",
                    requires=control.probe.id,
                    timeout_sec=most,
                )


def _works(outcome: Outcome, seen: Seen) -> bool:
    return outcome.probe.case == "short" and outcome.answered and "joined 1" in said(outcome, seen)


def judge(seen: Seen) -> Verdict:
    """Pick the rule: ran on, another engine, or how much could be judged."""
    most = float(seen.target.setting(KEY, 30))
    other = foreign(seen)
    if other is not None:
        return other
    hung = seen.attacks.where(lambda outcome: outcome.hung)
    if hung:
        summary = f"{', '.join(hung.tools)}: no answer within {most:g} s to a query that would run for ever."
        line = f"was not answered within {most:g} s"
        return seen.decide("ran-on", hung, summary, line=lambda outcome: f"{statement_of(outcome)} {line}")
    return unnamed(seen) or settle(
        seen,
        readers(seen.target),
        lambda outcome: _works(outcome, seen),
        "stopped",
        lambda answered, all_: f"A query that would run for ever was answered within {most:g} s.",
        lambda outcome: f"{statement_of(outcome)} {reply_of(outcome)}",
    )


CHECK = Check(
    id="sqlite-timeout",
    revision=1,
    title="A query is stopped in time",
    question="Can one query keep the server busy for ever?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    follow_up=follow_up,
    cwe=("CWE-400", "CWE-770"),
    settings=(KEY, "sql_tools"),
)
