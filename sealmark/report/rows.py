"""Probes and observations as rows: sent, came back, changed, in short lines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from sealmark.reading.shown import NOTHING, effect, line, short_json
from sealmark.reading.visible import visible
from sealmark.record import model
from sealmark.record.model import Gathered, Observation, Probe, Step
from sealmark.report.parts import Row
from sealmark.report.words import count

SHOWN = 240
"""Characters of what was sent and what came back that a row keeps; the wire has the rest."""


def _call(step: Any) -> str:
    return f"{line(step.tool, 80)} {short_json(step.arguments, SHOWN)}"


def _request(step: Any) -> str:
    return f"{step.method} {short_json(step.params, SHOWN)}" if step.params is not None else str(step.method)


def _open(step: Any) -> str:
    parts = [step.era, step.version, "" if step.handshake == "full" else step.handshake]
    return f"open a session ({', '.join(part for part in parts if part)})"


def _http(step: Any) -> str:
    named = [f"{name}: {value or '(none)'}" for name, value in step.headers.items()]
    plain = [] if step.credentials else ["without credentials"]
    return f"{step.method} {line(step.path or 'the endpoint', 80)} {line('; '.join([*named, *plain]), SHOWN)}".rstrip()


_SENT: Mapping[type, Callable[[Any], str]] = {
    model.Call: _call,
    model.Request: _request,
    model.Notify: _request,
    model.Raw: lambda step: f"bytes {short_json(step.text, SHOWN)}",
    model.Http: _http,
    model.ListAll: lambda step: f"{step.method}, all pages",
    model.Look: lambda step: f"look at {step.what}",
    model.Wait: lambda step: f"wait {step.seconds:g} s",
    model.Restore: lambda step: f"restore {step.what}",
    model.Tell: lambda step: f"tell {step.what} {short_json(step.how, SHOWN)}",
    model.Open: _open,
    model.Close: lambda step: "close the session",
}

_QUIET = (model.Look, model.Wait, model.Restore, model.Tell, model.Close, model.Open)
"""Steps that ask the server nothing, for the question what a probe sent."""


def sent(step: Step) -> str:
    """What one step sends or does, as one visible line."""
    words: Callable[[Any], str] | None = _SENT.get(type(step))
    if words is None:
        fields = {name: value for name, value in msgspec.to_builtins(step).items() if name != "step"}
        return line(f"{type(step).__name__.lower()} {short_json(fields, SHOWN)}", SHOWN)
    return line(words(step), SHOWN + 90)


def got(seen: Observation) -> str:
    """What one step brought, as one visible line: the kind of answer, its text, the harness's values seen in it."""
    words = _GOT[seen.outcome](seen)
    names = dict.fromkeys(f"{{{sighting.name}}}" for sighting in seen.sightings)
    holds = f" · holds {', '.join(names)}" if names else ""
    return line(words, SHOWN) + holds


def _text(seen: Observation) -> str:
    readings = seen.readings
    if readings is None:
        return ""
    text = line(readings.text, SHOWN)
    return text or line(readings.shape, SHOWN)


def _result(seen: Observation) -> str:
    text = _text(seen)
    if seen.is_error:
        return f"tool error: {text}" if text else "a tool error without text"
    return text or "a result without text"


def _error(seen: Observation) -> str:
    text = _text(seen)
    number = "" if seen.error_code is None else f" {seen.error_code}"
    return f"error{number}: {text}" if text else f"error{number}"


def _because(what: str) -> Callable[[Observation], str]:
    return lambda seen: f"{what}: {seen.reason}" if seen.reason else what


def _closed(seen: Observation) -> str:
    code = "" if seen.exit_code is None else f" (exit code {seen.exit_code})"
    return _because(f"the server ended{code}")(seen)


def _opened(seen: Observation) -> str:
    facts = seen.facts if isinstance(seen.facts, dict) else {}
    known = [str(facts[key]) for key in ("era", "protocolVersion") if facts.get(key)]
    return f"opened ({', '.join(known)})" if known else "opened"


def _listing(seen: Observation) -> str:
    facts = seen.facts if isinstance(seen.facts, dict) else {}
    items = facts.get("items")
    number = len(items) if isinstance(items, list) else items
    stopped = facts.get("stoppedBy")
    listed = count(number, "item") if isinstance(number, int) else "a listing"
    return f"{listed}, stopped by {stopped}" if stopped else listed


_GOT: Mapping[str, Callable[[Observation], str]] = {
    "result": _result,
    "error": _error,
    "timeout": _because("no answer in time"),
    "closed": _closed,
    "limit": _because("cut off at a bound of the harness"),
    "unsent": _because("not sent"),
    "opened": _opened,
    "listing": _listing,
    "look": lambda seen: effect(seen.facts),
    "done": lambda seen: "done",
}


class Exchange(NamedTuple):
    """A probe in short lines: the observation that stands for it, what was sent, what came back, what changed."""

    telling: Observation | None
    sent: str
    got: str
    changed: str


def exchange(probe: Probe, seen: Sequence[Observation]) -> Exchange:
    """A probe in short lines. With several steps the last that asks the server something stands for it."""
    asking = [o for o in seen if o.step < len(probe.steps) and not isinstance(probe.steps[o.step], _QUIET)]
    telling = asking[-1] if asking else (seen[-1] if seen else None)
    looks = [o for o in seen if o.outcome == "look"]
    step = probe.steps[telling.step] if telling is not None and telling.step < len(probe.steps) else None
    if step is None and probe.steps:
        step = probe.steps[-1]
    return Exchange(
        telling,
        sent(step) if step is not None else "nothing",
        got(telling) if telling is not None else "not sent",
        _changed(looks),
    )


def row(probe: Probe, seen: Sequence[Observation], *, decided: bool = False) -> Row:
    """One probe on one line."""
    telling, asked, answer, changed = exchange(probe, seen)
    return Row(
        probe=line(probe.id, 200),
        role=probe.role,
        tool=line(probe.tool, 80),
        session=line(probe.session, 80),
        case=line(probe.case, 80),
        why=line(probe.why, 240),
        sent=asked,
        got=answer,
        changed=changed,
        outcome=telling.outcome if telling is not None else "unsent",
        decided=decided,
        elapsed_ms=round(sum(o.elapsed_ms for o in seen), 1),
    )


def _changed(looks: Sequence[Observation]) -> str:
    """What all looks of a probe found, each effect once; empty when it never looked."""
    effects = list(dict.fromkeys(effect(seen.facts, SHOWN) for seen in looks))
    told = [words for words in effects if words != NOTHING]
    return line("; ".join(told), SHOWN) if told else (NOTHING if looks else "")


class WireStep(msgspec.Struct, frozen=True, rename="camel"):
    """One step of a probe with the body as it was kept: head, tail, whole length, hash."""

    step: int
    sent: str
    got: str
    arguments: str
    head: str
    tail: str
    length: int
    sha256: str
    cut: bool
    flags: tuple[str, ...]


def wire(gathered: Gathered, probe_id: str) -> tuple[WireStep, ...]:
    """The wire behind one row: every step of a probe in full, multi-line texts with visible control characters.

    Raises:
        KeyError: the record has no such probe.
    """
    probe = next((probe for probe in gathered.probes if probe.id == probe_id), None)
    if probe is None:
        raise KeyError(probe_id)
    return tuple(_wire_step(gathered, probe, seen) for seen in gathered.observations if seen.probe == probe_id)


def wires(gathered: Gathered, shown: Collection[str]) -> Mapping[str, tuple[WireStep, ...]]:
    """The wire behind several rows at once, by the probe's id as rows show it; a row that was not sent has none."""
    wanted = {probe.id: (probe, name) for probe in gathered.probes if (name := line(probe.id, 200)) in shown}
    found: dict[str, tuple[WireStep, ...]] = {}
    for seen in gathered.observations:
        if seen.probe in wanted:
            probe, name = wanted[seen.probe]
            found[name] = (*found.get(name, ()), _wire_step(gathered, probe, seen))
    return found


def _wire_step(gathered: Gathered, probe: Probe, seen: Observation) -> WireStep:
    step = probe.steps[seen.step]
    body = gathered.bodies.get(seen.body)
    return WireStep(
        step=seen.step,
        sent=sent(step),
        got=got(seen),
        arguments=visible(_json(step)),
        head=line_block(body.head) if body else "",
        tail=line_block(body.tail) if body else "",
        length=body.length if body else 0,
        sha256=body.sha256 if body else "",
        cut=body.cut if body else False,
        flags=seen.flags,
    )


def _json(step: Step) -> str:
    """A step as JSON: on one line when it is short or would take a screen of brackets, else laid out."""
    text = msgspec.json.encode(step)
    flat, laid_out = (msgspec.json.format(text, indent=indent).decode() for indent in (0, 2))
    return flat if len(flat) <= 90 or laid_out.count("\n") > 30 else laid_out


def line_block(text: str) -> str:
    """Several visible lines, each made safe as `line` does, blanks kept."""
    return "\n".join(line(part) for part in text.splitlines())
