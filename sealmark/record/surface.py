"""The surface of a server: what it says of itself, and what the harness takes its tools for."""

from __future__ import annotations

from typing import Literal

from sealmark.record.base import Json, Record


class Tool(Record, frozen=True):
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


class Resource(Record, frozen=True):
    """One resource, or one template when `template` is true (then `uri` is a URI template)."""

    uri: str
    name: str = ""
    title: str = ""
    description: str = ""
    mime_type: str = ""
    template: bool = False


class PromptArgument(Record, frozen=True):
    """One argument of a prompt."""

    name: str
    description: str = ""
    required: bool = False


class Prompt(Record, frozen=True):
    """One prompt as listed."""

    name: str
    title: str = ""
    description: str = ""
    arguments: tuple[PromptArgument, ...] = ()


class Listing(Record, frozen=True):
    """How a listing went: number of items and pages, and what stopped it (empty: it came to its end)."""

    method: str
    items: int
    pages: int
    stopped_by: str = ""


class Surface(Record, frozen=True):
    """Everything that the server offers to a model, as listed in the main session.

    `cut` names what was too large to keep, tools aside, since each tool has a `cut` of its own.
    """

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
    cut: tuple[str, ...] = ()


class ParamUse(Record, frozen=True):
    """One argument of a tool that takes a value of some class.

    `pointer` is the path to it in the arguments (`path`, `paths/0`, `files/0/path`), `use` says for what
    (read, write, list, search, edit, source, destination, create, delete, stat; or fetch, run, query …).
    """

    pointer: str
    cls: str
    use: str


class Classified(Record, frozen=True):
    """What the harness takes a tool for, how sure it is (low, medium, high), and why, in words."""

    tool: str
    cls: str
    confidence: Literal["low", "medium", "high"]
    why: str
    secondary: str = ""
    uses: tuple[ParamUse, ...] = ()
    overridden: bool = False
