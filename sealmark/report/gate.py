"""From judged runs to an exit code and the lines for stderr. Pure: the whole policy of CI in one place.

Codes: 0 met, 1 below the gate or regressed or drifted, 3 nothing graded or nothing exercised, 4 a server did not run,
128+n stopped by signal n. The highest code of all servers wins; 2 (usage) is an error and never comes from here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from sealmark.compare.changes import WORDS, Diff
from sealmark.errors import UsageError
from sealmark.judging.grade import LETTERS
from sealmark.reading.shown import line
from sealmark.record.model import Grade, Judgement, RunRecord
from sealmark.report.calls import only_logins, only_rejected
from sealmark.report.words import HYGIENE, NOT_GRADED

FAIL_ON = ("any", "regressions", "drift")

OK, BELOW, NOTHING, FAILED = 0, 1, 3, 4


class Policy(msgspec.Struct, frozen=True):
    """What decides the exit code; the defaults are those of every profile but `ci`."""

    fail_under: str = "A"
    soft_fail: bool = False
    treat_inconclusive_as: Literal["pass", "fail"] = "pass"
    critical_fail: int = 0
    fail_on: tuple[str, ...] = ("any",)

    @property
    def gated(self) -> bool:
        """Whether letters count."""
        return "any" in self.fail_on and self.fail_under != "none"

    @property
    def ratcheted(self) -> bool:
        """Whether regressions against a baseline count."""
        return "any" in self.fail_on or "regressions" in self.fail_on


class Outcome(msgspec.Struct, frozen=True):
    """The exit code and what to print on stderr, in order."""

    code: int
    lines: tuple[str, ...]


def policy(
    *,
    fail_under: str = "A",
    soft_fail: bool = False,
    treat_inconclusive_as: Literal["pass", "fail"] = "pass",
    critical_fail: int = 0,
    fail_on: Sequence[str] = ("any",),
    has_baseline: bool = False,
) -> tuple[Policy, tuple[str, ...]]:
    """A checked policy, and notes to print once (a lower-case letter was read as the upper-case one).

    Raises:
        UsageError: an unknown letter or word, an exit code out of range, `regressions` or `drift` without a baseline.
    """
    letter, notes = fail_under.strip(), []
    if letter.lower() == "none":
        letter = "none"
    elif letter.upper() in set(LETTERS):
        if letter != letter.upper():
            notes.append(f"note: --fail-under {letter} is read as {letter.upper()}")
        letter = letter.upper()
    else:
        raise UsageError(f"--fail-under {line(letter, 40)!r} is no letter", hint="One of A, B, C, D, F or none.")
    unknown = [word for word in fail_on if word not in FAIL_ON]
    if unknown or not fail_on:
        raise UsageError(
            f"--fail-on {line(','.join(unknown), 60)!r} is not known", hint=f"Any of {', '.join(FAIL_ON)}."
        )
    needing = [word for word in fail_on if word != "any"]
    if needing and not has_baseline:
        raise UsageError(f"--fail-on {needing[0]} compares with a baseline", hint="Add --baseline FILE.")
    if not 0 <= critical_fail <= 255:
        raise UsageError(f"critical_fail: {critical_fail} is no exit code", hint="0 to 255; 0 leaves it to the gate.")
    return Policy(letter, soft_fail, treat_inconclusive_as, critical_fail, tuple(dict.fromkeys(fail_on))), tuple(notes)


def gate(
    runs: Sequence[RunRecord],
    chosen: Policy | None = None,
    *,
    comparisons: Sequence[Diff] = (),
    accepted: Mapping[str, Collection[tuple[str, str]]] | None = None,
    signum: int = 0,
) -> Outcome:
    """The exit code of some runs under a policy.

    Args:
        runs: at least one, judged or failed.
        chosen: the policy.
        comparisons: with the baseline, one per server that has one.
        accepted: server -> accepted findings as (check, rule); a pack whose misses are all accepted is not held
            against the exit code, though its letter stays.
        signum: the signal that stopped the run, if one did.
    """
    chosen = chosen or Policy()
    codes, lines = [OK], []
    if chosen.fail_under == "none" and "any" in chosen.fail_on:
        lines.append("the gate is off (--fail-under none); grades do not affect the exit code")
    by_server = {comparison.server: comparison for comparison in comparisons}
    for run in runs:
        name = f"{line(run.gathered.server.name, 80)}: " if len(runs) > 1 else ""
        excused = (accepted or {}).get(run.gathered.server.name, ())
        for code, text in _one(run, chosen, by_server.get(run.gathered.server.name), excused):
            codes.append(code)
            lines.append(f"{_soften(code, chosen)}{name}{text}")
    worst = max(OK if code == BELOW and chosen.soft_fail else code for code in codes)
    if signum:
        lines.append(f"sealmark exit {128 + signum}: {'interrupted' if signum == 2 else 'stopped'}")
        return Outcome(128 + signum, tuple(lines))
    return Outcome(worst, tuple(lines))


def _soften(code: int, chosen: Policy) -> str:
    return "soft-fail: warning: " if code == BELOW and chosen.soft_fail else ""


Finding = tuple[int, str]
"""An exit code and the line that explains it; code 0 only informs."""


def _one(
    run: RunRecord, chosen: Policy, comparison: Diff | None, excused: Collection[tuple[str, str]]
) -> Iterator[Finding]:
    if run.judgement is None or run.status == "failed":
        yield from _failed(run)
    else:
        if run.status == "partial":
            yield OK, "warning: the run is partial; what was not done is inconclusive"
        yield from _graded(run, run.judgement)
        for grade in run.judgement.grades:
            yield from _pack(grade, run.judgement, chosen, excused)
        yield from _critical(run.judgement, chosen)
    if comparison is not None:
        yield from _compared(comparison, chosen)


def _failed(run: RunRecord) -> Iterator[Finding]:
    if run.failure is None:
        yield FAILED, "failed: the run was not judged"
        return
    first, _, _ = run.failure.message.partition("\n")
    yield FAILED, f"failed: {line(run.failure.code, 80)}: {line(first, 600)}"
    if run.failure.hint:
        yield OK, f"hint: {line(run.failure.hint, 600)}"


def _graded(run: RunRecord, judgement: Judgement) -> Iterator[Finding]:
    """Whether there is anything to stand on: decided before any letter is compared, and never softened."""
    logins = only_logins(run.gathered)
    if logins:
        yield NOTHING, logins
    elif not any(grade.status == "graded" for grade in judgement.grades):
        yield NOTHING, "no pack was graded"
        for grade in judgement.grades:
            yield OK, f"  {line(grade.pack, 60)}: {line(grade.reason or grade.status, 300)}"
    elif judgement.coverage.tools == 0:
        yield NOTHING, "NO_TOOLS: the server offers no tool, so nothing that an agent would call was tested"
    elif judgement.coverage.exercised == 0:
        if rejected := only_rejected(run.gathered):
            yield OK, rejected
        tools = judgement.coverage.tools
        yield (
            NOTHING,
            (
                f"nothing was exercised: 0 of {tools} tools were called with valid arguments "
                "(add probes:, a placeholder that the harness owns, or --active)"
            ),
        )


def _pack(
    grade: Grade, judgement: Judgement, chosen: Policy, excused: Collection[tuple[str, str]]
) -> Iterator[Finding]:
    pack = line(grade.pack, 60)
    if grade.status == "inconclusive":
        words = f"pack {pack} was inconclusive: {line(grade.reason, 400)}"
        if chosen.treat_inconclusive_as == "fail" and chosen.gated:
            yield BELOW, f"{words}; it counts as failing (treat_inconclusive_as: fail)"
            return
        yield OK, f"warning: {words}"
        if chosen.treat_inconclusive_as == "fail":
            yield OK, "note: treat_inconclusive_as: fail does not affect the exit code while the gate is off"
        return
    if grade.status != "graded" or not chosen.gated or not (missed := _missed(grade, chosen.fail_under)):
        return
    if _all_excused(grade, judgement, excused):
        yield OK, f"accepted: {missed}; every finding behind it is accepted"
    else:
        yield BELOW, missed


def _missed(grade: Grade, fail_under: str) -> str:
    """Why a grade does not meet a letter; empty when it does. A provisional top mark is not a proven one."""
    pack = line(grade.pack, 60)
    if LETTERS.find(grade.letter) > LETTERS.index(fail_under):
        star = "*" if grade.provisional else ""
        return f"pack {pack} graded {grade.letter}{star}, which does not meet --fail-under {fail_under}"
    if fail_under == "A" and grade.provisional:
        return (
            f"pack {pack} graded A* (provisional: a critical check was inconclusive), "
            "which does not meet --fail-under A"
        )
    return ""


def _all_excused(grade: Grade, judgement: Judgement, excused: Collection[tuple[str, str]]) -> bool:
    severities = {(entry.pack, entry.check): entry.severity for entry in judgement.catalogue}
    misses = [
        verdict
        for verdict in judgement.verdicts
        if verdict.pack == grade.pack
        and (
            (verdict.tag in ("fail", "part") and severities.get((verdict.pack, verdict.check)) != "advisory")
            or (verdict.tag == "inconclusive" and severities.get((verdict.pack, verdict.check)) == "critical")
        )
    ]
    return bool(misses) and all((verdict.check, verdict.rule) in excused for verdict in misses)


def _critical(judgement: Judgement, chosen: Policy) -> Iterator[Finding]:
    if not chosen.critical_fail or "any" not in chosen.fail_on:
        return
    for pack, check in critical(judgement, "fail"):
        yield chosen.critical_fail, f"critical fail: {check} in pack {pack} (exit_policy.critical_fail)"


def critical(judgement: Judgement, tag: str) -> Iterator[tuple[str, str]]:
    """Packs and checks of the critical verdicts with this tag."""
    severities = {(entry.pack, entry.check): entry.severity for entry in judgement.catalogue}
    for verdict in judgement.verdicts:
        if verdict.tag == tag and severities.get((verdict.pack, verdict.check)) == "critical":
            yield line(verdict.pack, 60), line(verdict.check, 80)


def _compared(comparison: Diff, chosen: Policy) -> Iterator[Finding]:
    for note in comparison.notes:
        yield OK, f"baseline: {note.line}"
    for change in comparison.regressions:
        yield (BELOW if chosen.ratcheted else OK), f"regression: {change.line}"
    counted = "drift" in chosen.fail_on
    for drift in comparison.drift:
        yield (BELOW if counted and drift.level != "info" else OK), f"drift: {WORDS[drift.level]}: {drift.line}"
    if comparison.drifted and not counted:
        yield OK, "note: drift does not affect the exit code (add --fail-on drift)"


def grade_line(run: RunRecord, *, named: bool = False) -> str:
    """All grades of a run on one line, for stderr when the report went elsewhere. Names critical fails and parts."""
    judgement = run.judgement
    name = f"{line(run.gathered.server.name, 80)}: " if named else ""
    if judgement is None:
        return f"{name}{NOT_GRADED}: {line(run.failure.code, 80) if run.failure else run.status}"
    failed, part = list(critical(judgement, "fail")), list(critical(judgement, "part"))
    words = [_words(grade, failed, part) for grade in judgement.grades if grade.status != "not-applicable"]
    return name + (" · ".join(words) or NOT_GRADED)


def _words(grade: Grade, failed: Sequence[tuple[str, str]], part: Sequence[tuple[str, str]]) -> str:
    pack = line(grade.pack, 60)
    if grade.status != "graded":
        return f"{pack} {grade.status}"
    words = f"{pack} {line(grade.letter, 2)}{'*' if grade.provisional else ''}"
    if grade.hygiene_only:
        words += f" ({HYGIENE})"
    fails = ", ".join(check for of, check in failed if of == pack)
    parts = ", ".join(check for of, check in part if of == pack)
    if fails:
        words += f"{' capped:' if grade.capped_by else ''} critical fail: {fails}"
    return f"{words} critical part: {parts}" if parts else words
