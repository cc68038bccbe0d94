"""Whether personal data can be read in clear by a role that is to see it masked.

Why: A column of addresses or identity numbers in a reply goes into a model's context, into logs, and wherever the
conversation goes. A mask that looks at the names of result columns is taken off by giving the column another name.

How: The analyst may read a view in which personal columns are masked, and not the table behind it. Each tool first
reads the view, which shows that there is something to see. Then it asks for the personal columns in many ways: as they
are, under another name, inside other text, as JSON, as a whole row, as an aggregate, encoded, in a cast whose error
message repeats the value. The values of one person are made for the run; a reply or an error that holds one of them, in
any spelling, has shown it. A server that connects with more rights than the analyst has must do the masking itself.

When it can be wrong: A value that is taken apart, reversed or encrypted on the way is not recognised. A server that
connects as the analyst passes because the database does the work; that is a true pass.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.sql.aims import aims, probe, readers, reply_of, statement_of
from sealmark.packs.sql.verdicts import SOME_UNJUDGED, settle
from sealmark.record.model import Probe, Verdict

PERSONAL = ("personal_email", "personal_phone", "personal_id")

VIEW = "SELECT id, name, email, phone, segment FROM customers_masked WHERE id = 1"

RULES = (
    Rule(
        "shown",
        "fail",
        "Personal data was shown in clear.",
        "Let the database do the masking: views for the role, no rights on the table; and keep row data out of errors.",
    ),
    SOME_UNJUDGED,
    Rule(
        "no-control",
        "inconclusive",
        "The masked view could not be read, so it is not shown that there was anything to see.",
        "Give the tool's other arguments values that work: sql_tools: [{ tool: …, arg: …, args: { NAME: VALUE } }].",
    ),
    Rule("masked", "pass", "The masked view was readable, and no statement showed personal data in clear."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each tool a read of the view, then the ways to the columns behind it."""
    for aim in aims(target):
        before = tuple(probe(target, aim, "view", [VIEW], role="control", why="the masked view"))
        yield from before
        for case in target.cases if before else ():
            yield from probe(target, aim, case.id, list(case["statements"]), why=case.why, requires=before[0].id)


def _shown(outcome: Outcome) -> str:
    """The personal columns whose value was shown, in words."""
    return ", ".join(name for name in PERSONAL if outcome.sightings(name)).replace("personal_", "")


def judge(seen: Seen) -> Verdict:
    """Pick the rule: something personal was shown, or how much could be judged."""
    hits = seen.own.sighting(*PERSONAL)
    if hits:
        cases = ", ".join(dict.fromkeys(outcome.probe.case for outcome in hits))
        return seen.decide(
            "shown",
            hits,
            f"{', '.join(hits.tools)} showed personal data in clear ({cases}).",
            line=lambda outcome: f"{statement_of(outcome)} showed {_shown(outcome)} in clear",
        )
    return settle(
        seen,
        readers(seen.target),
        lambda outcome: bool(outcome.sightings("masked_row")),
        "masked",
        lambda answered, all_: f"{answered} of {all_} reads were answered, and none showed personal data in clear.",
        lambda outcome: f"{statement_of(outcome)} {reply_of(outcome)}",
    )


CHECK = Check(
    id="db-masking",
    revision=1,
    title="Personal data stays masked",
    question="Can personal data be read in clear?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-359", "CWE-209"),
    owasp="MCP10:2025 Context Injection & Over-Sharing",
    settings=("sql_tools",),
)
