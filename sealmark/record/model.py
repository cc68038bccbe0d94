"""The types of a run record. One definition each: Python type, JSON codec and JSON Schema in one.

A record has two halves. `Gathered` is what happened: the surface of the server, the facts of the bench, the
probes that were sent and what was observed. `Judgement` is what was made of it, and there may be several, since a
stored record can be judged again. Nothing in a record needs code to be read: titles, rules and severities travel
in the judgement's catalogue.

Texts in a record are marked: a value that differs from run to run (the sandbox path, a token) is stored as
`{sandbox}`, `{token}`; see `sealmark.record.marks`.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

SCHEMA = 1
"""Version of the record format that this build writes."""

Tag = Literal["fail", "part", "inconclusive", "pass", "na"]
Role = Literal["control", "attack", "twin", "coverage", "fact"]
Severity = Literal["critical", "scored", "advisory"]
Lifecycle = Literal["standard", "candidate", "custom"]
Status = Literal["complete", "partial", "failed", "interrupted"]
Outcome = Literal["result", "error", "timeout", "closed", "limit", "unsent", "opened", "listing", "look", "done"]
Json = Any
"""A JSON value (object, array, string, number, boolean or null)."""


class Record(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True):
    """Base of every record type: frozen, camelCase in JSON, defaults left out, unknown fields refused."""


# ---- the surface: what the server says of itself -------------------------------------------------------------


class Tool(Record):
    """One tool as listed. Schemas are kept as sent, unless cut (then None and named in `cut`)."""

    name: str
    title: str = ""
    description: str = ""
    input_schema: Json = None
    output_schema: Json = None
    annotations: dict[str, Json] = {}
    extra: dict[str, Json] = {}
    sha256: str = ""
    cut: tuple[str, ...] = ()


class Resource(Record):
    """One resource, or one template when `template` is true (then `uri` is a URI template)."""

    uri: str
    name: str = ""
    title: str = ""
    description: str = ""
    mime_type: str = ""
    template: bool = False


class PromptArgument(Record):
    """One argument of a prompt."""

    name: str
    description: str = ""
    required: bool = False


class Prompt(Record):
    """One prompt as listed."""

    name: str
    title: str = ""
    description: str = ""
    arguments: tuple[PromptArgument, ...] = ()


class Listing(Record):
    """How a listing went: number of items and pages, and what stopped it (empty: it came to its end)."""

    method: str
    items: int
    pages: int
    stopped_by: str = ""


class Surface(Record):
    """Everything that the server offers to a model, as listed in the main session."""

    era: Literal["legacy", "modern"] = "legacy"
    protocol_version: str = ""
    server_name: str = ""
    server_title: str = ""
    server_version: str = ""
    server_info: dict[str, Json] = {}
    capabilities: dict[str, Json] = {}
    instructions: str = ""
    tools: tuple[Tool, ...] = ()
    resources: tuple[Resource, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    listings: tuple[Listing, ...] = ()


class ParamUse(Record):
    """One argument of a tool that takes a value of some class.

    `pointer` is the path to it in the arguments (`path`, `paths/0`, `files/0/path`), `use` says for what
    (read, write, list, search, edit, source, destination, create, delete, stat; or fetch, run, query …).
    """

    pointer: str
    cls: str
    use: str


class Classified(Record):
    """What the harness takes a tool for, how sure it is (low, medium, high), and why, in words."""

    tool: str
    cls: str
    confidence: Literal["low", "medium", "high"]
    why: str
    secondary: str = ""
    uses: tuple[ParamUse, ...] = ()
    overridden: bool = False


# ---- probes: what is sent ------------------------------------------------------------------------------------


class Bind(Record):
    """Bind `name` to the value at `pointer` (JSON pointer) of this step's reply; later steps use `{bind.name}`."""

    name: str
    pointer: str


class Open(Record, tag="open", tag_field="step"):
    """Open the probe's session in a fixed way. Without this step a session is opened as the run's settings say.

    `handshake` "none" starts the process and sends nothing. `version` is the protocol version to offer.
    """

    era: Literal["legacy", "modern", "auto"] = "auto"
    version: str = ""
    handshake: Literal["full", "no-initialized", "none"] = "full"


class Call(Record, tag="call", tag_field="step"):
    """`tools/call` with these arguments. `valid` is true when the tool's own schema accepts them."""

    tool: str
    arguments: Json = {}
    valid: bool = True
    timeout_sec: float = 0
    bind: tuple[Bind, ...] = ()


class Request(Record, tag="request", tag_field="step"):
    """Any JSON-RPC request with a fresh id."""

    method: str
    params: Json = None
    timeout_sec: float = 0
    bare: bool = False
    bind: tuple[Bind, ...] = ()


class Notify(Record, tag="notify", tag_field="step"):
    """A JSON-RPC notification."""

    method: str
    params: Json = None


class Raw(Record, tag="raw", tag_field="step"):
    """Bytes as they are (UTF-8 of `text` after filling, a newline is added unless `newline` is false).

    `expect` is the id whose answer is waited for; with `any_reply` the first response-shaped line counts.
    """

    text: str
    expect: str | int | None = None
    any_reply: bool = False
    newline: bool = True
    timeout_sec: float = 0


class ListAll(Record, tag="list", tag_field="step"):
    """Page a listing (`tools/list`, …) to its end; `key` is the result's array."""

    method: str
    key: str


class Look(Record, tag="look", tag_field="step"):
    """Ask the bench what is true now (`what` names a watcher, e.g. `outside`); the observation holds what changed."""

    what: str


class Wait(Record, tag="wait", tag_field="step"):
    """Let `seconds` pass, or less when the session ends."""

    seconds: float


class Restore(Record, tag="restore", tag_field="step"):
    """Put a resource of the bench back as it was at the start."""

    what: str


class Close(Record, tag="close", tag_field="step"):
    """Close the probe's session; the next use opens a new process."""


Step = Open | Call | Request | Notify | Raw | ListAll | Look | Wait | Restore | Close


class Probe(Record):
    """One question put to the server: a few steps on one named session.

    `session` is a name (`main`, `second`, `modern` …); every pack that writes has sessions and a sandbox of its own,
    so the engine keys a session by (pack, session). `requires` names a control probe that must have succeeded.
    `resource` names what the probe shares with others (a directory, a database): probes with the same resource run
    one after another. `consent` is true for a valid call that needs --active.
    """

    id: str
    pack: str
    check: str
    role: Role
    steps: tuple[Step, ...]
    why: str = ""
    tool: str = ""
    case: str = ""
    session: str = "main"
    requires: str = ""
    resource: str = ""
    round: int = 0
    consent: bool = False


# ---- observations: what came back, what changed ---------------------------------------------------------------


class Sighting(Record):
    """A value that the harness owns was seen in a body.

    `name` is the value's mark name, `spelling` how it was written (plain, percent, base64, hex, json, backslash),
    `place` where (text, structured, error, blob, raw), `offset` in characters of that place.
    """

    name: str
    spelling: str
    place: str
    offset: int


class Readings(Record):
    """What pure, versioned readers made of a whole reply before it was cut. Empty values mean: not seen."""

    version: int = 1
    text: str = ""
    text_length: int = 0
    blocks: tuple[str, ...] = ()
    shape: str = ""
    refusal: str = ""
    refusal_words: str = ""
    failure: str = ""
    failure_words: str = ""
    internals: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    rows: int | None = None
    invalid_shape: str = ""
    output_schema: str = ""
    result_type: str = ""


class Body(Record):
    """A body as kept: hash and length of the whole marked text, its first 2 KiB and, if cut, its last 512 bytes."""

    sha256: str
    length: int
    head: str
    tail: str = ""
    cut: bool = False


class Observation(Record):
    """What one step of one probe brought.

    `body` is a key of `Gathered.bodies`. `reason` says why a step was not sent or what stopped it. `facts` holds
    the result of a look, a listing or an opening (plain JSON, keys as documented by the bench).
    """

    probe: str
    step: int
    outcome: Outcome
    body: str = ""
    is_error: bool | None = None
    error_code: int | None = None
    flags: tuple[str, ...] = ()
    readings: Readings | None = None
    sightings: tuple[Sighting, ...] = ()
    facts: Json = None
    reason: str = ""
    exit_code: int | None = None
    generation: int = 1
    elapsed_ms: float = 0


class Stray(Record):
    """A line that answered nothing: an unmatched or repeated reply, an unasked request, a line that is not JSON-RPC."""

    kind: str
    count: int = 1
    head: str = ""
    method: str = ""


class SessionFacts(Record):
    """The life of one server process: how it opened, what it wrote unasked, how it ended."""

    pack: str
    name: str
    generation: int
    era: str = ""
    protocol_version: str = ""
    opened_ms: float = 0
    exit_code: int | None = None
    ended_by: str = ""
    strays: tuple[Stray, ...] = ()
    notifications: int = 0
    stderr_bytes: int = 0
    stderr: str = ""
    stderr_internals: tuple[str, ...] = ()
    stderr_secrets: tuple[str, ...] = ()
    stderr_sightings: tuple[Sighting, ...] = ()
    leftover: tuple[str, ...] = ()


class Limit(Record):
    """A bound of the harness that was reached: its name, its value with unit, and where."""

    name: str
    value: str
    where: str = ""


class PackState(Record):
    """Whether a pack applies to this server, with the reason in words."""

    pack: str
    title: str
    applies: bool
    reason: str
    status: Lifecycle = "standard"


class Setting(Record):
    """One effective setting that is not a built-in default, or that affects a grade, with its origin in words."""

    key: str
    value: Json
    origin: str = "default"


class ServerFacts(Record):
    """How the server was started, as written: placeholders and variables unexpanded, secrets never.

    `name` and `version` are what this run calls the server (from the configuration, else from the server).
    `package` is a registry package that the command line names (`npm:@scope/name@1.2.3`), when it can be read off.
    """

    name: str
    version: str = ""
    transport: Literal["stdio", "http", "sse"] = "stdio"
    command: tuple[str, ...] = ()
    url: str = ""
    env: dict[str, str] = {}
    package: str = ""
    invented: bool = False


class Gathered(Record):
    """Everything that happened. Judges read this and nothing else."""

    server: ServerFacts
    surface: Surface = Surface()
    facts: dict[str, Json] = {}
    settings: tuple[Setting, ...] = ()
    classified: tuple[Classified, ...] = ()
    packs: tuple[PackState, ...] = ()
    probes: tuple[Probe, ...] = ()
    observations: tuple[Observation, ...] = ()
    sessions: tuple[SessionFacts, ...] = ()
    bodies: dict[str, Body] = {}
    limits: tuple[Limit, ...] = ()
    warnings: tuple[str, ...] = ()


# ---- judgements: what was made of it --------------------------------------------------------------------------


class Evidence(Record):
    """One line of evidence: the probe behind it (may be empty), the steps that decided, and a sentence."""

    line: str
    probe: str = ""
    steps: tuple[int, ...] = ()


class Verdict(Record):
    """What one check concluded and which rule decided. `code` and `hint` are set on everything but pass and n/a."""

    pack: str
    check: str
    tag: Tag
    rule: str
    summary: str
    evidence: tuple[Evidence, ...] = ()
    probes: int = 0
    answered: int = 0
    code: str = ""
    hint: str = ""


class RuleText(Record):
    """A rule as the catalogue keeps it."""

    id: str
    tag: Tag
    says: str
    code: str = ""
    hint: str = ""


class CatalogueEntry(Record):
    """A check as it was when this judgement was made."""

    pack: str
    check: str
    title: str
    severity: Severity
    lifecycle: Lifecycle
    revision: int
    scope: str
    rules: tuple[RuleText, ...]
    question: str = ""
    why: str = ""
    cwe: tuple[str, ...] = ()
    owasp: str = ""


class Grade(Record):
    """One pack's letter, or why there is none.

    `letter` is empty when nothing was scored. `points` out of `scored` checks; `percent` is rounded to a tenth.
    """

    pack: str
    status: Literal["graded", "inconclusive", "not-applicable", "failed"]
    letter: str = ""
    raw_letter: str = ""
    points: float = 0
    scored: int = 0
    checks: int = 0
    percent: float | None = None
    provisional: bool = False
    capped_by: tuple[str, ...] = ()
    hygiene_only: bool = False
    candidate: bool = False
    reason: str = ""


class Difference(Record):
    """One setting that differs from the published standard."""

    key: str
    standard: Json
    effective: Json
    origin: str = ""


class Integrity(Record):
    """STANDARD or CUSTOM, computed: the hash of everything that affects a grade, and what differs."""

    standard: bool
    hash: str
    differences: tuple[Difference, ...] = ()


class Coverage(Record):
    """How much of the server was exercised. Calls count when they were schema-valid and the server processed them."""

    tools: int = 0
    exercised: int = 0
    untested: tuple[str, ...] = ()
    sent: int = 0
    answered: int = 0
    failed: int = 0
    not_sent: int = 0
    not_covered: tuple[str, ...] = ()


class Badge(Record):
    """Whether this judgement may carry a badge; `message` is what a badge says."""

    eligible: bool
    message: str


class Judgement(Record):
    """Verdicts and grades under one methodology, with the catalogue that they were made with."""

    methodology: str
    tool_version: str
    integrity: Integrity
    catalogue: tuple[CatalogueEntry, ...]
    verdicts: tuple[Verdict, ...]
    grades: tuple[Grade, ...]
    coverage: Coverage = Coverage()
    badge: Badge = Badge(eligible=False, message="no badge: not eligible")


class Failure(Record):
    """Why a run could not do its work: a stable code, what happened, what to do."""

    code: str
    message: str
    hint: str = ""
    stderr: str = ""


class RunRecord(Record):
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
