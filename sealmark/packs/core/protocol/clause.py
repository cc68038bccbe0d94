"""What a clause is, and what can be found of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sealmark.check import Outcome
from sealmark.corpora import Case
from sealmark.reading.visible import visible

if TYPE_CHECKING:
    from sealmark.packs.core.protocol.view import View

State = Literal["ok", "broken", "na", "unknown"]
Level = Literal["MUST", "SHOULD", "NOTE"]


@dataclass(frozen=True, slots=True)
class Found:
    """What was found of one clause.

    Attributes:
        state: `ok`, `broken`, `na` (it does not apply here) or `unknown` (nothing that was answered shows it).
        line: what was seen, or why there is nothing to see.
        by: the outcomes that it rests on.
        rule: decides in place of the clause's own rule, when the way of breaking it matters.
    """

    state: State
    line: str = ""
    by: tuple[Outcome, ...] = ()
    rule: str = ""


def ok(*by: Outcome | None) -> Found:
    """The clause holds."""
    return Found("ok", by=_present(by))


def broken(line: str, *by: Outcome | None, rule: str = "") -> Found:
    """The clause does not hold; `line` says what was seen."""
    return Found("broken", line, _present(by), rule)


def na(reason: str) -> Found:
    """The clause does not apply to this server."""
    return Found("na", reason)


def unknown(reason: str, *by: Outcome | None) -> Found:
    """Nothing shows whether the clause holds."""
    return Found("unknown", reason, _present(by))


def _present(by: Iterable[Outcome | None]) -> tuple[Outcome, ...]:
    return tuple(outcome for outcome in by if outcome is not None)


@dataclass(frozen=True, slots=True)
class Clause:
    """One corpus entry: what is demanded, where the specification says so, and of whom.

    Attributes:
        id: names the clause and its predicate.
        level: `MUST`, `SHOULD`, or `NOTE` for what other tools ask for and the specification does not; a note that
            is not followed is shown and never counts.
        section: page and heading of the specification.
        era: in which era it is asked; `both` is asked in the era of the main session.
        since, until: the revisions that it holds for, both included; empty is open.
        capability: must be declared, else the clause does not apply; a path such as `resources.subscribe`.
        rule: the rule that decides when it is broken.
    """

    id: str
    level: Level
    section: str
    era: Literal["legacy", "modern", "both"] = "both"
    since: str = ""
    until: str = ""
    capability: str = ""
    rule: str = ""


Predicate = Callable[["View"], Found]
KEYS = frozenset(("level", "section", "era", "since", "until", "capability", "rule", "send"))
"""What a corpus entry of this check may hold beside `id` and `why`. `send` is for the plan."""


def read_clause(case: Case) -> Clause:
    """The clause that a corpus entry describes."""
    return Clause(case.id, **{key: value for key, value in case.data.items() if key != "send"})


def shown(text: str, limit: int = 80) -> str:
    """A text of the server, quoted, cut, and with nothing in it that hides or drives a terminal."""
    return '"' + visible(text, newlines="escape", limit=limit) + '"'


def named(items: Iterable[str], limit: int = 4) -> str:
    """A few names, quoted, and how many more there are."""
    each = list(items)
    more = f" and {len(each) - limit} more" if len(each) > limit else ""
    return ", ".join(map(shown, each[:limit])) + more


def none_of(lines: Iterable[str], say: str, *, of: Outcome | None, otherwise: Found) -> Found:
    """Broken when there is a line, else `otherwise`."""
    found = list(lines)
    if not found:
        return otherwise
    more = f"; and {len(found) - 3} more" if len(found) > 3 else ""
    return broken(f"{say}: {'; '.join(found[:3])}{more}", of)
