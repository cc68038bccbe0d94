"""Observations: what came back and what changed, and the whole gathered half of a record."""

from __future__ import annotations

from typing import Literal

from sealmark.record.base import Json, Lifecycle, Outcome, Record
from sealmark.record.probes import Probe
from sealmark.record.surface import Classified, Surface


class Sighting(Record, frozen=True):
    """A value that the harness owns was seen in a body.

    `name` is the value's mark name, `spelling` how it was written (plain, percent, base64, hex, json, backslash),
    `place` where (text, structured, error, blob, raw, stderr, notification), `offset` in characters of that place.
    """

    name: str
    spelling: str
    place: str
    offset: int


class Readings(Record, frozen=True):
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


class Body(Record, frozen=True):
    """A body as kept: hash and length of the whole marked text, its first 2 KiB and, if cut, its last 512 bytes."""

    sha256: str
    length: int
    head: str
    tail: str = ""
    cut: bool = False


class Observation(Record, frozen=True):
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


class Stray(Record, frozen=True):
    """A line that answered nothing: an unmatched or repeated reply, an unasked request, a line that is not JSON-RPC."""

    kind: str
    count: int = 1
    head: str = ""
    method: str = ""


class SessionFacts(Record, frozen=True):
    """The life of one server process: how it opened, what it wrote unasked, how it ended.

    `notifications` counts all of them, `notified` those of each method (the first methods only), and
    `notified_sightings` are the values of the harness that stood in any (offset 0).
    """

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
    notified: dict[str, int] = {}
    notified_sightings: tuple[Sighting, ...] = ()
    stderr_bytes: int = 0
    stderr: str = ""
    stderr_internals: tuple[str, ...] = ()
    stderr_secrets: tuple[str, ...] = ()
    stderr_sightings: tuple[Sighting, ...] = ()
    leftover: tuple[str, ...] = ()


class Limit(Record, frozen=True):
    """A bound of the harness that was reached: its name, its value with unit, and where."""

    name: str
    value: str = ""
    where: str = ""


class PackState(Record, frozen=True):
    """Whether a pack applies to this server, with the reason in words."""

    pack: str
    title: str
    applies: bool
    reason: str
    status: Lifecycle = "standard"


class Setting(Record, frozen=True):
    """One effective setting that is not a built-in default, or that affects a grade, with its origin in words."""

    key: str
    value: Json
    origin: str = "default"


class ServerFacts(Record, frozen=True):
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


class Gathered(Record, frozen=True):
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
