"""Clauses of prompts and of the utilities: metadata, fetching, completion, logging, progress."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from sealmark.packs.core.protocol.clause import Found, Predicate, broken, na, named, none_of, ok, unknown
from sealmark.packs.core.protocol.rpc import code
from sealmark.packs.core.protocol.view import View
from sealmark.reading.walk import mapping, sequence

VALUES = 100
"""Most values that one completion may hold."""


def _over(view: View, lines: Iterable[str], say: str) -> Found:
    """Broken when there is a line, ok when there are prompts without one."""
    fact = view.fact("prompts")
    return none_of(lines, say, of=fact, otherwise=ok(fact) if view.surface.prompts else na("none is listed"))


def names_present(view: View) -> Found:
    """Every prompt has a name."""
    lines = (f"prompt {n}" for n, each in enumerate(view.surface.prompts, 1) if not each.name)
    return _over(view, lines, "no name")


def names_unique(view: View) -> Found:
    """No two prompts have the same name."""
    counts = Counter(each.name for each in view.surface.prompts)
    return _over(view, (named([name]) for name, count in counts.items() if name and count > 1), "names are not unique")


def arguments_named(view: View) -> Found:
    """The arguments of a prompt have names, each its own."""
    lines = (
        named([each.name])
        for each in view.surface.prompts
        if len({argument.name for argument in each.arguments} - {""}) < len(each.arguments)
    )
    return _over(view, lines, "an argument has no name, or one that is used twice")


def _text(field: str) -> Predicate:
    return lambda view: _over(
        view, (named([each.name]) for each in view.surface.prompts if not getattr(each, field)), f"no {field}"
    )


def arguments_described(view: View) -> Found:
    """Every argument of a prompt is described."""
    lines = (named([each.name]) for each in view.surface.prompts if not all(a.description for a in each.arguments))
    return _over(view, lines, "arguments are not described")


def fetched(view: View) -> Found:
    """A prompt that requires nothing is fetched: messages, each with a role and a content."""
    outcome = view.case("prompt")
    if outcome is None:
        return na("every prompt requires an argument")
    seen = view.at(outcome)
    if seen is None or seen.outcome != "result":
        return unknown("the prompt could not be fetched", outcome)
    if seen.readings is not None and seen.readings.invalid_shape:
        return broken(f"the prompt is malformed: {seen.readings.invalid_shape}", outcome)
    return ok(outcome)


def messages_present(view: View) -> Found:
    """A fetched prompt has a message."""
    outcome = view.case("prompt")
    result = view.result(view.at(outcome))
    if outcome is None or result is None:
        return na("no prompt was fetched")
    return ok(outcome) if sequence(result.get("messages")) else broken("the prompt has no message", outcome)


def _refused(case: str, what: str) -> Predicate:
    def predicate(view: View) -> Found:
        outcome = view.case(case)
        if outcome is None:
            return na("no prompt requires an argument")
        seen = view.at(outcome)
        if seen is None or seen.outcome not in ("result", "error"):
            return unknown("it was not answered", outcome)
        return ok(outcome) if seen.outcome == "error" else broken(f"{what} was answered with a result", outcome)

    return predicate


def _code(case: str, what: str) -> Predicate:
    return lambda view: (
        code(view, view.case(case), what, (-32602,)) if view.case(case) else na("no prompt requires one")
    )


def completion_answered(view: View) -> Found:
    """Completing an argument of a listed prompt gives an array of texts, at most a hundred."""
    outcome = view.case("completion")
    if outcome is None:
        return na("no prompt has an argument")
    seen = view.at(outcome)
    if seen is not None and seen.error_code == -32601:
        return broken("completion/complete does not exist, although completions are declared", outcome)
    result = view.result(seen)
    if result is None:
        return unknown("no completion came", outcome)
    values = mapping(result.get("completion")).get("values")
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        return broken("the completion has no values that are texts", outcome)
    return broken(f"the completion has {len(values)} values", outcome) if len(values) > VALUES else ok(outcome)


def level_set(view: View) -> Found:
    """The level of logging can be set."""
    outcome = view.case("logging")
    seen = view.at(outcome)
    if seen is None or seen.outcome not in ("result", "error"):
        return unknown("it was not answered", outcome)
    return (
        ok(outcome)
        if seen.outcome == "result"
        else broken(f"setting the level was answered with the error {seen.error_code}", outcome)
    )


def level_refused(view: View) -> Found:
    """A level that does not exist is refused."""
    outcome = view.case("logging")
    seen = view.at(outcome, 1)
    if seen is None or seen.outcome not in ("result", "error"):
        return unknown("it was not answered", outcome)
    return ok(outcome) if seen.outcome == "error" else broken("a level that does not exist was set", outcome)


def logs_declared(view: View) -> Found:
    """A server that sends log messages declares logging."""
    count = view.notified("notifications/message", era="legacy")
    if count and not view.capability("logging"):
        return broken(f"{count} log messages came and logging is not declared", view.fact("open"))
    return ok(view.fact("open"))


def progress_asked(view: View) -> Found:
    """Progress is reported only to who asked for it; the harness asks for none."""
    count = view.notified("notifications/progress")
    return broken(f"{count} progress notifications came unasked", view.fact("open")) if count else ok(view.fact("open"))


PREDICATES: dict[str, Predicate] = {
    "prompt-names-present": names_present,
    "prompt-names-unique": names_unique,
    "prompt-arguments-named": arguments_named,
    "prompts-described": _text("description"),
    "prompts-titled": _text("title"),
    "prompt-arguments-described": arguments_described,
    "prompt-fetched": fetched,
    "prompt-has-messages": messages_present,
    "unknown-prompt": _refused("unknown-prompt", "a prompt that does not exist"),
    "prompt-arguments-required": _refused("prompt-arguments", "a prompt without its required arguments"),
    "prompt-error-code": _code("prompt-arguments", "a prompt without its required arguments"),
    "completion-answered": completion_answered,
    "logging-level-set": level_set,
    "logging-level-refused": level_refused,
    "logs-declared": logs_declared,
    "progress-asked": progress_asked,
}
