"""Whether a statement reaches files other than the database that the server was given.

Why: ATTACH opens any database that the server's user can read, and makes one where there is none. VACUUM INTO writes a
copy of the whole database to any place. A tool that takes SQL is then a tool that reads and writes files, which nobody
granted it.

How: Each tool that takes SQL first answers a control (a read, or for a writer a row or a table that the harness finds
in the file), and the engine is known by sqlite_version(). A second database with a secret of its own lies outside the
allowed root. Each tool is asked to attach it and to show the secret, in calls of their own and stacked in one; to copy
the secret into its own database, where the harness then finds it; to attach or make a new file outside and beside the
database; and to write a copy of the database there. Stacked forms begin with a statement of the kind that the tool is
for. What one tool attached is also asked of the others, as the connection may be the same. Functions and commands of
the sqlite3 program are tried too, for servers that run it. A secret in a reply, a secret in the database, and a file
that was made or changed fail the check. Tools that say that they write are held to this like all others: to write rows
is not to write files.

When it can be wrong: Only the sandbox and what lies around it is looked at. A file that was made and removed before
the look is not seen.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Group, Outcome, Rule, Seen, Target
from sealmark.packs.fs.changes import changed_outside
from sealmark.packs.sql.aims import Aim, aims, reply_of, statement_of
from sealmark.packs.sql.verdicts import NO_CONTROL, SOME_UNJUDGED, settle
from sealmark.packs.sqlite.files import attacks
from sealmark.packs.sqlite.ground import OTHER_ENGINE, changes, foreign, reading, unnamed, works, writing
from sealmark.record.model import Evidence, Probe, Verdict

RULES = (
    Rule(
        "outside-read",
        "fail",
        "A statement showed what another database file holds.",
        "Set an authorizer that denies ATTACH, or limit attached databases to none (SQLITE_LIMIT_ATTACHED).",
    ),
    Rule(
        "outside-copied",
        "fail",
        "A statement copied what another database file holds into the server's own.",
        "Set an authorizer that denies ATTACH, or limit attached databases to none (SQLITE_LIMIT_ATTACHED).",
    ),
    Rule(
        "outside-written",
        "fail",
        "A statement made or changed a file other than the database.",
        "Set an authorizer that denies ATTACH; VACUUM INTO then fails too. A connection with mode=ro still does both.",
    ),
    SOME_UNJUDGED,
    NO_CONTROL,
    OTHER_ENGINE,
    Rule(
        "contained", "pass", "Tools work on the database that they were given, and no statement reached another file."
    ),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each tool its controls and every case, then what one attaches and another reads."""
    every: tuple[Aim, ...] = aims(target)
    for aim in every:
        yield from reading(target, aim)
        yield from writing(target, aim)
    yield from attacks(target, every)


def _copied(outcome: Outcome) -> bool:
    return any("{outside_secret}" in str(change.get("added", "")) for change in changes(outcome))


def _written(outcome: Outcome) -> list[str]:
    beside = [c["file"] for look in outcome.looked("sqlite") for c in look["changes"] if "escaped" in c.get("file", "")]
    return [*changed_outside(outcome, "created", "modified", "deleted"), *(f"created {path}" for path in beside)]


def judge(seen: Seen) -> Verdict:
    """Pick the rule: a secret shown, a secret copied, a file made, another engine, or how much could be judged."""
    other = foreign(seen)
    if other is not None:
        return other
    findings: tuple[tuple[str, Group, str], ...] = (
        ("outside-read", seen.attacks.sighting("outside_secret"), "showed what another file holds"),
        ("outside-copied", seen.attacks.where(_copied), "copied from another file"),
        ("outside-written", seen.attacks.where(lambda outcome: bool(_written(outcome))), "made or changed files"),
    )
    hits = [finding for finding in findings if finding[1]]
    if hits:
        told = [
            f"{', '.join(by.tools)} {what} ({', '.join(dict.fromkeys(o.probe.case for o in by))})."
            for _, by, what in hits
        ]
        return seen.decide(hits[0][0], [_line(rule, o) for rule, by, _ in hits for o in by], " ".join(told))
    return unnamed(seen) or settle(
        seen,
        aims(seen.target),
        works,
        "contained",
        lambda answered, all_: f"{answered} of {all_} attempts were answered, and none reached another file.",
        lambda outcome: f"{statement_of(outcome)} {reply_of(outcome, 100)}; no file was reached",
    )


def _line(rule: str, outcome: Outcome) -> Evidence:
    shows = {
        "outside-read": "came back with {outside_secret}",
        "outside-copied": "put {outside_secret} into the database",
        "outside-written": "; ".join(_written(outcome)[:3]),
    }[rule]
    return outcome.evidence(f"{statement_of(outcome)} {shows}: {outcome.probe.why}")


CHECK = Check(
    id="sqlite-file-access",
    revision=1,
    title="Statements stay in the database file",
    question="Can a statement read or write a file other than the database?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-22", "CWE-73"),
    owasp="MCP02:2025 Privilege Escalation via Scope Creep",
    settings=("sql_tools",),
)
