"""What the checks of this pack share: sessions of the roles, a control read, and what a look at the database says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sealmark.check import Outcome, Seen, Target
from sealmark.packs.sql.aims import Aim, probe, readers, reply_of, statement_of
from sealmark.packs.sql.verdicts import settle
from sealmark.reading.shown import change_in_words
from sealmark.record.model import Look, Probe, Restore, Step, Verdict

SESSIONS: Mapping[str, str] = {"analyst": "main", "support": "role:support", "admin": "role:admin"}
"""Role -> the session whose server instance got that role's credentials."""

CONTROL = "SELECT id, label FROM products WHERE id = 1"
"""An ordinary read: every role may do it, and the row holds {db_row}."""

BEFORE: tuple[Step, ...] = (Look("database"),)
AFTER: tuple[Step, ...] = (Look("database"), Restore("database"))
"""Around every call that may write: what changed before is put aside, what changed now is seen, all is put back."""

_NOTES = ("table audit_log", "sequence audit_log_id_seq")
"""What a server may write to at any time."""


def control(target: Target, aim: Aim, session: str = "main") -> tuple[Probe, ...]:
    """The control read of one tool, if its schema can be filled."""
    return tuple(
        probe(target, aim, "read", [CONTROL], role="control", why="a row that the role may read", session=session)
    )


def reads(outcome: Outcome) -> bool:
    """Whether a control showed its row."""
    return outcome.answered and bool(outcome.sightings("db_row"))


def changes(outcome: Outcome) -> list[Mapping[str, Any]]:
    """What the calls of a probe changed: the last look, without what a server notes for its own account."""
    looks = outcome.looked("database")
    return [change for change in looks[-1]["changes"] if change["what"] not in _NOTES] if len(looks) > 1 else []


def wrote(outcome: Outcome) -> str:
    """What was asked and what it changed, in one line."""
    return f"{statement_of(outcome)} → {'; '.join(change_in_words(change) for change in changes(outcome)[:3])}"


def writing(target: Target, aim: Aim, case: str, statements: list[str], why: str, **more: Any) -> Iterator[Probe]:
    """A probe whose effect on the database is looked at and undone."""
    for made in probe(target, aim, case, statements, why=why, after=AFTER, resource="database", **more):
        yield target.probe(
            made.role,
            made.case,
            *BEFORE,
            *made.steps,
            tool=made.tool,
            why=made.why,
            session=made.session,
            requires=made.requires,
            resource=made.resource,
        )


def writes(target: Target) -> Iterator[Probe]:
    """For each tool that must not change anything a control read, then every case of the check."""
    for aim in readers(target):
        before = control(target, aim)
        yield from before
        for case in target.cases if before else ():
            yield from writing(target, aim, case.id, list(case["statements"]), case.why, requires=before[0].id)


def unchanged(seen: Seen, noun: str) -> Verdict:
    """The verdict when no statement changed the database; `noun` is what they are called in the summary."""
    return settle(
        seen,
        readers(seen.target),
        reads,
        "unchanged",
        lambda answered, all_: f"{answered} of {all_} {noun} were answered, and none changed the database.",
        lambda outcome: f"{statement_of(outcome)} {reply_of(outcome)}; nothing changed",
    )
