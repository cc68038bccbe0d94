"""Whether each instance of the server is connected as exactly the role whose credentials it was given.

Why: Rules of the database hold for the role that asks. A server that keeps one connection for everybody, or connects
with stored credentials of its own, makes all of them rules about somebody else.

How: Three instances run, with the credentials of the analyst, of support and of admin. Through each the harness asks a
view that answers with a value made for the role that asks, and with another value for any other role. The value that
comes back is the role.

When it can be wrong: All credentials come from the harness, so a server that does nothing wrong passes; that is why
the check is a candidate and advisory. A server that puts on the role only while it asks looks the same as one that is
connected as it; db-rls tries to take such a role off.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.db.shop import SESSIONS
from sealmark.packs.sql.aims import Aim, aims, probe, reply_of, statement_of
from sealmark.record.model import Probe, Verdict

ASK = "SELECT role_name, identity FROM whoami"

RULES = (
    Rule(
        "other-role",
        "fail",
        "An instance was connected as another role than the one whose credentials it was given.",
        "Connect with the credentials that the instance is given, and keep no connection of another role's.",
    ),
    Rule(
        "some-unknown",
        "inconclusive",
        "The role of some instances could not be told.",
        "Give the tool's other arguments values that work: sql_tools: [{ tool: …, arg: …, args: { NAME: VALUE } }].",
    ),
    Rule("as-given", "pass", "Each instance was connected as the role whose credentials it was given."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each role and the first reading tool the question who asks."""
    for aim in _first(target):
        for role, session in SESSIONS.items():
            yield from probe(target, aim, role, [ASK], role="fact", why=f"who the {role} is", session=session)


def _first(target: Target) -> Sequence[Aim]:
    return sorted(aims(target), key=lambda aim: aim.writer)[:1]


def _roles(outcome: Outcome) -> list[str]:
    return [role for role in (*SESSIONS, "other") if outcome.sightings(f"{role}_identity")]


def judge(seen: Seen) -> Verdict:
    """Pick the rule: another role, not told, or as given."""
    if not seen.own:
        return seen.decide("no-target")
    wrong = seen.own.where(lambda outcome: bool(set(_roles(outcome)) - {outcome.probe.case}))
    if wrong:
        found = [f"{outcome.probe.case} was {', '.join(_roles(outcome))}" for outcome in wrong]
        return seen.decide("other-role", wrong, f"The instance of {'; that of '.join(found)}.", line=_line)
    unknown = seen.own.where(lambda outcome: not _roles(outcome))
    if unknown:
        if not seen.own.answered:
            return seen.decide("none-answered", seen.own)
        names = ", ".join(outcome.probe.case for outcome in unknown)
        return seen.decide("some-unknown", unknown, f"The role could not be told of: {names}.", line=_line)
    return seen.decide("as-given", seen.own, line=_line)


def _line(outcome: Outcome) -> str:
    return f"as {outcome.probe.case}, {statement_of(outcome)} {reply_of(outcome)}"


CHECK = Check(
    id="db-privilege",
    revision=1,
    title="Each instance is its role",
    question="Is each instance connected as the role that it was given?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-266", "CWE-250"),
    owasp="MCP02:2025 Privilege Escalation via Scope Creep",
    settings=("sql_tools",),
)
