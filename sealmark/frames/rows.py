"""From a run record to the rows of each frame: small views whose attributes the column tables name.

A generator here yields one object per row and builds no cell; the tables in `sealmark.frames.tables` say which
attribute becomes which column.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import msgspec

from sealmark.frames.keys import Key, Only, key_of, newest
from sealmark.record.marks import escape
from sealmark.record.model import (
    Body,
    CatalogueEntry,
    Classified,
    Evidence,
    Grade,
    Integrity,
    Judgement,
    Observation,
    Probe,
    Readings,
    RunRecord,
    Tool,
    Verdict,
)
from sealmark.report.rows import Exchange, exchange


class RunRow(NamedTuple):
    """One run. `judgement` is the newest; without one, `standard` and `hash` are empty."""

    key: Key
    run: RunRecord
    judgement: Judgement | None
    file: str

    @property
    def command(self) -> str:
        """The command line as written in the configuration, arguments joined by blanks."""
        return " ".join(self.run.gathered.server.command)

    @property
    def integrity(self) -> Integrity | None:
        """STANDARD or CUSTOM."""
        return self.judgement.integrity if self.judgement else None

    @property
    def differences(self) -> int | None:
        """How many settings differ from the published standard."""
        return len(self.integrity.differences) if self.integrity else None

    @property
    def worst(self) -> str | None:
        """The worst letter of any pack."""
        letters = [grade.letter for grade in self.judgement.grades if grade.letter] if self.judgement else []
        return max(letters, default=None)


def run_rows(run: RunRecord, only: Only, file: str = "") -> Iterator[RunRow]:
    """The run itself."""
    yield RunRow(key_of(run), run, newest(run), file)


class PackRow(NamedTuple):
    """One pack of one run."""

    key: Key
    judgement: Judgement
    grade: Grade

    @property
    def capped_by(self) -> str:
        """Critical checks that capped the letter, joined by commas."""
        return ", ".join(self.grade.capped_by)


def pack_rows(run: RunRecord, only: Only) -> Iterator[PackRow]:
    """The grades of the newest judgement."""
    key, judgement = key_of(run), newest(run)
    if judgement is not None:
        for grade in judgement.grades:
            if only.packs is None or grade.pack in only.packs:
                yield PackRow(key, judgement, grade)


class CheckRow(NamedTuple):
    """One check of one run, with its entry in the judgement's catalogue."""

    key: Key
    verdict: Verdict
    entry: CatalogueEntry | None

    @property
    def cwe(self) -> str:
        """CWE names, joined by commas."""
        return ", ".join(self.entry.cwe) if self.entry else ""

    @property
    def says(self) -> str:
        """The sentence of the rule that decided."""
        rules = self.entry.rules if self.entry else ()
        return next((rule.says for rule in rules if rule.id == self.verdict.rule), "")


def check_rows(run: RunRecord, only: Only) -> Iterator[CheckRow]:
    """The verdicts of the newest judgement."""
    key, judgement = key_of(run), newest(run)
    if judgement is not None:
        catalogue = {(entry.pack, entry.check): entry for entry in judgement.catalogue}
        for verdict in judgement.verdicts:
            if only.check(verdict.pack, verdict.check):
                yield CheckRow(key, verdict, catalogue.get((verdict.pack, verdict.check)))


class EvidenceRow(NamedTuple):
    """One line of evidence of one verdict."""

    key: Key
    verdict: Verdict
    position: int
    evidence: Evidence

    @property
    def steps(self) -> str:
        """The steps of the probe that decided, joined by commas."""
        return ", ".join(map(str, self.evidence.steps))


def evidence_rows(run: RunRecord, only: Only) -> Iterator[EvidenceRow]:
    """Every evidence line of the newest judgement."""
    for row in check_rows(run, only):
        for position, evidence in enumerate(row.verdict.evidence):
            yield EvidenceRow(row.key, row.verdict, position, evidence)


@dataclass(frozen=True)
class ProbeRow:
    """One probe of one run with what was observed for it."""

    key: Key
    probe: Probe
    observations: Sequence[Observation]
    decided: str | None

    @cached_property
    def line(self) -> Exchange:
        """The probe in the short lines that reports show."""
        return exchange(self.probe, self.observations)

    @property
    def last(self) -> Observation | None:
        """The observation that stands for the probe: its last step that asks the server something."""
        return self.line.telling

    @property
    def kind(self) -> str:
        """The outcome of that observation, with results that are tool errors told apart."""
        if self.last is None:
            return "unsent"
        return "tool-error" if self.last.outcome == "result" and self.last.is_error else self.last.outcome

    @property
    def answered(self) -> bool:
        """Whether the server answered the last step that asked it something."""
        return self.last is not None and self.last.outcome in ("result", "error", "opened", "listing")

    @property
    def readings(self) -> Readings | None:
        """What the readers made of the deciding reply."""
        return self.last.readings if self.last else None

    @property
    def sightings(self) -> str:
        """Names of the harness's own values seen in the replies, joined by commas."""
        return ", ".join(dict.fromkeys(s.name for seen in self.observations for s in seen.sightings))

    @property
    def elapsed_ms(self) -> float | None:
        """Time of all its steps; None when nothing was sent."""
        return None if self.kind == "unsent" else round(sum(seen.elapsed_ms for seen in self.observations), 1)


def probe_rows(run: RunRecord, only: Only) -> Iterator[ProbeRow]:
    """Every probe in plan order."""
    key, judgement = key_of(run), newest(run)
    decided = {
        (verdict.check, evidence.probe): verdict.rule
        for verdict in (judgement.verdicts if judgement else ())
        for evidence in verdict.evidence
    }
    seen: dict[str, list[Observation]] = {}
    for observation in run.gathered.observations:
        seen.setdefault(observation.probe, []).append(observation)
    for probe in run.gathered.probes:
        if only.check(probe.pack, probe.check):
            rule = decided.get((probe.check, probe.id))
            yield ProbeRow(key, probe, seen.get(probe.id, ()), rule)


class ObservationRow(NamedTuple):
    """One step of one probe with what came of it."""

    key: Key
    probe: Probe
    seen: Observation
    body: Body | None

    @property
    def action(self) -> str:
        """The kind of step: call, request, look and so on."""
        steps = self.probe.steps
        return str(steps[self.seen.step].__struct_config__.tag) if self.seen.step < len(steps) else ""

    @property
    def flags(self) -> str:
        """The observation's flags, joined by commas."""
        return ", ".join(self.seen.flags)

    @property
    def internals(self) -> str:
        """Kinds of internals (stack traces, paths of source files) in the reply, joined by commas."""
        return ", ".join(self.seen.readings.internals) if self.seen.readings else ""

    @property
    def secrets(self) -> str:
        """Kinds of secret-shaped text in the reply, joined by commas."""
        return ", ".join(self.seen.readings.secrets) if self.seen.readings else ""

    @property
    def sightings(self) -> str:
        """Each value of the harness that was seen: name, spelling and place."""
        return ", ".join(dict.fromkeys(f"{s.name} {s.spelling} in {s.place}" for s in self.seen.sightings))

    @property
    def facts(self) -> str:
        """What a look, a listing or an opening brought, as JSON."""
        return "" if self.seen.facts is None else msgspec.json.encode(self.seen.facts).decode()

    @property
    def elapsed_ms(self) -> float | None:
        """Time of the step; None when it was not sent."""
        return None if self.seen.outcome == "unsent" else self.seen.elapsed_ms


def observation_rows(run: RunRecord, only: Only) -> Iterator[ObservationRow]:
    """Every observation of a probe of this record, in the record's order."""
    key = key_of(run)
    probes = {probe.id: probe for probe in run.gathered.probes}
    for seen in run.gathered.observations:
        probe = probes.get(seen.probe)
        if probe is not None and only.check(probe.pack, probe.check):
            yield ObservationRow(key, probe, seen, run.gathered.bodies.get(seen.body))


class ToolRow(NamedTuple):
    """One tool of one run's surface."""

    key: Key
    tool: Tool
    classified: Classified | None
    exercised: bool | None

    @property
    def schema(self) -> Mapping[str, object]:
        """The input schema when it is an object."""
        return self.tool.input_schema if isinstance(self.tool.input_schema, dict) else {}

    @property
    def parameters(self) -> int:
        """How many arguments the input schema names."""
        return _size(self.schema.get("properties"))

    @property
    def required(self) -> int:
        """How many of them are required."""
        return _size(self.schema.get("required"))

    @property
    def schema_bytes(self) -> int:
        """Bytes of the input schema as compact JSON."""
        return len(msgspec.json.encode(self.tool.input_schema)) if self.tool.input_schema is not None else 0

    @property
    def output_schema(self) -> bool:
        """Whether the tool declares an output schema."""
        return self.tool.output_schema is not None or "outputSchema" in self.tool.cut

    @property
    def cut(self) -> str:
        """Fields that were too large to keep whole, joined by commas."""
        return ", ".join(self.tool.cut)

    def _claim(self, name: str) -> bool | None:
        value = self.tool.annotations.get(name)
        return value if isinstance(value, bool) else None

    @property
    def read_only(self) -> bool | None:
        """The claim readOnlyHint, if made."""
        return self._claim("readOnlyHint")

    @property
    def destructive(self) -> bool | None:
        """The claim destructiveHint, if made."""
        return self._claim("destructiveHint")

    @property
    def idempotent(self) -> bool | None:
        """The claim idempotentHint, if made."""
        return self._claim("idempotentHint")

    @property
    def open_world(self) -> bool | None:
        """The claim openWorldHint, if made."""
        return self._claim("openWorldHint")


def _size(value: object) -> int:
    return len(value) if isinstance(value, dict | list) else 0


def tool_rows(run: RunRecord, only: Only) -> Iterator[ToolRow]:
    """The tools that the server listed, in its order."""
    key, judgement = key_of(run), newest(run)
    classified = {entry.tool: entry for entry in run.gathered.classified}
    untested = frozenset(judgement.coverage.untested) if judgement else None
    for tool in run.gathered.surface.tools:
        exercised = None if untested is None else escape(tool.name) not in untested
        yield ToolRow(key, tool, classified.get(tool.name), exercised)
