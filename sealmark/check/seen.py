"""What a judge sees: outcomes of probes, alone and in groups, and the one way to a verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sealmark.check.rules import Check
from sealmark.check.target import Target
from sealmark.record.model import Evidence, Gathered, Observation, Probe, Role, Sighting, Verdict

EVIDENCE_LINES = 12
"""Evidence lines that a verdict keeps; the probes frame has them all."""

CUT = ("budget", "deadline", "pack-timeout", "interrupted")
"""Beginnings of the reasons for which the harness itself leaves a probe out."""


def succeeded(seen: Observation) -> bool:
    """Whether one step did what it asked for: no error, no tool error, nothing that waits for input."""
    if seen.outcome not in ("result", "opened", "listing", "look", "done") or seen.is_error:
        return False
    return seen.readings is None or seen.readings.result_type != "input_required"


@dataclass(frozen=True)
class Outcome:
    """One probe and what was observed for it."""

    probe: Probe
    observations: tuple[Observation, ...] = field(repr=False)

    @property
    def replies(self) -> tuple[Observation, ...]:
        """Observations in which the server answered: a result or a JSON-RPC error."""
        return tuple(seen for seen in self.observations if seen.outcome in ("result", "error"))

    @property
    def last(self) -> Observation | None:
        """The last answer of the server, if there was one."""
        return self.replies[-1] if self.replies else None

    @property
    def sent(self) -> bool:
        """Whether any step was carried out."""
        return any(seen.outcome != "unsent" for seen in self.observations)

    @property
    def answered(self) -> bool:
        """Whether the last step that asks the server something was answered."""
        asking = [seen for seen in self.observations if seen.outcome not in ("look", "done")]
        return bool(asking) and asking[-1].outcome in ("result", "error", "opened", "listing")

    @property
    def worked(self) -> bool:
        """Answered with a complete result that is not a tool error (what a control must do)."""
        return self.answered and all(succeeded(seen) for seen in self.observations)

    @property
    def crashed(self) -> bool:
        """Whether the server's process or connection ended while this probe ran."""
        return any(seen.outcome == "closed" for seen in self.observations)

    @property
    def hung(self) -> bool:
        """Whether a step got no answer in its time."""
        return any(seen.outcome == "timeout" for seen in self.observations)

    def sightings(self, *names: str) -> tuple[Sighting, ...]:
        """Values of the harness seen in the answers; all of them, or those named."""
        return tuple(s for seen in self.observations for s in seen.sightings if not names or s.name in names)

    def looked(self, what: str) -> tuple[dict[str, Any], ...]:
        """The results of the probe's looks at `what`, in order."""
        steps = self.probe.steps
        return tuple(
            seen.facts
            for seen in self.observations
            if seen.outcome == "look" and getattr(steps[seen.step], "what", "") == what and seen.facts is not None
        )

    def evidence(self, line: str) -> Evidence:
        """One line of evidence that points at this probe and its answering steps."""
        steps = tuple(seen.step for seen in self.observations if seen.outcome != "unsent")
        return Evidence(line, self.probe.id, steps)


class Group(tuple[Outcome, ...]):
    """Outcomes of several probes."""

    def where(self, keep: Callable[[Outcome], bool]) -> Group:
        """Those for which `keep` holds."""
        return Group(outcome for outcome in self if keep(outcome))

    @property
    def answered(self) -> Group:
        """Those whose server answered."""
        return self.where(lambda outcome: outcome.answered)

    @property
    def unanswered(self) -> Group:
        """Those that were sent, or should have been, and have no answer."""
        return self.where(lambda outcome: not outcome.answered)

    @property
    def not_sent(self) -> Group:
        """Those of which no step was carried out."""
        return self.where(lambda outcome: not outcome.sent)

    def role(self, *roles: Role) -> Group:
        """Those whose probe has one of these roles."""
        return self.where(lambda outcome: outcome.probe.role in roles)

    def case(self, *cases: str) -> Group:
        """Those of these corpus cases."""
        return self.where(lambda outcome: outcome.probe.case in cases)

    def of_tool(self, tool: str) -> Group:
        """Those aimed at one tool."""
        return self.where(lambda outcome: outcome.probe.tool == tool)

    def sighting(self, *names: str) -> Group:
        """Those in whose answers one of these values was seen."""
        return self.where(lambda outcome: bool(outcome.sightings(*names)))

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools they were aimed at, each once, in order."""
        return tuple(dict.fromkeys(outcome.probe.tool for outcome in self if outcome.probe.tool))


class Seen:
    """What a judge sees: the check's outcomes, and the whole record for checks that read the run."""

    def __init__(self, target: Target, check: Check, every: Group) -> None:
        self.target = target
        self.check = check
        self.every = every
        self.own = every.where(lambda outcome: outcome.probe.check == check.id)

    @property
    def gathered(self) -> Gathered:
        """The gathered half of the record."""
        return self.target.gathered

    @property
    def controls(self) -> Group:
        """The check's control probes."""
        return self.own.role("control")

    @property
    def attacks(self) -> Group:
        """The check's attack probes."""
        return self.own.role("attack")

    @property
    def twins(self) -> Group:
        """The check's twin probes."""
        return self.own.role("twin")

    def outcome(self, probe_id: str) -> Outcome | None:
        """The outcome of one probe of the run."""
        return next((outcome for outcome in self.every if outcome.probe.id == probe_id), None)

    def decide(
        self,
        rule_id: str,
        by: Iterable[Outcome | Evidence] = (),
        summary: str = "",
        *,
        line: Callable[[Outcome], str] | str = "",
    ) -> Verdict:
        """The verdict that a rule gives.

        Args:
            rule_id: one of the check's rules.
            by: the outcomes that decided (or ready evidence lines).
            summary: one sentence of what was seen; the rule's own sentence when empty.
            line: the evidence sentence for an outcome, or a function that makes it.

        A passing rule becomes `none-answered` when `by` holds no answered outcome, and `not-sent` when one of the
        check's own attacks was left out by a budget or a deadline.
        """
        rule = self.check.rule(rule_id)
        given = tuple(by)
        if rule.tag == "pass":
            outcomes = [item for item in given if isinstance(item, Outcome)]
            if not any(outcome.answered for outcome in outcomes):
                return self.decide("none-answered", self.own)
            cut = [outcome for outcome in self.own if _left_out(outcome)]
            if cut:
                return self.decide("not-sent", cut, line=lambda outcome: outcome.observations[0].reason)
        evidence = tuple(item if isinstance(item, Evidence) else item.evidence(_line(item, line)) for item in given)
        return Verdict(
            pack=self.target.pack,
            check=self.check.id,
            tag=rule.tag,
            rule=rule.id,
            summary=summary or rule.says,
            evidence=evidence[:EVIDENCE_LINES],
            probes=len(self.own),
            answered=len(self.own.answered),
            code=self.check.code(rule),
            hint=rule.hint if rule.tag not in ("pass", "na") else "",
        )


def _left_out(outcome: Outcome) -> bool:
    """Whether a probe was left out by a bound of the harness, rather than for a reason that the check knows."""
    return bool(outcome.observations) and outcome.observations[0].reason.startswith(CUT)


def _line(outcome: Outcome, line: Callable[[Outcome], str] | str) -> str:
    if callable(line):
        return line(outcome)
    if line:
        return line
    if outcome.last is not None:
        return "the server answered"
    reasons: Sequence[str] = [seen.reason or seen.outcome for seen in outcome.observations]
    return reasons[-1] if reasons else "not sent"
