"""Verdicts and a methodology -> one letter per pack, and whether a badge may be shown.

Pass 1 point, part 0.5, fail 0, over the scored checks that were conclusive; a failed critical check caps the letter; an
inconclusive critical check makes it provisional. Advisory checks are shown and never count.
"""

from __future__ import annotations

from collections.abc import Sequence

from sealmark.record.model import Badge, CatalogueEntry, Grade, Integrity, PackState, Verdict
from sealmark.settings.methodology import Methodology

LETTERS = "ABCDF"


def grade_pack(
    state: PackState,
    entries: Sequence[CatalogueEntry],
    verdicts: Sequence[Verdict],
    methodology: Methodology,
) -> Grade:
    """The grade of one pack. `entries` and `verdicts` run in parallel; `verdicts` is empty when it does not apply."""
    candidate = state.status == "candidate"
    if not state.applies:
        return Grade(state.pack, "not-applicable", candidate=candidate, reason=state.reason)
    counted = [(e, v) for e, v in zip(entries, verdicts, strict=True) if e.severity in ("critical", "scored")]
    worth = {"pass": methodology.points.passed, "part": methodology.points.part, "fail": methodology.points.fail}
    scored = [(e, v) for e, v in counted if v.tag in worth]
    provisional = any(e.severity == "critical" and v.tag == "inconclusive" for e, v in counted)
    if not scored:
        undecided = [v.check for _, v in counted if v.tag == "inconclusive"]
        return Grade(
            state.pack,
            "inconclusive" if undecided else "not-applicable",
            checks=len(counted),
            candidate=candidate,
            reason=f"no scored check was conclusive: {', '.join(undecided)}"
            if undecided
            else "no scored check applied",
        )
    points = sum(worth[v.tag] for _, v in scored)
    percent = 100 * points / len(scored)
    raw = methodology.letter(percent)
    failed = tuple(v.check for e, v in scored if e.severity == "critical" and v.tag == "fail")
    letter = max(raw, methodology.critical_cap, key=LETTERS.index) if failed else raw
    return Grade(
        state.pack,
        "graded",
        letter=letter,
        raw_letter=raw,
        points=points,
        scored=len(scored),
        checks=len(counted),
        percent=round(percent, 1),
        provisional=provisional,
        capped_by=failed if letter != raw else (),
        candidate=candidate,
    )


def badge_for(grades: Sequence[Grade], integrity: Integrity, *, complete: bool) -> Badge:
    """Whether a badge may be shown, and its message: pack ids and letters, nothing that the server wrote."""
    graded = [grade for grade in grades if grade.status == "graded" and not grade.candidate]
    if not graded:
        return Badge(eligible=False, message="no badge: nothing graded")
    if not integrity.standard:
        return Badge(eligible=False, message="no badge: custom run")
    if all(grade.pack == "core" for grade in graded):
        return Badge(eligible=False, message="no badge: core only")
    if any(grade.provisional for grade in graded):
        return Badge(eligible=False, message="no badge: provisional")
    if not complete:
        return Badge(eligible=False, message="no badge: not eligible")
    return Badge(eligible=True, message=" · ".join([*(f"{g.pack} {g.letter}" for g in graded), "self-reported"]))
