"""Clauses of the modern era (2026-07-28): discovery, the envelope, result types, caching, what was removed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sealmark.check import Outcome
from sealmark.packs.core.protocol.clause import Found, Predicate, broken, na, named, ok, shown, unknown
from sealmark.packs.core.protocol.messages import MODERN_VERSION, PREFIX
from sealmark.packs.core.protocol.rpc import code
from sealmark.packs.core.protocol.view import View
from sealmark.reading.walk import mapping, sequence
from sealmark.record.model import ListAll, Observation, Raw

CACHED = frozenset(
    ("server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read")
)
INPUT_ALLOWED = frozenset(("tools/call", "prompts/get", "resources/read"))
RESULT_TYPES = frozenset(("complete", "input_required"))
DEFINED_CODES = frozenset((-32020, -32021, -32022))
WITHDRAWN_CODES = frozenset((-32002, -32042))


def _opening(view: View) -> Outcome | None:
    return view.fact("open") if view.surface.era == "modern" else view.case("modern")


def discover_result(view: View) -> Found:
    """The result names versions and capabilities."""
    result = mapping(view.discovered)
    versions = result.get("supportedVersions")
    if not isinstance(versions, list) or not versions or not all(isinstance(each, str) for each in versions):
        return broken("supportedVersions is not an array of texts", _opening(view))
    if not isinstance(result.get("capabilities"), dict):
        return broken("capabilities is not an object", _opening(view))
    if not isinstance(result.get("instructions", ""), str):
        return broken("instructions is not a text", _opening(view))
    return ok(_opening(view))


def discover_supports(view: View) -> Found:
    """The versions that the server names include the one that it answers in."""
    versions = sequence(mapping(view.discovered).get("supportedVersions"))
    return (
        ok(_opening(view))
        if MODERN_VERSION in versions
        else broken(f"{MODERN_VERSION} is not among them", _opening(view))
    )


def server_named(view: View) -> Found:
    """The server names itself in `_meta`."""
    info = mapping(mapping(mapping(view.discovered).get("_meta")).get(PREFIX + "serverInfo"))
    if isinstance(info.get("name"), str) and isinstance(info.get("version"), str):
        return ok(_opening(view))
    return broken("_meta holds no serverInfo with a name and a version", _opening(view))


def _envelope(step: int, what: str) -> Predicate:
    """A request without a part of its envelope is -32602; over HTTP its headers then contradict it, which is -32020."""

    def predicate(view: View) -> Found:
        plain = view.seen.gathered.server.transport == "stdio"
        wanted = (-32602,) if plain else (-32602, -32020)
        return code(view, view.case("envelope"), f"a request without {what}", wanted, step)

    return predicate


def version_refused(view: View) -> Found:
    """A version that nobody speaks is refused, and the versions that are spoken are named."""
    outcome = view.case("modern-version")
    found = code(view, outcome, "a version that nobody speaks", (-32022,))
    error = view.error(view.at(outcome))
    if found.state != "ok" or not error:
        return found if found.state != "ok" else unknown("the refusal was too large to keep whole", outcome)
    supported = mapping(error.get("data")).get("supported")
    if isinstance(supported, list) and supported and all(isinstance(each, str) for each in supported):
        return ok(outcome)
    return broken("the refusal of a version does not list the ones that are supported", outcome)


def version_refused_again(view: View) -> Found:
    """A version that nobody speaks is refused after proper requests too."""
    return code(view, view.case("version-again"), "a version that nobody speaks, after proper requests,", (-32022,))


def version_requested(view: View) -> Found:
    """The refusal of a version repeats it."""
    outcome = view.case("modern-version")
    data = mapping(view.error(view.at(outcome)).get("data"))
    if not data:
        return unknown("there was no refusal with data", outcome)
    return ok(outcome) if isinstance(data.get("requested"), str) else broken("data has no requested", outcome)


def method_refused(view: View) -> Found:
    """An unknown method is answered with -32601."""
    return code(view, view.case("modern-method"), "a method that does not exist", (-32601,))


def removed(view: View) -> Found:
    """Methods that the revision removed do not exist."""
    outcome = view.case("removed")
    answers = list(view.steps(outcome))
    alive = [step.method for step, seen in answers if seen.error_code != -32601]
    if not answers:
        return unknown("they were not answered", outcome)
    return broken(f"{named(alive)} did not answer -32601", outcome) if alive else ok(outcome)


def _results(view: View) -> Iterator[tuple[Outcome, Observation, str]]:
    """Results of the modern era, each with its outcome and method."""
    for outcome in view.modern_probes:
        for seen in outcome.replies:
            step = outcome.probe.steps[seen.step]
            if seen.outcome == "result" and not isinstance(step, Raw):
                yield outcome, seen, str(getattr(step, "method", "tools/call"))


def result_type(view: View) -> Found:
    """Every result says of what type it is."""
    good: list[Outcome] = []
    for outcome, seen, method in _results(view):
        kind = seen.readings.result_type if seen.readings is not None else ""
        if kind not in RESULT_TYPES:
            has = f"the resultType {shown(kind)}" if kind else "no resultType"
            return broken(f"a result of {method} has {has}", outcome)
        good.append(outcome)
    if "resultType" not in mapping(view.discovered):
        return broken("the result of server/discover has no resultType", _opening(view))
    return ok(_opening(view), *good)


def cache_hints(view: View) -> Found:
    """Results that may be cached say for how long and for whom."""
    found = _hint_problem(mapping(view.discovered))
    if found:
        return broken(f"server/discover: {found}", _opening(view))
    for outcome in view.modern_probes:
        for seen in outcome.observations:
            step = outcome.probe.steps[seen.step]
            method = str(getattr(step, "method", ""))
            if method not in CACHED or seen.outcome not in ("result", "listing"):
                continue
            if seen.readings is not None and seen.readings.result_type == "input_required":
                continue
            problems = [str(text) for text in sequence(mapping(seen.facts).get("problems"))]
            problems += [seen.readings.invalid_shape] if seen.readings is not None else []
            hinted = next((text for text in problems if "ttlMs" in text or "cacheScope" in text), "")
            whole = view.result(seen)
            hinted = hinted or (_hint_problem(whole) if whole is not None else "")
            if hinted:
                return broken(f"{method}: {hinted}", outcome)
    return ok(_opening(view))


def _hint_problem(result: dict[str, Any]) -> str:
    ttl = result.get("ttlMs")
    if isinstance(ttl, bool) or not isinstance(ttl, int) or ttl < 0:
        return "ttlMs is not an integer of zero or more"
    return "" if result.get("cacheScope") in ("public", "private") else "cacheScope is neither public nor private"


def order_stable(view: View) -> Found:
    """The same listing comes in the same order."""
    outcome = view.case("order")
    first, second = view.at(outcome), view.at(outcome, 1)
    if first is None or second is None or second.outcome != "result" or first.outcome != "result":
        return unknown("the listing was not answered twice", outcome)
    if first.body == second.body:
        return ok(outcome)
    orders = [_names(view.result(seen)) for seen in (first, second)]
    if None in orders:
        return unknown("the listing is too large to compare its order", outcome)
    return ok(outcome) if orders[0] == orders[1] else broken("two listings came in different orders", outcome)


def _names(result: dict[str, Any] | None) -> list[Any] | None:
    return None if result is None else [mapping(tool).get("name") for tool in sequence(result.get("tools"))]


def capabilities_served(view: View) -> Found:
    """What is declared is served in this era."""
    outcome = view.case("modern-listings")
    if outcome is None or not outcome.sent:
        return unknown("nothing was listed", outcome)
    for seen in outcome.observations:
        step = outcome.probe.steps[seen.step]
        if not isinstance(step, ListAll) or seen.outcome != "error" or step.method == "resources/templates/list":
            continue
        if view.capability(step.method.split("/")[0], modern=True):
            return broken(f"{step.method} is declared and answered with the error {seen.error_code}", outcome)
    return ok(outcome) if outcome.answered else unknown("the listings were not answered", outcome)


def capabilities_declared(view: View) -> Found:
    """What is served is declared in this era."""
    outcome = view.case("modern-listings")
    if outcome is None or not outcome.sent:
        return unknown("nothing was listed", outcome)
    served = [
        outcome.probe.steps[seen.step]
        for seen in outcome.observations
        if seen.outcome == "listing" and mapping(seen.facts).get("items")
    ]
    names = {step.method.split("/")[0] for step in served if isinstance(step, ListAll)}
    hidden = sorted(name for name in names if not view.capability(name, modern=True))
    return broken(f"{named(hidden)} are served and not declared", outcome) if hidden else ok(outcome)


def resource_refused(view: View) -> Found:
    """Reading what does not exist is -32602, never an empty result."""
    outcome = view.case("modern-resource")
    if not view.capability("resources", modern=True):
        return na("the capability resources is not declared")
    return code(view, outcome, "a resource that does not exist", (-32602,))


def level_refused(view: View) -> Found:
    """A request that asks for a level of logging that does not exist is refused."""
    if not view.capability("logging", modern=True):
        return na("the capability logging is not declared")
    return code(view, view.case("log-level"), "a level of logging that does not exist", (-32602,))


def no_unasked_logs(view: View) -> Found:
    """No log message comes for a request that asked for none; the harness never asks."""
    count = view.notified("notifications/message", era="modern")
    return broken(f"{count} log messages came unasked", _opening(view)) if count else ok(_opening(view))


def no_requests(view: View) -> Found:
    """The server sends no requests at all."""
    asked = sorted({stray.method for stray in view.strays("request", rough=True, era="modern")})
    return broken(f"the server sent the request {named(asked)}", _opening(view)) if asked else ok(_opening(view))


def listen_acknowledged(view: View) -> Found:
    """A subscription is acknowledged by a notification."""
    if not view.capability("tools.listChanged", modern=True):
        return na("the capability tools.listChanged is not declared")
    outcome = view.case("listen")
    if outcome is None or not outcome.replies:
        return unknown("nothing was answered", outcome)
    if view.notified("notifications/subscriptions/acknowledged", era="modern"):
        return ok(outcome)
    return broken("a subscription was not acknowledged", outcome)


def input_required(view: View) -> Found:
    """A server asks for input only where it may, and never of a client that declared no capability."""
    for outcome, seen, method in _results(view):
        if seen.readings is None or seen.readings.result_type != "input_required":
            continue
        if method not in INPUT_ALLOWED:
            return broken(f"{method} asked for input", outcome)
        result = view.result(seen)
        if result is not None and result.get("inputRequests"):
            return broken(f"{method} asked for input of a client that declared no capability", outcome)
        if result is not None and "requestState" not in result:
            return broken(f"{method} asked for input and named neither a request nor a state", outcome)
    return ok(_opening(view))


def error_codes(view: View) -> Found:
    """Codes that the specification keeps for itself are used as it defines them, and withdrawn ones not at all."""
    for outcome in view.modern_probes:
        for seen in outcome.replies:
            number = seen.error_code
            reserved = number is not None and -32099 <= number <= -32020 and number not in DEFINED_CODES
            if number in WITHDRAWN_CODES or reserved:
                return broken(f"the error {number} is not one of this revision", outcome)
    return ok(_opening(view))


def initialize_refusal(view: View) -> Found:
    """A server that refuses the handshake names the versions that it speaks."""
    outcome = view.case("initialize")
    seen = view.at(outcome)
    if outcome is None:
        return na("the server speaks the legacy era too")
    if seen is None or seen.outcome not in ("result", "error"):
        return unknown("the handshake was not answered", outcome)
    if seen.outcome == "result":
        return na("the server speaks the legacy era too")
    text = str(view.error(seen))
    return ok(outcome) if MODERN_VERSION in text else broken("the refusal of initialize names no version", outcome)


PREDICATES: dict[str, Predicate] = {
    "discover-result": discover_result,
    "discover-supports": discover_supports,
    "server-named": server_named,
    "envelope-required": _envelope(0, "_meta"),
    "envelope-version": _envelope(1, "a protocol version"),
    "envelope-capabilities": _envelope(2, "the client's capabilities"),
    "version-refused": version_refused,
    "version-refused-again": version_refused_again,
    "version-requested": version_requested,
    "modern-unknown-method": method_refused,
    "removed-methods": removed,
    "result-type": result_type,
    "cache-hints": cache_hints,
    "order-stable": order_stable,
    "modern-served": capabilities_served,
    "modern-declared": capabilities_declared,
    "modern-unknown-resource": resource_refused,
    "log-level-refused": level_refused,
    "no-unasked-logs": no_unasked_logs,
    "no-server-requests": no_requests,
    "listen-acknowledged": listen_acknowledged,
    "input-required": input_required,
    "error-codes": error_codes,
    "initialize-refusal": initialize_refusal,
}
