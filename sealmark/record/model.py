"""The types of a run record. One definition each: Python type, JSON codec and JSON Schema in one.

A record has two halves. `Gathered` is what happened: the surface of the server, the facts of the bench, the
probes that were sent and what was observed. `Judgement` is what was made of it, and there may be several, since a
stored record can be judged again. Nothing in a record needs code to be read: titles, rules and severities travel
in the judgement's catalogue.

Texts in a record are marked: a value that differs from run to run (the sandbox path, a token) is stored as
`{sandbox}`, `{token}`; see `sealmark.record.marks`.
"""

from __future__ import annotations

from sealmark.record.base import Json, Lifecycle, Outcome, Record, Role, Severity, Status, Tag
from sealmark.record.judgements import (
    Badge,
    CatalogueEntry,
    Coverage,
    Difference,
    Evidence,
    Grade,
    Integrity,
    Judgement,
    RuleText,
    Verdict,
)
from sealmark.record.observations import (
    Body,
    Gathered,
    Limit,
    Observation,
    PackState,
    Readings,
    ServerFacts,
    SessionFacts,
    Setting,
    Sighting,
    Stray,
)
from sealmark.record.probes import (
    Bind,
    Call,
    Close,
    Http,
    ListAll,
    Look,
    Notify,
    Open,
    Probe,
    Raw,
    Request,
    Restore,
    Step,
    Tell,
    Wait,
)
from sealmark.record.surface import Classified, Listing, ParamUse, Prompt, PromptArgument, Resource, Surface, Tool

__all__ = [
    "SCHEMA",
    "Badge",
    "Bind",
    "Body",
    "Call",
    "CatalogueEntry",
    "Classified",
    "Close",
    "Coverage",
    "Difference",
    "Evidence",
    "Failure",
    "Gathered",
    "Grade",
    "Http",
    "Integrity",
    "Json",
    "Judgement",
    "Lifecycle",
    "Limit",
    "ListAll",
    "Listing",
    "Look",
    "Notify",
    "Observation",
    "Open",
    "Outcome",
    "PackState",
    "ParamUse",
    "Probe",
    "Prompt",
    "PromptArgument",
    "Raw",
    "Readings",
    "Record",
    "Request",
    "Resource",
    "Restore",
    "Role",
    "RuleText",
    "RunRecord",
    "ServerFacts",
    "SessionFacts",
    "Setting",
    "Severity",
    "Sighting",
    "Status",
    "Step",
    "Stray",
    "Surface",
    "Tag",
    "Tell",
    "Tool",
    "Verdict",
    "Wait",
]

SCHEMA = 1
"""Version of the record format that this build writes."""


class Failure(Record, frozen=True):
    """Why a run could not do its work: a stable code, what happened, what to do."""

    code: str
    message: str
    hint: str = ""
    stderr: str = ""


class RunRecord(Record, frozen=True):
    """One run of one server. `started_at` is UTC, ISO 8601; `duration_ms` and every `elapsed_ms` are measured."""

    schema: int
    tool_version: str
    started_at: str
    duration_ms: int
    status: Status
    gathered: Gathered
    judgements: tuple[Judgement, ...] = ()
    failure: Failure | None = None
    fingerprints: dict[str, str] = {}

    @property
    def judgement(self) -> Judgement | None:
        """The newest judgement, or None when nothing was judged."""
        return self.judgements[-1] if self.judgements else None
