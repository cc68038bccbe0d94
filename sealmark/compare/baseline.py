"""Regressions: what dropped since a baseline.

A verdict ranks pass over part over fail; n/a and inconclusive have no rank. A regression is a check whose rank dropped,
a pack whose letter dropped, or a pack that had a letter and has none now. New checks and improvements never are. What
cannot be ranked is a note.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sealmark.compare.changes import Change
from sealmark.judging.grade import LETTERS
from sealmark.reading.shown import line
from sealmark.record.model import Grade, Judgement, RunRecord, Verdict

RANK: Mapping[str, int] = {"fail": 0, "part": 1, "pass": 2}


def changes(before: RunRecord, after: RunRecord) -> tuple[Change, ...]:
    """Regressions, improvements and notes between two runs of one server, in the order of the packs."""
    return tuple(_changes(before, after))


def _changes(before: RunRecord, after: RunRecord) -> Iterator[Change]:
    old, new = before.judgement, after.judgement
    if old is None:
        yield Change("note", "the run before was not judged, so nothing can have dropped")
        return
    if new is None:
        why = after.failure.code if after.failure else after.status
        yield Change("note", f"the run after was not judged: {line(why, 80)}")
        for grade in old.grades:
            if grade.status == "graded":
                pack = line(grade.pack, 60)
                yield Change("regression", f"pack {pack}: {_letter(grade)} → not graded", grade.pack)
        return
    yield from _notes(old, new)
    yield from _verdicts(old, new)
    yield from _grades(old, new)


def _notes(old: Judgement, new: Judgement) -> Iterator[Change]:
    if old.methodology != new.methodology:
        words = f"{line(old.methodology, 40)} → {line(new.methodology, 40)}"
        yield Change("note", f"another methodology ({words}); letters are not compared")
    elif old.integrity.hash != new.integrity.hash:
        labels = ["STANDARD" if side.integrity.standard else "CUSTOM" for side in (old, new)]
        yield Change("note", f"different configuration ({' → '.join(labels)}, the hashes differ)")


def _verdicts(old: Judgement, new: Judgement) -> Iterator[Change]:
    before = {(verdict.pack, verdict.check): verdict for verdict in old.verdicts}
    after = {(verdict.pack, verdict.check): verdict for verdict in new.verdicts}
    for key, verdict in after.items():
        if key in before:
            yield from _verdict(before[key], verdict)
    for key, verdict in before.items():
        if key not in after and verdict.tag in RANK:
            yield Change("note", f"{_named(verdict)}: was {verdict.tag}, is not in the run after", *key)


def _verdict(old: Verdict, new: Verdict) -> Iterator[Change]:
    if old.tag == new.tag:
        return
    words = f"{_named(new)}: {old.tag} → {new.tag} ({line(old.rule, 80)} → {line(new.rule, 80)})"
    if old.tag not in RANK or new.tag not in RANK:
        yield Change("note", words, new.pack, new.check)
    else:
        dropped = RANK[new.tag] < RANK[old.tag]
        yield Change("regression" if dropped else "improvement", words, new.pack, new.check)


def _named(verdict: Verdict) -> str:
    return f"{line(verdict.check, 80)} in {line(verdict.pack, 60)}"


def _grades(old: Judgement, new: Judgement) -> Iterator[Change]:
    after = {grade.pack: grade for grade in new.grades}
    for grade in old.grades:
        if grade.status != "graded":
            continue
        now = after.get(grade.pack)
        pack = line(grade.pack, 60)
        if now is None or now.status != "graded":
            why = f": {line(now.reason, 200)}" if now is not None and now.reason else ""
            yield Change("regression", f"pack {pack}: {_letter(grade)} → not graded{why}", grade.pack)
        elif old.methodology == new.methodology and now.letter != grade.letter:
            dropped = LETTERS.find(now.letter) > LETTERS.find(grade.letter)
            yield Change(
                "regression" if dropped else "improvement",
                f"pack {pack}: {_letter(grade)} → {_letter(now)}",
                grade.pack,
            )
        elif now.provisional and not grade.provisional:
            yield Change("note", f"pack {pack}: {_letter(grade)} → {_letter(now)} (provisional)", grade.pack)


def _letter(grade: Grade) -> str:
    return f"{line(grade.letter, 2)}{'*' if grade.provisional else ''}"
