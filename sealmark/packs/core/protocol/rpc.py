"""Clauses of JSON-RPC: ids, errors, notifications, lines that are no messages, what stands on stdout."""

from __future__ import annotations

from sealmark.check import Outcome
from sealmark.packs.core.protocol.clause import Found, Predicate, broken, na, ok, shown, unknown
from sealmark.packs.core.protocol.messages import LISTENING
from sealmark.packs.core.protocol.view import View
from sealmark.record.model import Call, Raw, Request

CRASHED, HUNG, FATAL = "server-crashed", "server-hung", "malformed-fatal"

FORM = frozenset(("missing-jsonrpc", "wrong-jsonrpc", "result-and-error", "result-not-object", "bad-error"))
JSON = frozenset(("invalid-utf8", "bom", "nan"))


def ping(view: View) -> Found:
    """A ping is answered with a result."""
    outcome = view.case("ping")
    seen = view.at(outcome)
    if seen is None or seen.outcome not in ("result", "error"):
        return unknown("the ping was not answered", outcome)
    return (
        ok(outcome)
        if seen.outcome == "result"
        else broken(f"a ping was answered with the error {seen.error_code}", outcome)
    )


def refused(view: View, outcome: Outcome | None, what: str, step: int = 0) -> Found:
    """A request is refused: by a JSON-RPC error, or by a result that says that it is one or reads like one."""
    seen = view.at(outcome, step)
    if seen is None or seen.outcome not in ("result", "error"):
        return unknown(f"{what} was not answered", outcome)
    if seen.outcome == "error" or view.says_error(seen):
        return ok(outcome)
    return broken(f"{what} was answered with a result", outcome)


def code(view: View, outcome: Outcome | None, what: str, wanted: tuple[int, ...], step: int = 0) -> Found:
    """A request is refused with one of these error codes."""
    seen = view.at(outcome, step)
    if seen is None or seen.outcome not in ("result", "error"):
        return unknown(f"{what} was not answered", outcome)
    if seen.error_code in wanted:
        return ok(outcome)
    got = f"the error {seen.error_code}" if seen.outcome == "error" else "a result"
    return broken(f"{what} was answered with {got}, not {' or '.join(map(str, wanted))}", outcome)


def unknown_method(view: View) -> Found:
    """An unknown method is answered with an error."""
    outcome = view.case("unknown-method")
    seen = view.at(outcome)
    if seen is not None and seen.outcome == "result":
        return broken("a method that does not exist was answered with a result", outcome)
    return ok(outcome) if seen is not None and seen.outcome == "error" else unknown("it was not answered", outcome)


def unknown_method_code(view: View) -> Found:
    """The error of an unknown method is -32601."""
    return code(view, view.case("unknown-method"), "a method that does not exist", (-32601,))


def id_echoed(view: View) -> Found:
    """A reply carries the id that the request had."""
    outcome = view.case("ids")
    if outcome is None or not outcome.sent:
        return unknown("no request with an id of our own was sent", outcome)
    for step, seen in zip(outcome.probe.steps, outcome.observations, strict=False):
        if seen.outcome in ("timeout", "closed") and isinstance(step, Raw):
            rule = CRASHED if seen.outcome == "closed" else ""
            return broken(f"a request with the id {step.expect!r} got no reply with that id", outcome, rule=rule)
    return ok(outcome) if outcome.answered else unknown("the requests were not answered", outcome)


def replies_matched(view: View) -> Found:
    """Every reply belongs to a request, and only one does."""
    kinds = {
        "unmatched": "with an id that was never used",
        "duplicate": "to a request that was answered already",
        "bad-id": "with an id that is neither a text nor an integer",
        "id-null": "with the id null",
        "no-id": "without an id",
    }
    for stray in view.strays(*kinds):
        lines = [line for line in stray.head.split("\n") if LISTENING not in line]
        if lines:
            return broken(f"a reply {kinds[stray.kind]}: {shown(lines[0], 120)}", view.fact("open"))
    return ok(view.fact("open"))


def _flagged(view: View, flags: frozenset[str]) -> tuple[list[str], Outcome | None]:
    for outcome in view.seen.every:
        found = sorted({flag for seen in outcome.observations for flag in seen.flags if flag in flags})
        if found:
            return found, outcome
    return [], None


def reply_form(view: View) -> Found:
    """A reply has the members that JSON-RPC asks for, and no others that contradict them."""
    flags, outcome = _flagged(view, FORM)
    return (
        broken(f"a reply is not formed as JSON-RPC asks: {', '.join(flags)}", outcome)
        if flags
        else ok(view.fact("open"))
    )


def proper_json(view: View) -> Found:
    """A message is JSON in UTF-8."""
    flags, outcome = _flagged(view, JSON)
    return broken(f"a message is not JSON in UTF-8: {', '.join(flags)}", outcome) if flags else ok(view.fact("open"))


def keys_unique(view: View) -> Found:
    """No object of a message has the same key twice."""
    flags, outcome = _flagged(view, frozenset(("duplicate-key",)))
    return broken("an object of a message has the same key twice", outcome) if flags else ok(view.fact("open"))


def notification_silent(view: View) -> Found:
    """A notification is not answered."""
    outcome = view.case("notifications")
    if outcome is None or view.seen.gathered.server.transport != "stdio":
        return na("the transport answers a notification by itself")
    seen = view.at(outcome)
    if seen is None or seen.outcome not in ("result", "error"):
        return unknown("nothing was answered", outcome)
    message = view.message(seen)
    expected = outcome.probe.steps[0].expect if isinstance(outcome.probe.steps[0], Raw) else None
    if message is not None and message.get("id") != expected:
        return broken("a notification was answered", outcome)
    return ok(outcome)


def notifications_survived(view: View) -> Found:
    """Cancelling what was never asked, and a notification that nobody knows, change nothing."""
    return survived(view.case("notifications"), "notifications that concern nothing")


def survived(outcome: Outcome | None, what: str, crashed: str = CRASHED, hung: str = HUNG) -> Found:
    """The server lives on after something was sent to it; else one of these rules decides."""
    if outcome is None or not outcome.sent:
        return unknown("it was not sent", outcome)
    if outcome.crashed:
        exit_code = next((seen.exit_code for seen in outcome.observations if seen.outcome == "closed"), None)
        how = "" if exit_code is None else f" (exit code {exit_code})"
        return broken(f"the server ended after {what}{how}", outcome, rule=crashed)
    if outcome.hung:
        return broken(f"the server answered nothing more after {what}", outcome, rule=hung)
    return ok(outcome) if outcome.answered else unknown("the request after it was not answered", outcome)


def _survives(case: str, what: str) -> Predicate:
    return lambda view: survived(view.case(case), what, FATAL, FATAL)


def batch_ignored(view: View) -> Found:
    """A batch is not processed."""
    if view.case("malformed-batch") is None:
        return unknown("no batch was sent")
    answers = [stray for stray in view.strays("batch", "unmatched", rough=True) if "sealmark-batch" in stray.head]
    return (
        broken("the members of a batch were answered", view.case("malformed-batch"))
        if answers
        else ok(view.case("malformed-batch"))
    )


def no_batch_sent(view: View) -> Found:
    """The server sends no batches."""
    return (
        broken("the server sent an array of messages", view.fact("open"))
        if view.strays("batch")
        else ok(view.fact("open"))
    )


def stdout_only_messages(view: View) -> Found:
    """Nothing but messages stands on stdout."""
    if view.seen.gathered.server.transport != "stdio":
        return na("the server does not speak over stdout")
    noise = view.strays("unparsable", rough=True)
    if not noise:
        return ok(view.fact("open"))
    count, first = sum(stray.count for stray in noise), noise[0].head.split("\n", 1)[0]
    lines = f"{count} lines" if count > 1 else "a line"
    return broken(f"stdout carries {lines} that are no messages: {shown(first, 120)}", view.fact("open"))


def requests_answered(view: View) -> Found:
    """Every request is answered. Calls of tools are left to the check of robust input."""
    for outcome in view.seen.own:
        for seen in outcome.observations:
            step = outcome.probe.steps[seen.step]
            if isinstance(step, Request) and seen.outcome == "closed":
                return broken(f"the server ended when it was asked {step.method}", outcome, rule=CRASHED)
            if isinstance(step, Request) and seen.outcome == "timeout":
                return broken(f"{step.method} was not answered in time", outcome)
    return ok(view.fact("open"))


def results_well_formed(view: View) -> Found:
    """Every result of the run has the shape that the negotiated revision asks for."""
    for outcome in view.seen.every:
        for seen in outcome.replies:
            step = outcome.probe.steps[seen.step]
            method = "tools/call" if isinstance(step, Call) else str(getattr(step, "method", ""))
            if seen.readings is not None and seen.readings.invalid_shape and not method.endswith("/list"):
                return broken(f"a result of {method} is malformed: {seen.readings.invalid_shape}", outcome)
    return ok(view.fact("open"))


MALFORMED = {
    "malformed-json": "a line that is not JSON",
    "malformed-batch": "an array of messages",
    "malformed-no-version": "a message without its jsonrpc member",
    "malformed-version": 'a message whose jsonrpc member is "1.0"',
    "malformed-null-id": "a request with the id null",
    "malformed-params": "a request whose params are a text",
    "malformed-method": "a request whose method is a number",
    "malformed-response": "a response that answers nothing",
}

PREDICATES: dict[str, Predicate] = {
    "ping": ping,
    "unknown-method": unknown_method,
    "unknown-method-code": unknown_method_code,
    "id-echoed": id_echoed,
    "replies-matched": replies_matched,
    "reply-form": reply_form,
    "proper-json": proper_json,
    "keys-unique": keys_unique,
    "notification-silent": notification_silent,
    "notifications-survived": notifications_survived,
    "batch-ignored": batch_ignored,
    "no-batch-sent": no_batch_sent,
    "stdout-only-messages": stdout_only_messages,
    "requests-answered": requests_answered,
    "results-well-formed": results_well_formed,
    **{case: _survives(case, what) for case, what in MALFORMED.items()},
}
