"""What a check is, what its plan sees (`Target`) and what its judge sees (`Seen`).

A check is data: an id, prose, a table of rules, and two pure functions. `plan(target)` yields the probes to send;
`judge(seen)` picks the rule that decided and says which probes decided it. A rule carries its verdict, so a judge never
names one; and a passing rule is refused by construction when nothing that it rests on was answered.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from sealmark import corpora
from sealmark.corpora import Case
from sealmark.record import marks
from sealmark.record.model import (
    Call,
    Classified,
    Evidence,
    Gathered,
    Lifecycle,
    Observation,
    ParamUse,
    Probe,
    Role,
    Sighting,
    Step,
    Tag,
    Tool,
    Verdict,
)
from sealmark.surface.arguments import CannotFill
from sealmark.surface.arguments import fill as fill_arguments

EVIDENCE_LINES = 12
"""Evidence lines that a verdict keeps; the probes frame has them all."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One sentence that can decide a check, and the verdict that it gives.

    `code` is the stable issue code (built from the check and rule when empty); `hint` says what to do about it.
    """

    id: str
    tag: Tag
    says: str
    hint: str = ""
    code: str = ""


COMMON_RULES = (
    Rule(
        "none-answered",
        "inconclusive",
        "No probe that this verdict could rest on was answered.",
        "Raise --timeout-probe, or look at the session's stderr for why the server stopped answering.",
        "NOT_ANSWERED",
    ),
    Rule(
        "not-sent",
        "inconclusive",
        "A probe that this verdict needs was not sent.",
        "Raise the call budget or the deadline, or include the tool again, and run once more.",
        "NOT_SENT",
    ),
    Rule(
        "run-again",
        "inconclusive",
        "This revision of the check wants probes that the stored run never sent.",
        "Run the server again with this version of sealmark.",
        "RUN_AGAIN",
    ),
    Rule(
        "judge-error",
        "inconclusive",
        "The harness failed while judging; this says nothing about the server.",
        "Report it with the run's JSON attached.",
        "JUDGE_ERROR",
    ),
    Rule("no-target", "na", "The server offers nothing that this check could be asked of."),
    Rule("disabled", "na", "The check is switched off in the configuration."),
)
"""Rules that every check has, decided by the harness and never by a judge's own text."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check: everything about it that is code. What it is worth stands in the methodology.

    `reads` is "own" when the judge needs only the check's probes and "run" when it reads the whole record.
    `page` is the module docstring, published as the check's page.
    """

    id: str
    revision: int
    title: str
    question: str
    page: str
    rules: tuple[Rule, ...]
    plan: Callable[[Target], Iterable[Probe]]
    judge: Callable[[Seen], Verdict]
    follow_up: Callable[[Target, Seen], Iterable[Probe]] | None = None
    scope: str = "server"
    reads: Literal["own", "run"] = "own"
    corpus: str = ""
    cwe: tuple[str, ...] = ()
    owasp: str = ""
    settings: tuple[str, ...] = ()

    def rule(self, rule_id: str) -> Rule:
        """The rule of that id, common ones included.

        Raises:
            KeyError: the check has no such rule.
        """
        for rule in (*self.rules, *COMMON_RULES):
            if rule.id == rule_id:
                return rule
        raise KeyError(f"{self.id} has no rule {rule_id!r}")

    def code(self, rule: Rule) -> str:
        """The stable issue code of a rule; empty for pass and n/a."""
        if rule.tag in ("pass", "na"):
            return ""
        return rule.code or f"{self.id}-{rule.id}".upper().replace("-", "_")


@dataclass(frozen=True, slots=True)
class Pack:
    """A folder of checks that are graded together. `applies` returns (yes or no, the reason in words)."""

    id: str
    title: str
    question: str
    applies: Callable[[Target], tuple[bool, str]]
    checks: tuple[Check, ...]
    status: Lifecycle = "standard"
    active_only: bool = False


@dataclass(frozen=True)
class Target:
    """What a plan sees: the surface, what the harness takes each tool for, facts of the bench, settings, the corpus.

    Everything comes from the record's gathered half, so a plan can be recomputed offline.
    """

    gathered: Gathered
    pack: str = ""
    check: Check | None = None
    corpus_add: tuple[Case, ...] = ()
    corpus_remove: frozenset[str] = frozenset()

    def bound(self, pack: str, check: Check) -> Target:
        """The same target for one check of one pack."""
        return replace(self, pack=pack, check=check)

    @property
    def surface_tools(self) -> tuple[Tool, ...]:
        """All tools that are not excluded, in listing order."""
        excluded = set(self.facts.get("excluded_tools", ()))
        return tuple(tool for tool in self.gathered.surface.tools if tool.name and tool.name not in excluded)

    @property
    def facts(self) -> Mapping[str, Any]:
        """Facts of the bench (see docs/record.md)."""
        return self.gathered.facts

    @cached_property
    def _settings(self) -> dict[str, Any]:
        return {setting.key: setting.value for setting in self.gathered.settings}

    def setting(self, key: str, default: Any = None) -> Any:
        """The effective value of a setting that affects gathering or judging."""
        return self._settings.get(key, default)

    @property
    def cases(self) -> tuple[Case, ...]:
        """The check's corpus, as configured."""
        assert self.check is not None
        name = self.check.corpus or f"{self.pack}/{self.check.id}"
        kept = [case for case in corpora.cases(name) if f"{self.check.id}/{case.id}" not in self.corpus_remove]
        return (*kept, *self.corpus_add)

    @cached_property
    def _classified(self) -> dict[str, Classified]:
        return {entry.tool: entry for entry in self.gathered.classified}

    def classified(self, tool: str) -> Classified:
        """What the harness takes `tool` for."""
        return self._classified.get(tool) or Classified(tool, "opaque", "low", "not classified")

    def taking(self, cls: str, *uses: str, sure: bool = True) -> Iterator[tuple[Tool, ParamUse]]:
        """Tools with an argument of class `cls` (and one of `uses`, if given), one pair per argument.

        With `sure`, tools that were classified with low confidence are left out.
        """
        for tool in self.surface_tools:
            entry = self.classified(tool.name)
            if cls not in (entry.cls, entry.secondary) or (sure and entry.confidence == "low"):
                continue
            for use in entry.uses:
                if use.cls == cls and (not uses or use.use in uses):
                    yield tool, use

    def fill(self, tool: Tool, values: Mapping[str, Any]) -> dict[str, Any] | CannotFill:
        """Valid arguments for `tool` with these values (templates) at these pointers, and nothing optional."""
        filled = fill_arguments(marks.escape_json(tool.input_schema), values)
        return filled if isinstance(filled, CannotFill) else filled.arguments

    def probe(
        self,
        role: Role,
        case: str,
        *steps: Step,
        tool: str = "",
        why: str = "",
        session: str = "main",
        requires: str = "",
        resource: str = "",
        consent: bool = False,
    ) -> Probe:
        """A probe of the bound check. Its id is made of check, role, tool and case, and must be unique in the check."""
        assert self.check is not None
        parts = [self.check.id, *([slug(tool)] if tool else []), case if role == "attack" else f"{role}:{case}"]
        return Probe(
            id="/".join(parts),
            pack=self.pack,
            check=self.check.id,
            role=role,
            steps=steps,
            why=why,
            tool=tool,
            case=case,
            session=session,
            requires=requires,
            resource=resource,
            consent=consent,
        )


def slug(name: str) -> str:
    """A tool name as it may stand in an id: itself when plain, else a short hash of it."""
    if re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", name):
        return name
    return "tool-" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:10]


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
        """Answered with a result that is not a tool error (what a control must do)."""
        return self.answered and all(
            seen.outcome != "error" and not seen.is_error for seen in self.observations if seen.outcome != "look"
        )

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
    return bool(outcome.observations) and outcome.observations[0].reason.startswith(("budget", "deadline", "pack-timeout"))


def _line(outcome: Outcome, line: Callable[[Outcome], str] | str) -> str:
    if callable(line):
        return line(outcome)
    if line:
        return line
    if outcome.last is not None:
        return "the server answered"
    reasons: Sequence[str] = [seen.reason or seen.outcome for seen in outcome.observations]
    return reasons[-1] if reasons else "not sent"


def call(tool: Tool, arguments: Any, *, valid: bool = True, timeout_sec: float = 0) -> Call:
    """A `tools/call` step."""
    return Call(tool=marks.escape(tool.name), arguments=arguments, valid=valid, timeout_sec=timeout_sec)
