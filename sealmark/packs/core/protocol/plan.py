"""What is sent: few probes, invalid input only, on as few processes as the specification allows.

Sessions: `main` for what any client may ask; `malformed` for lines that are no messages, opened with a version of the
future, so that one process serves both; `old-version` and `unknown-version`; `modern` for the era without handshake.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sealmark.check import Target, call
from sealmark.packs.core.protocol import messages as m
from sealmark.packs.core.protocol.modern_plan import modern_probes
from sealmark.record.model import Call, Notify, Open, Probe, Prompt, Raw, Request, Resource, Step, Tool

START_SECONDS = 60.0
"""For the first answer of a fresh process."""

REFUSAL_SECONDS = 2.0
"""For whatever answers a body that is no message; over the older transport nothing need come."""

ALIVE_SECONDS = 10.0
"""For the answer to a request after a line that is no message."""


def plan(target: Target) -> Iterator[Probe]:
    """Every probe of the check, in order."""
    modern = target.gathered.surface.era == "modern"
    yield from _messages(target, modern)
    yield from _tools(target)
    yield from _listings(target)
    yield from _resources(target)
    yield from _prompts(target)
    if modern:
        yield target.probe(
            "attack", "initialize", initialize(m.PUBLISHED[-1]), why="A modern server may refuse the handshake."
        )
    else:
        yield from _utilities(target)
        yield from _versions(target)
    yield from _malformed(target, modern)
    yield from modern_probes(target, "main" if modern else "modern")


def _messages(target: Target, modern: bool) -> Iterator[Probe]:
    if not modern:
        yield target.probe("control", "ping", Request("ping"), why="Every server answers a ping.")
    yield target.probe("attack", "unknown-method", Request(m.NO_METHOD, {}), why="No server has this method.")
    ids = [Raw(m.alive(each, modern=modern), expect=each) for each in m.IDS]
    yield target.probe("attack", "ids", *ids, why="A reply carries the id of its request, of the same type.")
    yield _notifications(target, modern)


def _notifications(target: Target, modern: bool) -> Probe:
    """Several lines at once: what is answered first tells whether a notification was answered."""
    if target.gathered.server.transport != "stdio":
        sent: list[Step] = [Notify("notifications/cancelled", {"requestId": "sealmark-never"})]
        sent += [
            Notify("notifications/sealmark-unknown", {}),
            Raw(m.alive("sealmark-after", modern=modern), expect="sealmark-after"),
        ]
        return target.probe("attack", "notifications", *sent, why="What concerns nobody changes nothing.")
    lines = [
        m.line("notifications/cancelled", None, {"requestId": f"sealmark-never-{n}"}, modern=modern) for n in range(5)
    ]
    lines += [
        m.line("notifications/sealmark-unknown", None, {}, modern=modern),
        m.alive("sealmark-after", modern=modern),
    ]
    step = Raw("\n".join(lines), expect="sealmark-after", any_reply=True)
    return target.probe("attack", "notifications", step, why="A notification is not answered; the ping after it is.")


def _tools(target: Target) -> Iterator[Probe]:
    surface = target.gathered.surface
    if "tools" not in surface.capabilities and not surface.tools:
        return
    wrong: tuple[dict[str, Any], ...] = ({"arguments": {}}, {"name": 5, "arguments": "text"})
    steps = [Request("tools/call", params) for params in wrong]
    yield target.probe("attack", "malformed-call", *steps, why="A call without a name, and one of wrong types.")
    step = Call(m.NO_TOOL, {}, valid=False)
    yield target.probe("attack", "unknown-tool", step, why="No server has this tool.")
    chosen = needing_arguments(target.surface_tools)
    if chosen is not None:
        step = call(chosen, {}, valid=False)
        why = "The tool's own schema requires arguments."
        yield target.probe("attack", "missing-arguments", step, tool=chosen.name, why=why)


def needing_arguments(tools: tuple[Tool, ...]) -> Tool | None:
    """The tool that is called without its required arguments: a read-only one if there is one."""
    found = [tool for tool in tools if isinstance(tool.input_schema, dict) and _required(tool.input_schema)]
    return min(found, key=lambda tool: tool.annotations.get("readOnlyHint") is not True, default=None)


def _required(schema: dict[str, Any]) -> bool:
    required = schema.get("required")
    return isinstance(required, list) and any(isinstance(name, str) for name in required)


def _listings(target: Target) -> Iterator[Probe]:
    declared = target.gathered.surface.capabilities
    wrong: list[Step] = [
        Request(method, {"cursor": m.NO_CURSOR})
        for name, method, _ in m.LISTINGS
        if ("resources" if name == "templates" else name) in declared
    ]
    if wrong:
        yield target.probe("attack", "bad-cursor", *wrong, why="No server gave out this cursor.")
    asked: list[Step] = [Request(f"{name}/list") for name in ("resources", "prompts") if name not in declared]
    if "completions" not in declared:
        asked.append(Request("completion/complete", completion(None)))
    if "logging" not in declared and target.gathered.surface.era == "legacy":
        asked.append(Request("logging/setLevel", {"level": "error"}))
    if asked:
        yield target.probe("attack", "undeclared", *asked, why="What is served should be declared.")


def completion(prompt: Prompt | None) -> dict[str, Any]:
    """A request to complete the first argument of a prompt, or of one that does not exist."""
    name, argument = (prompt.name, prompt.arguments[0].name) if prompt else (m.NO_PROMPT, "sealmark")
    return {"ref": {"type": "ref/prompt", "name": name}, "argument": {"name": argument, "value": ""}}


def _resources(target: Target) -> Iterator[Probe]:
    surface = target.gathered.surface
    if "resources" not in surface.capabilities:
        return
    step = Request("resources/read", {"uri": m.NO_URI})
    yield target.probe("attack", "unknown-resource", step, why="No server has this resource.")
    first = first_resource(surface.resources)
    if first is None:
        return
    step = Request("resources/read", {"uri": first.uri})
    yield target.probe("control", "read", step, why="What is listed can be read.")
    offered = surface.capabilities["resources"]
    if surface.era == "legacy" and isinstance(offered, dict) and offered.get("subscribe") is True:
        steps = [Request(f"resources/{verb}", {"uri": first.uri}) for verb in ("subscribe", "unsubscribe")]
        yield target.probe("control", "subscribe", *steps, why="The server says that it takes subscriptions.")


def first_resource(resources: tuple[Resource, ...]) -> Resource | None:
    """The resource that is read."""
    return next((each for each in resources if each.uri and not each.template), None)


def _prompts(target: Target) -> Iterator[Probe]:
    surface = target.gathered.surface
    if "prompts" not in surface.capabilities:
        return
    step = Request("prompts/get", {"name": m.NO_PROMPT})
    yield target.probe("attack", "unknown-prompt", step, why="No server has this prompt.")
    needing = next((p for p in surface.prompts if p.name and any(a.required for a in p.arguments)), None)
    if needing is not None:
        step = Request("prompts/get", {"name": needing.name, "arguments": {}})
        yield target.probe("attack", "prompt-arguments", step, why="The prompt's own declaration requires arguments.")
    plain = next((p for p in surface.prompts if p.name and not any(a.required for a in p.arguments)), None)
    if plain is not None:
        step = Request("prompts/get", {"name": plain.name})
        yield target.probe("control", "prompt", step, why="A prompt that requires nothing can be fetched.")


def _utilities(target: Target) -> Iterator[Probe]:
    surface = target.gathered.surface
    if "logging" in surface.capabilities:
        steps = [Request("logging/setLevel", {"level": level}) for level in ("error", "sealmark-no-such-level")]
        yield target.probe("attack", "logging", *steps, why="A level that exists, and one that does not.")
    prompt = next((p for p in surface.prompts if p.name and p.arguments and p.arguments[0].name), None)
    if "completions" in surface.capabilities and prompt is not None:
        step = Request("completion/complete", completion(prompt))
        yield target.probe("control", "completion", step, why="The server says that it completes arguments.")


def _versions(target: Target) -> Iterator[Probe]:
    for case in target.cases:
        if "offer" in case.get("send", {}):
            session = "malformed" if case.id == "future-version" else case.id
            asked = initialize(case["send"]["offer"], timeout_sec=START_SECONDS)
            steps = (Open(era="legacy", handshake="none"), asked, Notify("notifications/initialized"))
            yield target.probe("attack", case.id, *steps, session=session, why=case.why)


def initialize(version: str, *, timeout_sec: float = 0) -> Request:
    """A handshake that offers a version."""
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": m.CLIENT}
    return Request("initialize", params, bare=True, timeout_sec=timeout_sec)


def _malformed(target: Target, modern: bool) -> Iterator[Probe]:
    """Each line waits for the one before: a server that bears one badly is not asked to bear the next."""
    requires = ""
    for case in target.cases:
        if "line" in case.get("send", {}):
            after = f"after-{case.id}"
            alive = m.alive(after, modern=modern)
            steps = [Raw(case["send"]["line"] + "\n" + alive, expect=after, timeout_sec=ALIVE_SECONDS)]
            if target.gathered.server.transport != "stdio":
                line = Raw(case["send"]["line"], any_reply=True, optional=True, timeout_sec=REFUSAL_SECONDS)
                steps = [line, Raw(alive, expect=after)]
            probe = target.probe("attack", case.id, *steps, session="malformed", requires=requires, why=case.why)
            yield probe
            requires = probe.id
