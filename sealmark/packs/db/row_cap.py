"""Whether one query can bring back more rows than anybody can read.

Why: A model that forgets a LIMIT gets a table of millions into its context, and the server, the client and the bill on
the way hold all of it. A bound belongs on the server's side, since it is the one that every caller passes.

How: Each tool first reads a row. Then it is asked for twice as many rows as it may return (checks.db-row-cap.max_rows),
in ways in which bounds are got around: plainly, with a large LIMIT of the caller's, with the word LIMIT in a comment
or in another part of the statement, as a UNION of two bounded halves. Rows are numbered and each holds a text of fixed
length. They are counted in whatever form they come (JSON, structured content, tables, CSV), and no reply counts for
more rows than its length has room for. A refusal returns no rows and passes.

When it can be wrong: A form that the readers of rows do not know makes the check inconclusive, unless the reply is too
short to hold too many, or its end shows the last row. A bound above the limit counts as none.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.db.shop import control, reads
from sealmark.packs.sql.aims import probe, readers, statement_of
from sealmark.packs.sql.counts import returned
from sealmark.packs.sql.verdicts import NO_CONTROL, SOME_UNJUDGED, settle
from sealmark.record.model import Probe, Verdict

KEY = "checks.db-row-cap.max_rows"

RULES = (
    Rule(
        "over-cap",
        "fail",
        "One query returned more rows than the limit.",
        "Fetch at most a fixed number of rows from the cursor, whatever the statement says, and say that it was cut.",
    ),
    Rule(
        "uncounted",
        "inconclusive",
        "The rows of a reply could not be counted.",
        "Return rows as JSON, structured content, CSV or a table, or say how many there are.",
    ),
    SOME_UNJUDGED,
    NO_CONTROL,
    Rule("capped", "pass", "No query returned more rows than the limit."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each tool a control read, then the large reads."""
    asked = 2 * target.setting(KEY, 1000)
    for aim in readers(target):
        before = control(target, aim)
        yield from before
        for case in target.cases if before else ():
            statement = case["statement"].format(rows=rows_of(target, asked), asked=asked)
            yield from probe(target, aim, case.id, [statement], why=case.why, requires=before[0].id)


def rows_of(target: Target, asked: int) -> str:
    """What numbered rows are read from: the table when it holds enough of them, else a series made for the purpose."""
    held = (target.facts.get("database") or {}).get("large_table_rows", 0)
    if held >= asked:
        return "events"
    label = "'row-' || lpad(n::text, 8, '0') || '-of-the-table' AS label"
    return f"(SELECT n AS id, {label} FROM generate_series(1, {asked}) n) e"


def _rows(outcome: Outcome, seen: Seen) -> int | None:
    """Rows that came back; none in an error."""
    last = outcome.last
    if last is not None and (last.outcome == "error" or last.is_error):
        return 0
    return returned(outcome, seen)


def judge(seen: Seen) -> Verdict:
    """Pick the rule: too many came back, they could not be counted, or how much could be judged."""
    limit = seen.target.setting(KEY, 1000)
    counted = {outcome.probe.id: _rows(outcome, seen) for outcome in seen.attacks.answered}

    def says(outcome: Outcome) -> str:
        return f"{statement_of(outcome)} came back with {counted.get(outcome.probe.id)} rows"

    over = seen.attacks.answered.where(lambda outcome: (counted[outcome.probe.id] or 0) > limit)
    if over:
        most = max(counted[outcome.probe.id] or 0 for outcome in over)
        summary = f"{', '.join(over.tools)} returned up to {most} rows for one query; the limit is {limit}."
        return seen.decide("over-cap", over, summary, line=says)
    working = seen.controls.where(reads).tools
    unknown = seen.attacks.answered.where(lambda o: counted[o.probe.id] is None and o.probe.tool in working)
    if unknown:
        return seen.decide("uncounted", unknown, line=lambda outcome: f"{statement_of(outcome)}: rows not recognised")
    return settle(
        seen,
        readers(seen.target),
        reads,
        "capped",
        lambda answered, all_: f"{answered} of {all_} large reads were answered, each with at most {limit} rows.",
        says,
    )


CHECK = Check(
    id="db-row-cap",
    revision=1,
    title="One query has a bound on rows",
    question="Can one query bring back more rows than anybody can read?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-770",),
    settings=(KEY, "sql_tools"),
)
