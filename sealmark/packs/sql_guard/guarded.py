"""What the checks of a SQL guard share: statements from the corpus, controls, and what reached the backend."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from sealmark.check import Group, Outcome, Rule, Seen, Target
from sealmark.packs.scope.names import Scope
from sealmark.packs.sql.aims import Aim, calling, control_id, readers, statement_of
from sealmark.packs.upstream.calls import requests_of, shown, watched
from sealmark.record.model import Probe, Role, Verdict
from sealmark.surface.arguments import CannotFill

CONTROL = "read"

NO_CONTROL = Rule(
    "no-control",
    "inconclusive",
    "No tool sent an ordinary read on to the backend, so nothing follows from what does not arrive there.",
    "Give a statement that the guard passes (checks.sql-guard-statements.control_sql) and arguments under sql_tools.",
)


def allowed(target: Target) -> str:
    """A name of a table inside the scope."""
    return next(Scope.of(target.setting).inside(), "sm_inside")


def control_statement(target: Target) -> str:
    """An ordinary read that a guard lets pass."""
    return str(target.setting("checks.sql-guard-statements.control_sql") or f"SELECT * FROM {allowed(target)} LIMIT 10")


def filled(statement: str, values: Mapping[str, str]) -> str:
    """A statement of the corpus with its names in their places."""
    return re.sub(r"\$([a-z_]+)", lambda m: values.get(m[1], m[0]), statement)


def asking(
    target: Target, aim: Aim, role: Role, case: str, statement: str, why: str, requires: str = ""
) -> Iterator[Probe]:
    """A probe that sends one statement while the stub is watched; none when the tool's schema cannot be filled."""
    call = calling(target, aim, statement)
    if not isinstance(call, CannotFill):
        yield watched(target, role, case, call, why=why, requires=requires)


def probes(target: Target, statements: Mapping[str, tuple[str, str]]) -> Iterator[Probe]:
    """For each reading tool an ordinary read, then each statement: case -> (statement, reason)."""
    for aim in readers(target):
        yield from asking(target, aim, "control", CONTROL, control_statement(target), "an ordinary read")
        before = control_id(target, aim, CONTROL)
        for case, (statement, why) in statements.items():
            yield from asking(target, aim, "attack", case, statement, why, before)


def controlled(seen: Seen) -> Group:
    """The attacks on tools whose ordinary read worked and reached the backend."""
    working = {o.probe.tool for o in seen.controls if o.worked and requests_of(o)}
    return seen.attacks.where(lambda outcome: outcome.probe.tool in working)


def sent_on(outcome: Outcome) -> bool:
    """Whether what a probe asked for reached the backend: a request holds the last of the statement's own words."""
    words = re.findall(r"sm_[a-z0-9_]+", statement_of(outcome, 4000).lower())
    return any(
        word in request.get("words", ()) for request in requests_of(outcome) for word in words if word != "sm_inside"
    )


def judged(seen: Seen, reached: Callable[[Outcome], bool], noun: str) -> Verdict:
    """The verdict on statements that must not arrive: sent on, stopped, or unknown.

    Args:
        seen: what the check saw.
        reached: whether what a probe asked for reached the backend.
        noun: what the statements are called in the summary.
    """
    attacks = controlled(seen)
    if not attacks:
        return seen.decide(
            "no-control" if seen.controls.answered else "none-answered", seen.controls, line=statement_of
        )
    passed = attacks.where(reached)
    if passed:
        cases = ", ".join(outcome.probe.case for outcome in passed)
        summary = f"{len(passed)} of {len(attacks)} {noun} reached the backend: {cases}."
        return seen.decide("forwarded", passed, summary, line=lambda o: f"sent on: {shown(requests_of(o)[0])}")
    summary = f"{len(attacks.answered)} of {len(attacks)} {noun} were answered, and none reached the backend."
    return seen.decide(
        "stopped", attacks.answered, summary, line=lambda o: f"{statement_of(o)} did not reach the backend"
    )
