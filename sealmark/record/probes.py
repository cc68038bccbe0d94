"""Probes: what is sent. Steps are a tagged union; strings in them are templates (see `sealmark.record.marks`)."""

from __future__ import annotations

from typing import Literal

from sealmark.record.base import Json, Record, Role


class Bind(Record, frozen=True):
    """Bind `name` to the value at `pointer` (JSON pointer) of this step's reply; later steps use `{bind.name}`."""

    name: str
    pointer: str


class Open(Record, frozen=True, tag="open", tag_field="step"):
    """Open the probe's session in a fixed way. Without this step a session is opened as the run's settings say.

    `handshake` "none" starts the process and sends nothing. `version` is the protocol version to offer. `timeout_sec`
    stands for the run's time to connect when it is not 0.
    """

    era: Literal["legacy", "modern", "auto"] = "auto"
    version: str = ""
    handshake: Literal["full", "no-initialized", "none"] = "full"
    timeout_sec: float = 0


class Call(Record, frozen=True, tag="call", tag_field="step"):
    """`tools/call` with these arguments. `valid` is true when the tool's own schema accepts them.

    `sought` is what the whole reply is read for before it is cut (`sealmark.reading.payload`); what was found are the
    observation's facts.
    """

    tool: str
    arguments: Json = {}
    valid: bool = True
    timeout_sec: float = 0
    bind: tuple[Bind, ...] = ()
    sought: dict[str, Json] = {}


class Request(Record, frozen=True, tag="request", tag_field="step"):
    """Any JSON-RPC request with a fresh id."""

    method: str
    params: Json = None
    timeout_sec: float = 0
    bare: bool = False
    bind: tuple[Bind, ...] = ()


class Notify(Record, frozen=True, tag="notify", tag_field="step"):
    """A JSON-RPC notification."""

    method: str
    params: Json = None


class Raw(Record, frozen=True, tag="raw", tag_field="step"):
    """Bytes as they are (UTF-8 of `text` after filling, a newline is added unless `newline` is false).

    `expect` is the id whose answer is waited for; with `any_reply` the first response-shaped line counts. With
    `optional` no answer in time is as good as one, and over HTTP so is a refusal; the session goes on.
    """

    text: str
    expect: str | int | None = None
    any_reply: bool = False
    newline: bool = True
    timeout_sec: float = 0
    optional: bool = False


class Http(Record, frozen=True, tag="http", tag_field="step"):
    """One HTTP request to the server, beside every session.

    `path` is relative to the endpoint: empty for the endpoint itself, `?…` adds a query, `/…` is below its origin.
    `headers` and `body` are templates; a header that is empty after filling is not sent, a text is sent as it is and
    anything else as JSON. With `credentials` the configured headers go along. A bind takes `header:<name>`.
    """

    method: str = "POST"
    path: str = ""
    headers: dict[str, str] = {}
    body: Json = None
    credentials: bool = True
    timeout_sec: float = 0
    bind: tuple[Bind, ...] = ()


class ListAll(Record, frozen=True, tag="list", tag_field="step"):
    """Page a listing (`tools/list`, …) to its end; `key` is the result's array."""

    method: str
    key: str


class Look(Record, frozen=True, tag="look", tag_field="step"):
    """Ask the bench what is true now (`what` names a watcher, e.g. `outside`); the observation holds what changed."""

    what: str


class Wait(Record, frozen=True, tag="wait", tag_field="step"):
    """Let `seconds` pass, or less when the session ends."""

    seconds: float


class Restore(Record, frozen=True, tag="restore", tag_field="step"):
    """Put a resource of the bench back as it was at the start."""

    what: str


class Tell(Record, frozen=True, tag="tell", tag_field="step"):
    """Tell something of the bench how to behave from now on (`what` names it); a restore puts it back."""

    what: str
    how: Json = None


class Close(Record, frozen=True, tag="close", tag_field="step"):
    """Close the probe's session; the next use opens a new process.

    With `sought` the observation's facts say which of these texts the server's log lines held (its stderr and its log
    notifications, without regard to case), and whether all that it logged was seen.
    """

    sought: tuple[str, ...] = ()


Step = Open | Call | Request | Notify | Raw | Http | ListAll | Look | Wait | Restore | Tell | Close


class Probe(Record, frozen=True):
    """One question put to the server: a few steps on one named session.

    `session` is a name (`main`, `second`, `modern` …); every pack that writes has sessions and a sandbox of its own,
    so the engine keys a session by (pack, session). `requires` names a control probe that must have
    succeeded, several of which one must have (`a|b`), or one that must not have (`!a`: a second try of a control).
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
