"""What the probes of one URL argument come to, for the checks that tell a refusal from a fetch that failed."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sealmark.check import Group, Outcome, Seen
from sealmark.packs.net.replies import decline, told
from sealmark.packs.net.urls import Aim, aims, asked, seen_as, works
from sealmark.record.model import Verdict


def of(aim: Aim) -> Callable[[Outcome], bool]:
    """Whether a probe is aimed at this very argument."""
    return lambda outcome: outcome.probe.tool == aim.tool.name and outcome.probe.case.endswith(aim.suffix)


def shown_to_work(seen: Seen, aim: Aim) -> bool:
    """Whether a control fetch of this argument worked."""
    return any(works(outcome) for outcome in seen.controls.where(of(aim)))


def all_refused(seen: Seen, aim: Aim) -> bool:
    """Whether every probe was refused in fitting words, less the rare spellings, which few clients know."""
    alias = {case.id + aim.suffix for case in seen.target.cases if case.get("alias")}
    plain = seen.attacks.where(of(aim)).where(lambda outcome: outcome.probe.case not in alias)
    return bool(plain) and all(decline(outcome).kind == "refused" for outcome in plain)


def refusals(seen: Seen, aim: Aim) -> Group:
    """The probes of this argument that were refused in fitting words."""
    return seen.attacks.where(of(aim)).where(lambda outcome: decline(outcome).kind == "refused")


def worst(seen: Seen, rule_of: Callable[[Seen, Aim], str]) -> Verdict:
    """The verdict of the first rule of the check that holds for an argument, when nothing was reached.

    Args:
        seen: what the check saw.
        rule_of: the rule that holds for one argument.
    """
    found = [(aim, rule_of(seen, aim)) for aim in aims(seen.target)]
    if not seen.attacks:
        return seen.decide("no-target")
    order = [rule.id for rule in seen.check.rules]
    rule = min((rule for _, rule in found), key=order.index)
    summary = f"{len(seen.attacks.answered)} of {len(seen.attacks)} probes were answered. {seen.check.rule(rule).says}"
    by = _telling(seen, [aim for aim, held in found if held == rule])
    return seen.decide(rule, by, summary, line=lambda outcome: f"{asked(outcome)} {_made_of(outcome)}")


def _telling(seen: Seen, found: Iterable[Aim]) -> Group:
    """The outcomes of these arguments, those first that tell most."""
    mine = Group(outcome for aim in found for outcome in seen.own.where(of(aim)))
    rank = {"control": 0, "twin": 0, "attack": 1}
    return Group(sorted(mine, key=lambda o: rank.get(o.probe.role, 2) + (decline(o).kind == "refused")))


def _made_of(outcome: Outcome) -> str:
    return "worked" if outcome.probe.role == "control" and works(outcome) else told(outcome)


def visit(outcome: Outcome) -> str:
    """The sentence that says who came during a probe."""
    if outcome.probe.role == "fact":
        return f"after the last answer the listener saw {seen_as(outcome)}"
    shown = ", and the reply shows the page" if outcome.sightings("listener_secret") else ""
    return f"{asked(outcome)}: the listener saw {seen_as(outcome)}{shown}: {outcome.probe.why}"
