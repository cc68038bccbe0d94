"""Whether a tool that is there to write does so only when the write was approved.

Why: A tool that writes is useful and dangerous for the same reason. An argument that says yes to this one write, or a
question to the person before it, keeps a slip of the model from becoming a fact in the database.

How: Tools that call themselves writers, that the configuration calls writers, or that have an argument by which a write
is approved are told to insert a row: first without approval (the argument false, or left out), then with it. The
harness looks at the database after each. A row that came without approval decides.

When it can be wrong: A server that asks the person by elicitation gets no answer here, since the harness offers none;
its write does not happen, which counts as not written. An approval that is not an argument (a second tool, a setting)
is not recognised; name the argument under sql_tools: approval if its name says something else. The check is
advisory.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Rule, Seen, Target
from sealmark.packs.db.shop import changes, writing, wrote
from sealmark.packs.sql.aims import Aim, aims, reply_of, statement_of
from sealmark.record.model import Probe, Verdict

RULES = (
    Rule(
        "ungated",
        "fail",
        "A write happened that nobody had approved.",
        "Take an argument that approves this one write (approve: true) and refuse without it, or ask by elicitation.",
    ),
    Rule(
        "never-writes",
        "inconclusive",
        "No write happened, with approval neither, so no gate was seen.",
        "Name the argument that approves a write: sql_tools: [{ tool: …, arg: …, approval: NAME }].",
    ),
    Rule("gated", "pass", "A write happened only when it was approved."),
)


def gated(target: Target) -> tuple[Aim, ...]:
    """The tools that may write."""
    return tuple(aim for aim in aims(target) if aim.writer or aim.approval)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each tool the write without and with approval."""
    for aim in gated(target):
        for case in target.cases:
            approved = bool(case["approved"])
            if aim.approval or not approved:
                given = approved if aim.approval else None
                yield from writing(target, aim, case.id, list(case["statements"]), case.why, approved=given)


def judge(seen: Seen) -> Verdict:
    """Pick the rule: written without approval, never written, or only with it."""
    if not gated(seen.target):
        return seen.decide("no-target")
    without = {case.id for case in seen.target.cases if not case["approved"]}
    wrong = seen.attacks.case(*without).where(lambda outcome: bool(changes(outcome)))
    if wrong:
        return seen.decide("ungated", wrong, f"{', '.join(wrong.tools)} wrote without approval.", line=wrote)
    written = seen.attacks.where(lambda outcome: bool(changes(outcome)))
    refused = seen.attacks.case(*without).answered.where(lambda outcome: outcome.probe.tool in written.tools)
    if not written or not refused:
        return seen.decide("never-writes", seen.attacks, line=lambda o: f"{statement_of(o)} {reply_of(o)}")
    return seen.decide(
        "gated",
        [*refused, *written],
        f"{', '.join(written.tools)} wrote when the write was approved, and not without.",
        line=lambda outcome: wrote(outcome) if changes(outcome) else f"{statement_of(outcome)} {reply_of(outcome)}",
    )


CHECK = Check(
    id="db-write-gate",
    revision=1,
    title="Writes need approval",
    question="Does a tool that writes wait for approval?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-862",),
    owasp="MCP02:2025 Privilege Escalation via Scope Creep",
    settings=("sql_tools",),
)
