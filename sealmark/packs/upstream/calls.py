"""What the packs about backends share: the user's valid calls, sent while the stub is watched, and what reached it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from sealmark.check import Outcome, Rule, Target
from sealmark.packs.custom.own import must_fail, name_of, template, variants
from sealmark.record.model import Call, Look, Probe, Restore, Role, Step, Tell

WATCHED = "upstream"
"""The name of the stub for looks, and of the resource that probes share."""

MOST_CALLS = 3
"""Valid calls that each check sends."""

CALLERS = frozenset({"caller", "bearer_a", "bearer_b"})

NOT_REACHED = Rule(
    "not-reached",
    "inconclusive",
    "No valid call reached the backend, so nothing is known of what the server sends there.",
    "Give the server {upstream} as its backend, and under probes: a call without check: that works and asks it.",
)
NO_CALLERS = Rule(
    "no-callers", "na", "The server is given no caller's token: {bearer} is nowhere in how it is started."
)


def has_callers(target: Target) -> bool:
    """Whether the server is told of callers at all."""
    return bool(CALLERS & set(target.facts.get("placeholders", ())))


def valid_calls(target: Target) -> tuple[tuple[str, Call], ...]:
    """(name, call) of the user's probes that decide no check, the first call of each."""
    found: list[tuple[str, Call]] = []
    for at, entry in enumerate(target.setting("probes") or ()):
        active = entry.get("active") and not target.facts.get("active")
        if not entry.get("check") and not active and not must_fail(entry.get("expect") or {}):
            arguments = template(variants(entry)[0].arguments)
            found.append((name_of(entry, at), Call(tool=entry["tool"], arguments=arguments)))
    return tuple(found[:MOST_CALLS])


def watched(
    target: Target,
    role: Role,
    case: str,
    call: Call,
    *,
    why: str,
    session: str = "main",
    told: Mapping[str, Any] | None = None,
    requires: str = "",
) -> Probe:
    """A probe that makes one call while the stub is watched; `told` is how the stub answers meanwhile."""
    before: list[Step] = [Restore(WATCHED), *([Tell(WATCHED, dict(told))] if told is not None else [])]
    steps: list[Step] = [*before, call, Look(WATCHED), *([Restore(WATCHED)] if told is not None else [])]
    return target.probe(
        role,
        case,
        *steps,
        tool=call.tool,
        why=why,
        session=session,
        resource=WATCHED,
        requires=requires,
    )


def requests_of(outcome: Outcome) -> Sequence[Mapping[str, Any]]:
    """The requests that reached the stub while a probe ran."""
    return [request for look in outcome.looked(WATCHED) for request in look.get("requests", ())]


def with_word(outcome: Outcome, word: str) -> Iterator[Mapping[str, Any]]:
    """Those of them that hold one of the probes' own words."""
    return (request for request in requests_of(outcome) if word in request.get("words", ()))


def naming(outcome: Outcome, identifier: str) -> Iterator[Mapping[str, Any]]:
    """Those that name an identifier, by itself, in any case and with its separators encoded or not."""
    for request in requests_of(outcome):
        text = f"{request.get('path', '')}\n{request.get('body', '')}".lower().replace('\\"', '"')
        spelled = {identifier.lower(), unquote(identifier).lower()}
        if any(_by_itself(name, text) or _by_itself(name, unquote(text)) for name in spelled):
            yield request


def _by_itself(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w.%]){re.escape(name)}(?![\w%]|\.\w)", text) is not None


def shown(request: Mapping[str, Any], limit: int = 160) -> str:
    """A request in one line."""
    body = " ".join(str(request.get("body", "")).split())
    text = f"{request.get('method')} {request.get('path')} {body}".strip()
    return text if len(text) <= limit else text[:limit] + "…"


def stubbed(target: Target) -> bool:
    """Whether a stub stands in for the server's backend."""
    return bool(target.setting("upstream.kind"))
