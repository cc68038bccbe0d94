"""Clauses of resources and templates: what is listed, reading, what does not exist, subscriptions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from sealmark.packs.core.protocol.clause import Found, Predicate, broken, na, named, none_of, ok, unknown
from sealmark.packs.core.protocol.rpc import code
from sealmark.packs.core.protocol.view import View
from sealmark.reading.walk import mapping, sequence
from sealmark.record.model import Resource

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")

_FORBIDDEN = re.compile(r"[\s\x00-\x1f<>\"\\^`]")


def _over(view: View, template: bool, lines: Iterable[str], say: str) -> Found:
    """Broken when there is a line, ok when there is something listed without one."""
    fact = view.fact("templates" if template else "resources")
    return none_of(lines, say, of=fact, otherwise=ok(fact) if _listed(view, template) else na("none is listed"))


def _listed(view: View, template: bool) -> list[Resource]:
    return [each for each in view.surface.resources if each.template is template]


def _fields(template: bool) -> Predicate:
    def predicate(view: View) -> Found:
        lacking = [each for each in _listed(view, template) if not each.uri or not each.name]
        return _over(
            view, template, (named([each.uri or each.name]) for each in lacking), "an entry lacks its URI or its name"
        )

    return predicate


def _unique(template: bool) -> Predicate:
    def predicate(view: View) -> Found:
        counts = Counter(each.uri for each in _listed(view, template))
        lines = (named([uri]) for uri, count in counts.items() if uri and count > 1)
        return _over(view, template, lines, "a URI is listed twice")

    return predicate


def _text(field: str, template: bool) -> Predicate:
    def predicate(view: View) -> Found:
        lines = (named([each.uri]) for each in _listed(view, template) if not getattr(each, field))
        return _over(view, template, lines, f"no {field}")

    return predicate


def uri_form(view: View) -> Found:
    """A URI has a scheme and no character that a URI cannot have."""
    wrong = [each.uri for each in _listed(view, False) if each.uri and not _is_uri(each.uri)]
    return _over(view, False, (named([uri]) for uri in wrong), "not a URI")


def _is_uri(uri: str) -> bool:
    return bool(_SCHEME.match(uri)) and not _FORBIDDEN.search(uri)


def template_form(view: View) -> Found:
    """The braces of a template come in pairs, with something between them."""
    wrong = [each.uri for each in _listed(view, True) if each.uri and not _is_template(each.uri)]
    return _over(view, True, (named([uri]) for uri in wrong), "not a URI template")


def _is_template(uri: str) -> bool:
    rest = re.sub(r"\{[^{}\s]+\}", "", uri)
    return "{" not in rest and "}" not in rest


def read(view: View) -> Found:
    """A resource that is listed can be read, and every part of what comes names its URI."""
    outcome = view.case("read")
    if outcome is None:
        return na("no resource is listed")
    seen = view.at(outcome)
    if seen is None or seen.outcome != "result":
        return unknown("the resource could not be read", outcome)
    if seen.readings is not None and seen.readings.invalid_shape:
        return broken(f"what was read is malformed: {seen.readings.invalid_shape}", outcome)
    return ok(outcome)


def read_uri(view: View) -> Found:
    """What is read carries the URI that was asked for."""
    outcome = view.case("read")
    result = view.result(view.at(outcome))
    if outcome is None or result is None:
        return na("no resource was read") if outcome is None else unknown("no answer was kept whole", outcome)
    asked = str(mapping(getattr(outcome.probe.steps[0], "params", None)).get("uri", ""))
    uris = [str(mapping(part).get("uri", "")) for part in sequence(result.get("contents"))]
    if uris and not any(uri.rstrip("/").startswith(asked.rstrip("/")) for uri in uris):
        return broken(f"{named([asked])} was read and {named(uris)} came", outcome)
    return ok(outcome)


def unknown_resource(view: View) -> Found:
    """Reading what does not exist is refused."""
    outcome = view.case("unknown-resource")
    seen = view.at(outcome)
    if seen is None or seen.outcome not in ("result", "error"):
        return unknown("it was not answered", outcome)
    return ok(outcome) if seen.outcome == "error" else broken("a resource that does not exist was read", outcome)


def unknown_resource_code(view: View) -> Found:
    """The error of a resource that does not exist is -32002, or -32602 as in the revision after."""
    return code(view, view.case("unknown-resource"), "a resource that does not exist", (-32002, -32602))


def unknown_resource_named(view: View) -> Found:
    """The error of a resource that does not exist names its URI."""
    outcome = view.case("unknown-resource")
    error = view.error(view.at(outcome))
    if not error:
        return unknown("there was no error", outcome)
    return ok(outcome) if "uri" in mapping(error.get("data")) else broken("its data has no uri", outcome)


def subscribe(view: View) -> Found:
    """A subscription is taken and given back."""
    outcome = view.case("subscribe")
    if outcome is None:
        return na("no resource is listed")
    for step, seen in view.steps(outcome):
        if seen.outcome == "error":
            return broken(f"{step.method} was answered with the error {seen.error_code}", outcome)
    return ok(outcome) if outcome.answered else unknown("it was not answered", outcome)


PREDICATES: dict[str, Predicate] = {
    "resource-fields": _fields(False),
    "resource-uris-unique": _unique(False),
    "resource-uri-form": uri_form,
    "template-fields": _fields(True),
    "templates-unique": _unique(True),
    "template-form": template_form,
    "read": read,
    "read-uri": read_uri,
    "unknown-resource": unknown_resource,
    "unknown-resource-code": unknown_resource_code,
    "unknown-resource-named": unknown_resource_named,
    "subscribe": subscribe,
    "resources-described": _text("description", False),
    "resources-titled": _text("title", False),
    "resources-typed": _text("mime_type", False),
    "templates-described": _text("description", True),
    "templates-titled": _text("title", True),
}
