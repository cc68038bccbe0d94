"""Clauses of listings: what is declared is served and what is served is declared, pages end, cursors are checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sealmark.check import Outcome
from sealmark.packs.core.protocol.clause import Found, Predicate, broken, na, named, ok, unknown
from sealmark.packs.core.protocol.messages import LISTINGS
from sealmark.packs.core.protocol.view import View
from sealmark.reading.walk import mapping, sequence
from sealmark.record.model import Observation

BOUNDS = ("items", "bytes", "pages")
KEYS = {method: key for _, method, key in LISTINGS}


def served(view: View, name: str) -> Found:
    """A listing whose capability is declared is there. Any other error may come from what the server stands on."""
    outcome = view.fact(name)
    seen = view.at(outcome)
    if seen is None:
        return unknown("the listing was not asked for", outcome)
    if seen.outcome == "error" and seen.error_code == -32601:
        return broken("the method does not exist (-32601)", outcome)
    if seen.outcome == "error":
        return unknown(f"the listing was answered with the error {seen.error_code}", outcome)
    if seen.outcome == "timeout":
        return broken("the listing was not answered in time", outcome)
    return ok(outcome) if seen.outcome == "listing" else unknown("the listing was not answered", outcome)


def _served(name: str) -> Predicate:
    return lambda view: served(view, name)


def _listed(view: View) -> Iterator[tuple[str, Outcome, dict[str, Any]]]:
    """The listings that were answered: method, outcome, facts."""
    for name, method, _ in LISTINGS:
        outcome = view.fact(name)
        seen = view.at(outcome)
        if outcome is not None and seen is not None and seen.outcome == "listing":
            yield method, outcome, mapping(seen.facts)


def listings_well_formed(view: View) -> Found:
    """Every page has the shape that the negotiated revision asks for. Schemas of tools have clauses of their own."""
    good: list[Outcome] = []
    for method, outcome, facts in _listed(view):
        problems = [text for text in sequence(facts.get("problems")) if "Schema" not in str(text)]
        if problems:
            return broken(f"a page of {method} is malformed: {problems[0]}", outcome)
        if facts.get("oddities"):
            return broken(f"{method} lists {facts['oddities']} items that are not objects", outcome)
        good.append(outcome)
    return ok(*good) if good else unknown("no listing was answered")


def listings_end(view: View) -> Found:
    """Every listing comes to an end."""
    good: list[Outcome] = []
    for method, outcome, facts in _listed(view):
        stopped = str(facts.get("stoppedBy", ""))
        if stopped == "cursor-loop":
            return broken(f"{method} gave out a cursor for the second time", outcome)
        if stopped in ("error", "timeout"):
            return broken(f"{method} broke off after {facts.get('pages')} pages: {stopped}", outcome)
        good.append(outcome)
    return ok(*good) if good else unknown("no listing was answered")


def listings_bounded(view: View) -> Found:
    """No listing is larger than the harness reads."""
    for method, outcome, facts in _listed(view):
        if facts.get("stoppedBy") in BOUNDS:
            name = f"listing {facts['stoppedBy']}"
            limits = view.seen.gathered.limits
            value = next((limit.value for limit in limits if limit.name == name and limit.where == method), "")
            return broken(f"{method} has more than {value or 'the most'} {facts['stoppedBy']} that are read", outcome)
    return ok(*(outcome for _, outcome, _ in _listed(view)))


def cursors_are_texts(view: View) -> Found:
    """A cursor is a text, and absent on the last page."""
    for method, outcome, facts in _listed(view):
        wrong = [kind for kind in sequence(facts.get("cursors")) if kind != "str"]
        if wrong:
            kind = "null" if wrong[0] == "NoneType" else wrong[0]
            return broken(f"the nextCursor of {method} is {kind}", outcome)
    return ok(*(outcome for _, outcome, _ in _listed(view)))


def bad_cursor(view: View) -> Found:
    """A listing that has pages refuses a cursor that it never gave out."""
    outcome = view.case("bad-cursor")
    answers = {step.method: seen for step, seen in view.steps(outcome)}
    if not answers:
        return unknown("no listing with an unknown cursor was answered", outcome)
    paged = [method for method, _, facts in _listed(view) if int(facts.get("pages") or 0) > 1]
    ignoring = [method for method in paged if method in answers and answers[method].outcome == "result"]
    if ignoring:
        return broken(f"{ignoring[0]} has pages and took a cursor that it never gave out", outcome)
    return ok(outcome)


def bad_cursor_code(view: View) -> Found:
    """The error of an unknown cursor is -32602."""
    outcome = view.case("bad-cursor")
    answers = {step.method: seen for step, seen in view.steps(outcome)}
    wrong = [method for method, seen in answers.items() if seen.error_code != -32602]
    if not answers:
        return unknown("no listing with an unknown cursor was answered", outcome)
    return broken(f"{named(wrong)} did not answer an unknown cursor with -32602", outcome) if wrong else ok(outcome)


def some_tool(view: View) -> Found:
    """A server that declares tools lists one."""
    outcome = view.fact("tools")
    seen = view.at(outcome)
    if seen is not None and seen.outcome == "error":
        return broken(f"tools are declared and listing them gave the error {seen.error_code}", outcome)
    if seen is None or seen.outcome != "listing":
        return unknown("the tools were not listed", outcome)
    return ok(outcome) if mapping(seen.facts).get("items") else broken("tools are declared and none is listed", outcome)


def tools_declared(view: View) -> Found:
    """Tools that are listed are declared."""
    if view.capability("tools"):
        return na("the capability is declared")
    seen = view.at(view.fact("tools"))
    if seen is not None and seen.outcome == "listing" and mapping(seen.facts).get("items"):
        return broken("tools are listed and not declared", view.fact("tools"))
    return ok(view.fact("tools"))


def _declared(capability: str, method: str) -> Predicate:
    def predicate(view: View) -> Found:
        if view.capability(capability):
            return na("the capability is declared")
        outcome = view.case("undeclared")
        seen = next((seen for step, seen in view.steps(outcome) if step.method == method), None)
        if seen is None:
            return unknown(f"{method} was not answered", outcome)
        if seen.outcome == "result" and not _empty(view, seen, KEYS.get(method, "")):
            return broken(f"{method} is served and {capability} is not declared", outcome)
        return ok(outcome)

    return predicate


def _empty(view: View, seen: Observation, key: str) -> bool:
    """Whether a result lists nothing; a server without resources may answer so."""
    result = view.result(seen)
    return bool(key) and result is not None and not sequence(result.get(key))


PREDICATES: dict[str, Predicate] = {
    "tools-served": _served("tools"),
    "resources-served": _served("resources"),
    "templates-served": _served("templates"),
    "prompts-served": _served("prompts"),
    "listings-well-formed": listings_well_formed,
    "listings-end": listings_end,
    "listings-bounded": listings_bounded,
    "cursors-are-texts": cursors_are_texts,
    "bad-cursor": bad_cursor,
    "bad-cursor-code": bad_cursor_code,
    "some-tool": some_tool,
    "tools-declared": tools_declared,
    "resources-declared": _declared("resources", "resources/list"),
    "prompts-declared": _declared("prompts", "prompts/list"),
    "completions-declared": _declared("completions", "completion/complete"),
    "logging-declared": _declared("logging", "logging/setLevel"),
}
