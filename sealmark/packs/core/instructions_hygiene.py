"""Asks whether the server's instructions agree with what it offers, and with your own rules.

Why: Clients put a server's instructions in front of the model. When they name a tool that is not there, the model
calls it anyway, or another server's tool of that name; and an organisation may have words that it does not want
there at all.

How: Nothing is sent. In the instructions, names that are written as names of tools ("the read_file tool", "tool
`search`", "call list_items") are compared with the tools that were listed, whatever the case and whether with - or
_; names of prompts, resources and arguments count as known. Then each pattern of checks.instructions-hygiene.deny
is looked for, line by line, in the first 6,000 characters. A pattern that could run for ever is not used.

When it can be wrong: Some servers list a tool only to clients with certain capabilities, or after another call, and
this check sees one listing; so a name that is not offered gives part, never a failure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sealmark.check import Check, Rule, Seen, Target
from sealmark.reading import user_patterns
from sealmark.reading.visible import visible
from sealmark.reading.walk import mapping
from sealmark.record.model import Evidence, Probe, Surface, Verdict

OPEN = "surface/fact:open"
MAX_READ = 20_000
_NAME = r"[A-Za-z][A-Za-z0-9]*(?:[_.-][A-Za-z0-9]+)*"
_QUOTED = rf"[`'\"]({_NAME})(?:\(\))?[`'\"]"
_PLAIN = r"([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+)"
MENTIONS = (
    re.compile(rf"{_QUOTED} (?:MCP )?tool\b"),
    re.compile(rf"(?<!-party )(?<!-line )(?<!CLI )(?<!external )\btools?:? {_QUOTED}"),
    re.compile(rf"\b(?:[Cc]all|[Ii]nvoke)(?:ing)?(?: the)? {_QUOTED}"),
    re.compile(rf"(?<![\w./-]){_PLAIN} tool\b"),
    re.compile(rf"\b(?:[Cc]all|[Ii]nvoke)(?:ing)?(?: the)? {_PLAIN}(?![\w./=-])"),
)
"""What is written as the name of a tool. A plain word counts only when it has an underscore or a hump."""

RULES = (
    Rule(
        "denied",
        "fail",
        "The instructions match a pattern that the configuration denies.",
        "Reword the instructions, or the pattern.",
    ),
    Rule(
        "names-missing-tool",
        "part",
        "The instructions name a tool that the server does not offer.",
        "Name the tools as they are listed, or list the tool.",
    ),
    Rule(
        "unusable-pattern",
        "inconclusive",
        "A pattern of the configuration cannot be used.",
        "Simplify checks.instructions-hygiene.deny: no repetition inside a repetition.",
    ),
    Rule("no-instructions", "na", "The server gives no instructions."),
    Rule("clean", "pass", "The instructions name nothing that is not offered and match no denied pattern."),
)


def plan(target: Target) -> Iterable[Probe]:
    """Nothing: the instructions came when the server was met."""
    return ()


def judge(seen: Seen) -> Verdict:
    """Compare the instructions with the surface and the patterns."""
    surface = seen.gathered.surface
    text = surface.instructions[:MAX_READ]
    opened = seen.outcome(OPEN)
    if not text.strip():
        return seen.decide("no-instructions")
    deny = tuple(seen.target.setting("checks.instructions-hygiene.deny", ()))
    bad = [f"{pattern}: {why}" for pattern in deny if (why := user_patterns.problem(pattern))]
    hit = user_patterns.search(deny, text)
    if hit:
        return seen.decide("denied", [Evidence(f"the instructions match {hit!r}", OPEN)])
    if bad:
        return seen.decide("unusable-pattern", summary=f"Not usable: {'; '.join(bad)}.")
    missing = tuple(missing_tools(text, surface))
    if missing:
        shown = [Evidence(f"not offered: {visible(name, newlines='escape', limit=80)}", OPEN) for name in missing]
        return seen.decide("names-missing-tool", shown, f"Names of tools that are not offered: {len(missing)}.")
    return seen.decide("clean", [opened] if opened else (), line=f"instructions of {len(text)} characters read")


def missing_tools(text: str, surface: Surface) -> Iterator[str]:
    """Yield each name that is written as the name of a tool and that nothing on the surface has."""
    known = {_plain(name) for name in _names(surface)}
    for name in dict.fromkeys(match[1] for mention in MENTIONS for match in mention.finditer(text)):
        if _plain(name) not in known and _plain(name.rpartition(".")[2]) not in known:
            yield name


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def _names(surface: Surface) -> Iterator[str]:
    yield surface.server_name
    for tool in surface.tools:
        yield from (tool.name, tool.title, *mapping(mapping(tool.input_schema).get("properties")))
    for resource in surface.resources:
        yield from (resource.name, resource.title)
    for prompt in surface.prompts:
        yield from (prompt.name, prompt.title)


CHECK = Check(
    id="instructions-hygiene",
    revision=1,
    title="Instructions agree with what is offered",
    question="Do the instructions name only what is there, and nothing that you deny?",
    page=__doc__,
    rules=RULES,
    plan=plan,
    judge=judge,
    reads="run",
    settings=("checks.instructions-hygiene.deny",),
)
