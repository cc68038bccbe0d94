"""Rules, checks and packs: declarations only."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sealmark.record.model import Lifecycle, Probe, Severity, Tag, Verdict

if TYPE_CHECKING:
    from sealmark.check.seen import Seen
    from sealmark.check.target import Target


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
    Rule(
        "plugin-missing",
        "inconclusive",
        "The plugin that this check belongs to is not loaded here, so nobody could judge.",
        "Name the plugin: sealmark regrade --plugin MODULE.",
        "PLUGIN_MISSING",
    ),
    Rule("no-target", "na", "The server offers nothing that this check could be asked of."),
    Rule("disabled", "na", "The check is switched off in the configuration."),
)
"""Rules that every check has, decided by the harness and never by a judge's own text."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check: everything about it that is code. What it is worth stands in the methodology.

    `reads` is "own" when the judge needs only the check's probes and "run" when it reads the whole record.
    `page` is the module docstring, published as the check's page. `severity` is what the user's own check is worth,
    by the user's word; the worth of every other check stands in the methodology.
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
    severity: Severity | None = None

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
