"""Clauses of the legacy lifecycle: the shape of the handshake, and how versions are negotiated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sealmark.packs.core.protocol.clause import Found, Predicate, broken, named, ok, shown, unknown
from sealmark.packs.core.protocol.messages import PUBLISHED
from sealmark.packs.core.protocol.view import View
from sealmark.reading.walk import mapping


def initialize_result(view: View) -> Found:
    """The result has a version, capabilities, and the server's name and version."""
    outcome = view.fact("open")
    result = view.opened(outcome)
    if not result:
        return unknown("the record holds no result of the handshake", outcome)
    wrong = [problem for problem in _handshake_problems(result) if problem]
    return broken("; ".join(wrong), outcome) if wrong else ok(outcome)


def _handshake_problems(result: Mapping[str, Any]) -> Iterator[str]:
    if not isinstance(result.get("protocolVersion"), str):
        yield "protocolVersion is not a string"
    capabilities, info = result.get("capabilities"), result.get("serverInfo")
    if not isinstance(capabilities, dict):
        yield "capabilities is not an object"
    yield from (
        f"the capability {shown(name)} is not an object"
        for name, value in mapping(capabilities).items()
        if not isinstance(value, dict)
    )
    if not isinstance(info, dict):
        yield "serverInfo is not an object"
    else:
        yield from (
            f"serverInfo.{key} is not a string" for key in ("name", "version") if not isinstance(info.get(key), str)
        )
    if not isinstance(result.get("instructions", ""), str):
        yield "instructions is not a string"


def version_published(view: View) -> Found:
    """The version of the session is one that was published."""
    outcome = view.fact("open")
    return _published(view.version) or ok(outcome)


def _published(version: str) -> Found | None:
    """Why a version that a server named is none, or None when it was published."""
    if version in PUBLISHED:
        return None
    if len(version) == 10 and version > PUBLISHED[-1] and version[:4].isdecimal() and version < "2099":
        return unknown(f"this build does not know the version {shown(version)}")
    return broken(f"the server chose the version {shown(version)}, which was never published")


def _answered(view: View, case: str) -> tuple[str, Found | None]:
    """The version that was answered to an offer; or what to conclude when there is none."""
    outcome = view.case(case)
    seen = view.at(outcome, 1)
    if seen is None or seen.outcome not in ("result", "error"):
        return "", unknown("the offer was not answered", outcome)
    if seen.outcome == "error":
        return "", ok(outcome)
    result = view.result(seen)
    if result is None:
        return "", unknown("the answer to the offer was too large to keep whole", outcome)
    return str(result.get("protocolVersion", "")), None


def old_version(view: View) -> Found:
    """An old version is taken, or answered with another one."""
    version, done = _answered(view, "old-version")
    outcome = view.case("old-version")
    if done is not None:
        return done
    if view.version == PUBLISHED[0] and version != PUBLISHED[0]:
        return broken(f"offered {PUBLISHED[0]}, which it speaks, and chose {shown(version)}", outcome)
    return _published(version) or ok(outcome)


def _no_such_version(case: str) -> Predicate:
    def predicate(view: View) -> Found:
        version, done = _answered(view, case)
        outcome = view.case(case)
        if done is not None:
            return done
        params = mapping(getattr(outcome.probe.steps[1], "params", None)) if outcome else {}
        if version == params.get("protocolVersion"):
            return broken(f"the server agreed to the version {version}, which was never published", outcome)
        found = _published(version)
        return ok(outcome) if found is None else broken(found.line, outcome) if found.state == "broken" else found

    return predicate


def counter_offer_latest(view: View) -> Found:
    """A counter-offer is the latest version that the server speaks."""
    for case in ("unknown-version", "future-version"):
        version, done = _answered(view, case)
        if done is None and version in PUBLISHED and view.version in PUBLISHED:
            outcome = view.case(case)
            if version < view.version:
                line = f"the counter-offer was {version}, although the server speaks {view.version}"
                return broken(line, outcome)
            return ok(outcome)
    return unknown("the server made no counter-offer")


def nothing_unrequested(view: View) -> Found:
    """The server asks nothing of a client that declared no capability; a ping is free."""
    asked = sorted(
        {stray.method for stray in view.strays("request", rough=True, era="legacy") if stray.method != "ping"}
    )
    if asked:
        return broken(f"the server asked {named(asked)} of a client without that capability", view.fact("open"))
    return ok(view.fact("open"))


def server_described(view: View) -> Found:
    """A title, a website, icons and instructions are given."""
    info = view.surface.server_info
    lacking = [key for key in ("title", "websiteUrl", "icons") if not info.get(key)]
    lacking += [] if view.surface.instructions else ["instructions"]
    return broken(f"the server gives no {', '.join(lacking)}", view.fact("open")) if lacking else ok(view.fact("open"))


PREDICATES: dict[str, Predicate] = {
    "initialize-result": initialize_result,
    "version-published": version_published,
    "old-version": old_version,
    "unknown-version": _no_such_version("unknown-version"),
    "future-version": _no_such_version("future-version"),
    "counter-offer-latest": counter_offer_latest,
    "nothing-unrequested": nothing_unrequested,
    "server-described": server_described,
}
