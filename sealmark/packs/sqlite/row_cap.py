"""Whether one query can bring back a whole table, however long it is.

Why: What a tool returns goes into a model's context. A question without a condition then costs money, pushes out what
was said before, and carries more rows out of the database than anybody meant to show.

How: The database holds a table with a thousand rows more than the limit (checks.sqlite-row-cap.max_rows). Each tool
that takes SQL, except those that call themselves writers, first reads three rows of it, and the engine is known by
sqlite_version(). Then it is asked for all rows. Each row carries its number in its text, so that rows are counted in
whatever form they come: JSON, Markdown, CSV, a list of tuples, lines. As many rows as the limit, or fewer, pass,
whether the reply is a part, a notice or a refusal.

When it can be wrong: A server that returns a part of the rows in an order of its own may be told too many or too few
when its reply is long. A bound on characters counts as a bound on rows as far as it is one. Several pages are not
added up: who asks again has decided to.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.sql.aims import probe, readers, reply_of, statement_of
from sealmark.packs.sql.counts import returned, row_text
from sealmark.packs.sql.verdicts import NO_CONTROL, SOME_UNJUDGED, settle
from sealmark.packs.sqlite.ground import OTHER_ENGINE, foreign, reading, said, unnamed
from sealmark.record.model import Probe, Verdict

KEY = "checks.sqlite-row-cap.max_rows"

RULES = (
    Rule(
        "over-limit",
        "fail",
        "One query brought back more rows than the limit.",
        "Fetch at most as many rows as a reader can use, and say in the reply that there are more.",
    ),
    Rule(
        "fell-over",
        "fail",
        "The server ended, or gave no answer, when it was asked for all rows of a table.",
        "Fetch rows one after another and stop at a bound.",
    ),
    Rule(
        "unread",
        "inconclusive",
        "A tool answered, and nothing tells how many rows it returned.",
        "Return rows as structured content, JSON or a table, or say how many there are.",
    ),
    SOME_UNJUDGED,
    NO_CONTROL,
    OTHER_ENGINE,
    Rule("capped", "pass", "No query brought back more rows than the limit."),
)

ROWS = "SELECT id, label FROM readings ORDER BY id"


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each tool its controls, three rows, and all rows."""
    for aim in readers(target):
        yield from reading(target, aim)
        few = tuple(probe(target, aim, "three-rows", [f"{ROWS} LIMIT 3"], role="control", why="three rows"))
        yield from few
        for case in target.cases if few else ():
            yield from probe(target, aim, case.id, case["statements"], why=case.why, requires=few[0].id)


def _works(outcome: Outcome, seen: Seen) -> bool:
    return outcome.probe.case == "three-rows" and outcome.answered and row_text(3) in said(outcome, seen)


def judge(seen: Seen) -> Verdict:
    """Pick the rule: fell over, too many rows, rows that nobody can count, or how much could be judged."""
    limit = int(seen.target.setting(KEY, 1000))
    other = foreign(seen)
    if other is not None:
        return other
    fell = seen.attacks.where(lambda outcome: outcome.crashed or outcome.hung)
    if fell:
        return seen.decide("fell-over", fell, line=lambda outcome: f"{statement_of(outcome)} was not answered")
    counts = {outcome.probe.id: returned(outcome, seen) for outcome in seen.attacks.answered}
    over = seen.attacks.where(lambda outcome: (counts.get(outcome.probe.id) or 0) > limit)
    if over:
        most = max(counts[outcome.probe.id] or 0 for outcome in over)
        summary = f"{', '.join(over.tools)} returned {most} rows to one query; the limit is {limit}."
        return seen.decide("over-limit", over, summary, line=lambda o: f"{statement_of(o)}: {counts[o.probe.id]} rows")
    if (unknown := unnamed(seen)) is not None:
        return unknown
    working = {outcome.probe.tool for outcome in seen.controls if _works(outcome, seen)}
    dark = seen.attacks.answered.where(
        lambda outcome: outcome.probe.tool in working and _uncounted(outcome, counts[outcome.probe.id])
    )
    if dark:
        return seen.decide("unread", dark, line=lambda outcome: f"{statement_of(outcome)} {reply_of(outcome)}")
    return settle(
        seen,
        readers(seen.target),
        lambda outcome: _works(outcome, seen),
        "capped",
        lambda answered, all_: f"A table longer than {limit} rows was asked for, and no reply held more.",
        lambda outcome: f"{statement_of(outcome)}: {counts[outcome.probe.id] or 0} rows",
    )


def _uncounted(outcome: Outcome, count: int | None) -> bool:
    """Whether a reply neither holds rows that can be counted nor says that it holds none."""
    last = outcome.last
    if count is not None or last is None or last.is_error or last.outcome == "error":
        return False
    read = last.readings
    return read is None or not (read.refusal or read.failure or (read.rows is not None and read.rows == 0))


CHECK = Check(
    id="sqlite-row-cap",
    revision=1,
    title="One query has a bound on rows",
    question="Can one query bring back a whole table, however long?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-770", "CWE-200"),
    settings=(KEY, "sql_tools"),
)
