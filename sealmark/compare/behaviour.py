"""Drift of the behaviour, probe by probe: the same question, answered in another way.

Apart from drift of the surface (the server offers the same) and from regressions (the verdict may be the same): another
kind of reply, another effect on what the harness watches, another shape of the payload.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from sealmark.compare.changes import Behaviour
from sealmark.reading.shown import effect, line
from sealmark.record.model import Gathered, Observation, Probe

Kind = Literal["reply", "effect", "payload"]


def behaviour(before: Gathered, after: Gathered) -> tuple[Behaviour, ...]:
    """Differences between answers to the same probes, those alike gathered into one line, in plan order."""
    groups: dict[tuple[Kind, str, str, str], list[str]] = {}
    old = {probe.id: probe for probe in before.probes}
    seen_before, seen_after = _by_probe(before), _by_probe(after)
    for probe in after.probes:
        if probe.id in old and old[probe.id].steps == probe.steps:
            for kind, words in _probe(seen_before.get(probe.id, {}), seen_after.get(probe.id, {})):
                groups.setdefault((kind, probe.check, _tool(probe), words), []).append(probe.id)
    return tuple(
        Behaviour(kind, _line(check, tool, words, len(ids)), check, tool, tuple(ids))
        for (kind, check, tool, words), ids in groups.items()
    )


def _tool(probe: Probe) -> str:
    return line(probe.tool, 80)


def _line(check: str, tool: str, words: str, number: int) -> str:
    where = f"{line(check, 80)} · {tool}" if tool else line(check, 80)
    return f"{where}: {words} ({number} {'probe' if number == 1 else 'probes'})"


def _by_probe(gathered: Gathered) -> dict[str, dict[int, Observation]]:
    found: dict[str, dict[int, Observation]] = {}
    for seen in gathered.observations:
        found.setdefault(seen.probe, {})[seen.step] = seen
    return found


def _probe(before: dict[int, Observation], after: dict[int, Observation]) -> Iterator[tuple[Kind, str]]:
    """The first answer of another kind, else other payloads, and every other effect."""
    told = False
    for step in sorted(before.keys() & after.keys()):
        old, new = before[step], after[step]
        if "unsent" in (old.outcome, new.outcome):
            continue
        if old.outcome == new.outcome == "look":
            if old.facts != new.facts:
                yield "effect", f"{effect(old.facts, 120)} → {effect(new.facts, 120)}"
        elif told:
            continue
        elif (was := reply_kind(old)) != (now := reply_kind(new)):
            told = True
            yield "reply", f"{was} → {now}"
        elif (had := _payload(old)) != (has := _payload(new)):
            yield "payload", f"{had} → {has}"


def reply_kind(seen: Observation) -> str:
    """The kind of an answer in words: result, tool error, error -32602, no answer, with what a refusal rested on."""
    if seen.outcome == "error":
        return f"error {seen.error_code}" if seen.error_code is not None else "error"
    if seen.outcome != "result":
        return _OUTCOMES.get(seen.outcome, seen.outcome)
    kind = "tool error" if seen.is_error else "result"
    readings = seen.readings
    if readings is not None and readings.refusal:
        return f"{kind}, a refusal ({line(readings.refusal, 40)})"
    if readings is not None and readings.failure:
        return f"{kind}, a failure ({line(readings.failure, 40)})"
    return kind


_OUTCOMES = {"timeout": "no answer in time", "closed": "the server ended", "limit": "cut off at a bound"}


def _payload(seen: Observation) -> str:
    readings = seen.readings
    if seen.outcome != "result" or readings is None:
        return ""
    parts = [readings.shape, readings.result_type, "not well formed" if readings.invalid_shape else ""]
    return line(" ".join(part for part in parts if part), 200) or "nothing"
