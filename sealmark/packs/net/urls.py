"""What the checks of this pack share: which tools take URLs, how one is asked for, and who came to the listener."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sealmark.check import Group, Outcome, Target, call, slug
from sealmark.record.marks import escape
from sealmark.record.model import Call, Look, Probe, Role, Tool, Wait
from sealmark.surface.arguments import CannotFill

LATE_SEC = 1.0
"""How long the last look of a check waits for visits that a tool left for later."""

PLAIN = "{listener}/{listener_token}/page/plain"
"""An ordinary page of the listener."""

OPEN_PAGE = "http://control.public.sealmark.example/{listener_token}/page/control"
"""A page at an address of the open internet, where the network of the run is the harness's."""


@dataclass(frozen=True, slots=True)
class Aim:
    """One URL argument of one tool; `suffix` tells several of one tool apart, `beside` goes with each."""

    tool: Tool
    pointer: str
    suffix: str
    beside: Mapping[str, Any]


def aims(target: Target) -> tuple[Aim, ...]:
    """Every URL argument, in listing order. Files that a tool also names lie in the sandbox."""
    found: list[Aim] = []
    for tool in dict.fromkeys(tool.name for tool, _ in target.taking("url")):
        uses = [(one, use.pointer) for one, use in target.taking("url") if one.name == tool]
        named = [use for use in target.classified(tool).uses if use.cls == "path" and use.use != "content"]
        beside = {use.pointer: "{sandbox}/fetched.txt" for use in named if target.facts.get("sandboxed")}
        for one, pointer in uses:
            others = {other: PLAIN for _, other in uses if other != pointer and _required(one, other)}
            suffix = f"@{slug(pointer)}" if len(uses) > 1 else ""
            found.append(Aim(one, pointer, suffix, {**beside, **others}))
    return tuple(found)


def _required(tool: Tool, pointer: str) -> bool:
    required = tool.input_schema.get("required") if isinstance(tool.input_schema, dict) else None
    return isinstance(required, list) and pointer.split("/")[0] in required


def label(aim: Aim, case: str) -> str:
    """The end of a path that tells the probe."""
    return f"{case}/{slug(aim.tool.name)}{aim.suffix}"


def page(aim: Aim, case: str, host: str, scheme: str = "http") -> str:
    """A page of the listener by one spelling of its host, with a path that tells the probe."""
    return f"{scheme}://{host}:{{listener_port}}/{{listener_token}}/page/{label(aim, case)}"


def calling(target: Target, aim: Aim, url: str, *, timeout_sec: float = 0) -> Call | None:
    """A call of the aim's tool with `url` (a template), or None when its schema takes no such URL."""
    arguments = target.fill(aim.tool, {**aim.beside, aim.pointer: url})
    return None if isinstance(arguments, CannotFill) else call(aim.tool, arguments, timeout_sec=timeout_sec)


def asking(
    target: Target, role: Role, aim: Aim, case: str, url: str, why: str, *, timeout_sec: float = 0
) -> Iterator[Probe]:
    """Yield the probe that asks for a URL and then looks who came; none when the tool's schema takes no such URL."""
    step = calling(target, aim, url, timeout_sec=timeout_sec)
    if step is not None:
        yield target.probe(
            role, case + aim.suffix, step, Look("listener"), tool=aim.tool.name, why=why, resource="listener"
        )


def control(target: Target, aim: Aim) -> Iterator[Probe]:
    """Yield the fetch of the URL that the configuration names, or else of a page of an isolated run's own."""
    url = target.setting("net.control_url")
    if url:
        yield from asking(target, "control", aim, "control-url", escape(url), "the URL that the configuration names")
    elif isolated(target):
        yield from asking(target, "control", aim, "control-url", OPEN_PAGE, "a page of the isolated open internet")


def isolated(target: Target) -> bool:
    """Whether the network of the run is the harness's."""
    found = target.facts.get("isolation")
    return isinstance(found, Mapping) and found.get("level") in ("network", "full")


def late(target: Target) -> Probe:
    """A last look, for visits that a tool left for later."""
    why = "who came after the last answer"
    return target.probe("fact", "late", Wait(LATE_SEC), Look("listener"), why=why, resource="listener")


def hits(outcome: Outcome) -> list[Mapping[str, Any]]:
    """Who came to the listener while a probe ran."""
    return [hit for look in outcome.looked("listener") for hit in look["hits"]]


def visited(group: Group) -> Group:
    """The probes during which somebody came."""
    return group.where(lambda outcome: bool(hits(outcome)))


def seen_as(outcome: Outcome) -> str:
    """The first visit during a probe, in words."""
    hit = hits(outcome)[0]
    if hit["protocol"] != "http":
        return {"tls": "a TLS handshake", "none": "a connection"}.get(hit["protocol"], "bytes of another protocol")
    return f"{hit['method']} {hit['path']} for {hit['host']}"


def asked(outcome: Outcome, limit: int = 200) -> str:
    """What was asked, in one line: the tool and its arguments."""
    step = next((step for step in outcome.probe.steps if isinstance(step, Call)), None)
    text = json.dumps(step.arguments if step is not None else {}, ensure_ascii=False)
    return f"{outcome.probe.tool} {text if len(text) <= limit else text[:limit] + '…'}"


def works(outcome: Outcome) -> bool:
    """Whether a control fetch worked: a result that neither refuses nor reports a failure."""
    last = outcome.last
    if not outcome.worked or last is None or last.readings is None:
        return False
    return not last.readings.refusal and not last.readings.failure
