"""Whether a query that would run for ever is stopped.

Why: A join without a condition can keep a database busy for hours. Who asked is long gone by then; the connection, the
processor and the locks are not free before the statement ends.

How: In a session of its own each tool is first asked to sleep for a moment in the database. When that works it is
asked to sleep for much longer than a query may run (checks.db-timeout.max_sec), and the harness waits for as long as
it may. An answer within that time, whatever it says, means that something stopped the query. A tool that refuses to
sleep is asked for a join that takes hours instead, after a small one of the same form. After each the harness looks
whether the statement still runs in the database, and ends it. These sessions run beside all others, so that the waits
overlap.

When it can be wrong: A server whose time-out lies above the limit is told that it has none. A statement that still
runs at the moment of the look, and ends a moment later, counts as going on.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Group, Outcome, Rule, Seen, Target
from sealmark.packs.sql.aims import Aim, probe, readers, reply_of, statement_of
from sealmark.packs.sql.verdicts import NO_CONTROL, SOME_UNJUDGED, settle
from sealmark.record.model import Look, Probe, Restore, Verdict

KEY = "checks.db-timeout.max_sec"

RULES = (
    Rule(
        "ran-on",
        "fail",
        "A query got no answer within the longest time that a query may run.",
        "Set statement_timeout on the connection, and let the tool's own deadline cancel the statement.",
    ),
    Rule(
        "goes-on",
        "part",
        "The call was answered in time, but its statement still runs in the database.",
        "Cancel the statement when the deadline passes, or set statement_timeout, which the database keeps itself.",
    ),
    SOME_UNJUDGED,
    NO_CONTROL,
    Rule("stopped", "pass", "A query that would run for much longer was answered within the limit."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each tool a short and a long statement of each kind; the second kind where the first is refused."""
    for aim in readers(target):
        earlier = ""
        for case in target.cases:
            made = tuple(_case(target, aim, case.id, case.data, case.why, earlier))
            yield from made
            earlier = f"!{made[0].id}" if made else ""


def _case(target: Target, aim: Aim, case: str, data: object, why: str, requires: str) -> Iterator[Probe]:
    most = target.setting(KEY, 30)
    assert isinstance(data, dict)
    watch, session = data["watch"], f"wait:{aim.tool.name}"
    short = tuple(
        probe(target, aim, case, [data["short"]], role="control", why="a short one", session=session, requires=requires)
    )
    yield from short
    for control in short:
        yield from probe(
            target,
            aim,
            case,
            [data["long"].format(seconds=f"{2 * most + 5:g}")],
            why=why,
            after=(Look(watch), Restore(watch)),
            session=session,
            requires=control.id,
            timeout_sec=most,
        )


def _works(outcome: Outcome) -> bool:
    """Whether a short statement ran; some servers report an error as plain text."""
    read = outcome.last.readings if outcome.last is not None else None
    return outcome.worked and not (read and (read.refusal or read.failure))


def _goes_on(outcome: Outcome) -> bool:
    looks = [look for watch in ("sleeping", "computing") for look in outcome.looked(watch)]
    return outcome.answered and any(look["running"] for look in looks)


def judge(seen: Seen) -> Verdict:
    """Pick the rule: ran on, goes on in the database, or how much could be judged."""
    most = seen.target.setting(KEY, 30)
    hung = seen.attacks.where(lambda outcome: outcome.hung)
    if hung:
        summary = f"{', '.join(hung.tools)}: no answer within {most:g} s to a query that runs for much longer."
        line = f"was not answered within {most:g} s"
        return seen.decide("ran-on", hung, summary, line=lambda outcome: f"{statement_of(outcome)} {line}")
    left: Group = seen.attacks.where(_goes_on)
    if left:
        return seen.decide(
            "goes-on", left, line=lambda outcome: f"{statement_of(outcome)} {reply_of(outcome)}, and still runs"
        )
    return settle(
        seen,
        readers(seen.target),
        _works,
        "stopped",
        lambda answered, all_: f"Queries that run for much longer were answered within {most:g} s.",
        lambda outcome: f"{statement_of(outcome)} {reply_of(outcome)}",
    )


CHECK = Check(
    id="db-timeout",
    revision=1,
    title="A query is stopped in time",
    question="Can one query keep the database busy for ever?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-400", "CWE-770"),
    settings=(KEY, "sql_tools"),
)
