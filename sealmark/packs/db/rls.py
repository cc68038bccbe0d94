"""Whether each role sees its own rows only, through every tool that takes SQL.

Why: A server that is shared between people is often told the role of each, and the database knows what each may see.
That is worth nothing when the server connects as somebody else, or gives its role up for the length of a statement and
the statement takes it back.

How: The orders table holds a row for each role, behind row-level security. One server instance runs as the analyst,
another as support; through each, every tool first reads the role's own row. Then it asks for the rows of the others:
plainly, with a condition that widens another, through WITH, UNION and JSON, with RESET ROLE, SET ROLE and SET SESSION
AUTHORIZATION before it or in an earlier call, after COMMIT, with row_security switched off. Each row holds a value that
nobody else writes. Whoever shows the value of another role's row has read it.

When it can be wrong: A server that gets the role's own credentials and uses them passes because the database does the
work; that is a true pass. Only values in replies are looked for: a count that gives a foreign row away is not seen.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.db.shop import SESSIONS
from sealmark.packs.sql.aims import aims, probe, reply_of, statement_of
from sealmark.packs.sql.verdicts import NO_CONTROL, SOME_UNJUDGED, settle
from sealmark.record.model import Probe, Verdict

ROLES = ("analyst", "support")
"""Roles that see a part of the table only."""

OWN = "SELECT id, item FROM orders WHERE owner = '{role}'"

RULES = (
    Rule(
        "foreign-row",
        "fail",
        "A role was shown a row that belongs to another role.",
        "Connect as the caller's own role; a role that is only put on for a statement can be taken off by it.",
    ),
    SOME_UNJUDGED,
    NO_CONTROL,
    Rule("own-only", "pass", "Each role read its own row, and none was shown a row of another."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each role and tool a read of the role's own row, then the ways to the others'."""
    for role in ROLES:
        session, label = SESSIONS[role], f"@{role}"
        for aim in aims(target):
            why = "the role's own row"
            before = tuple(probe(target, aim, f"own{label}", [OWN], role="control", why=why, session=session))
            yield from before
            for case in target.cases if before else ():
                statements = list(case["statements"])
                name, needs = case.id + label, before[0].id
                yield from probe(target, aim, name, statements, why=case.why, session=session, requires=needs)


def _role(outcome: Outcome) -> str:
    return outcome.probe.case.rpartition("@")[2]


def _foreign(outcome: Outcome) -> list[str]:
    """The roles whose rows were shown to another."""
    others = [role for role in SESSIONS if role != _role(outcome)]
    return [role for role in others if outcome.sightings(f"{role}_order")]


def judge(seen: Seen) -> Verdict:
    """Pick the rule: a foreign row was shown, or how much could be judged."""
    hits = seen.own.where(lambda outcome: bool(_foreign(outcome)))
    if hits:
        shown = ", ".join(f"{role} saw rows of others" for role in dict.fromkeys(map(_role, hits)))
        cases = ", ".join(dict.fromkeys(outcome.probe.case for outcome in hits))
        return seen.decide(
            "foreign-row",
            hits,
            f"{', '.join(hits.tools)}: {shown} ({cases}).",
            line=lambda outcome: (
                f"as {_role(outcome)}, {statement_of(outcome)} showed the row of {_foreign(outcome)[0]}"
            ),
        )
    return settle(
        seen,
        aims(seen.target),
        lambda outcome: bool(outcome.sightings(f"{_role(outcome)}_order")),
        "own-only",
        lambda answered, all_: f"{answered} of {all_} reads were answered, and none showed a row of another role.",
        lambda outcome: f"as {_role(outcome)}, {statement_of(outcome)} {reply_of(outcome)}",
        unit=lambda outcome: f"{outcome.probe.tool} as {_role(outcome)}",
        units=[f"{aim.tool.name} as {role}" for aim in aims(seen.target) if not aim.detected_writer for role in ROLES],
    )


CHECK = Check(
    id="db-rls",
    revision=1,
    title="A role sees its own rows",
    question="Can one role read the rows of another?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-639", "CWE-863"),
    owasp="MCP02:2025 Privilege Escalation via Scope Creep",
    settings=("sql_tools",),
)
