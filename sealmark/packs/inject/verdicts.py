"""How the checks of this pack conclude when nothing was injected: which arguments could be judged, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sealmark.check import Group, Outcome, Rule, Seen
from sealmark.check.calls import NOT_PROCESSED
from sealmark.packs.inject.values import Aim, asked
from sealmark.record.model import Evidence, Verdict

SOME_UNJUDGED = Rule(
    "some-unjudged",
    "part",
    "Nothing was injected, but some arguments could not be judged: an ordinary value was turned down too.",
    "Give the tool what it needs to work in the sandbox, or exclude it; each argument is named with its answer.",
)
NO_CONTROL = Rule(
    "no-control",
    "inconclusive",
    "No argument could be judged: every ordinary value was turned down before it was used.",
    "Give the tools what they need to work in the sandbox (an account, a file, a value that exists).",
)


def of(aim: Aim) -> Callable[[Outcome], bool]:
    """Whether a probe tries this argument."""
    return lambda outcome: outcome.probe.tool == aim.tool.name and outcome.probe.case.endswith(aim.suffix)


def processed(outcome: Outcome) -> bool:
    """Whether an ordinary value was used: the call worked. An error may have come before the value went anywhere."""
    last = outcome.last
    if last is None or not outcome.worked:
        return False
    return last.readings is None or not (last.readings.refusal or last.readings.failure in NOT_PROCESSED)


def settle(
    seen: Seen,
    aims: Sequence[Aim],
    left: Sequence[Aim],
    passing: str,
    judged: Callable[[Aim], bool] = lambda aim: True,
) -> Verdict:
    """The verdict when nothing was injected.

    Args:
        seen: what the check saw.
        aims: the arguments that were to be tried.
        left: those that were left out by rank.
        passing: the rule that passes.
        judged: whether the probes of an argument allow a judgement, beyond that they were answered.
    """
    if not aims:
        return seen.decide("no-target")
    working = [aim for aim in aims if any(map(processed, seen.controls.where(of(aim))))]
    if not working:
        if not seen.controls.answered:
            return seen.decide("none-answered", seen.controls)
        return seen.decide("no-control", seen.controls.answered, line=_answered)
    done = [aim for aim in working if seen.attacks.where(of(aim)).answered and judged(aim)]
    lacking = [aim for aim in aims if aim not in done]
    answered = Group(outcome for aim in done for outcome in seen.attacks.where(of(aim)).answered)
    summary = f"Tried: {_names(done)}."
    if left:
        summary += f" Left out by rank: {_names(left)}."
    if lacking and done:
        lines = [_unjudged(seen, aim) for aim in lacking]
        return seen.decide("some-unjudged", lines, f"{summary} Not judged: {_names(lacking)}.")
    if lacking:
        return seen.decide("no-control", [_unjudged(seen, aim) for aim in lacking])
    return seen.decide(passing, answered, summary, line=_answered)


def _names(aims: Iterable[Aim], limit: int = 12) -> str:
    names = [aim.name for aim in aims]
    return ", ".join(names[:limit]) + (f" and {len(names) - limit} more" if len(names) > limit else "")


def _unjudged(seen: Seen, aim: Aim) -> Evidence:
    control = next(iter(seen.controls.where(of(aim))), None)
    if control is None:
        return Evidence(f"{aim.name}: no valid arguments could be made from the tool's schema")
    return control.evidence(_answered(control))


def _answered(outcome: Outcome) -> str:
    last = outcome.last
    text = last.readings.text if last is not None and last.readings is not None else ""
    return f"{asked(outcome)} came back with {' '.join(text.split())[:120]}" if last else f"{asked(outcome)}: no answer"
