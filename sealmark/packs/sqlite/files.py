"""The attacks on files: in calls of their own, stacked behind what a tool accepts, and from one tool to another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sealmark.check import Target
from sealmark.corpora import Case
from sealmark.packs.sql.aims import Aim, calling, probe
from sealmark.packs.sqlite.ground import WATCH, approved, controlled
from sealmark.record.model import Call, Look, Probe, Restore

AFTER = (Look(WATCH), Look("outside"), Restore(WATCH), Restore("outside"))

READER_FORMS = {"": "SELECT 1"}
WRITER_FORMS = {"+insert": "INSERT INTO notes (body) VALUES ('first')", "+create": "CREATE TABLE made (x)"}
"""Suffix of a case -> what a stacked form begins with: a statement of the kind that the tool is for."""


def attacks(target: Target, every: Sequence[Aim]) -> Iterator[Probe]:
    """Every case for every tool, then the cases that go from one tool to another."""
    for aim in every:
        for case in target.cases:
            yield from _across(target, aim, every, case) if case.get("across") else _alone(target, aim, case)


def _alone(target: Target, aim: Aim, case: Case) -> Iterator[Probe]:
    sent: dict[str, list[str]] = {"": list(case["statements"])}
    if case.get("stacked"):
        forms = WRITER_FORMS if aim.writer else READER_FORMS
        sent = {suffix: ["; ".join([first, *case["statements"]])] for suffix, first in forms.items()}
    for suffix, statements in sent.items():
        yield from probe(
            target,
            aim,
            case.id + suffix,
            statements,
            why=case.why,
            after=AFTER,
            requires=controlled(target, aim),
            resource=WATCH,
            approved=approved(aim),
        )


def _across(target: Target, aim: Aim, every: Sequence[Aim], case: Case) -> Iterator[Probe]:
    """What a writer attaches, asked of each reader on the same session."""
    first, then, last = case["statements"]
    for reader in (other for other in every if aim.writer and not other.writer):
        steps = [
            calling(target, aim, first, approved=True),
            calling(target, reader, then),
            calling(target, aim, last, approved=True),
        ]
        calls = [step for step in steps if isinstance(step, Call)]
        if len(calls) == len(steps):
            yield target.probe(
                "attack",
                f"{case.id}@{aim.tool.name}",
                *calls,
                *AFTER,
                tool=reader.tool.name,
                why=case.why,
                requires=controlled(target, reader),
                resource=WATCH,
            )
