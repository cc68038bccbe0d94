"""What a tool is taken for, so that packs know what to aim at it: a guess with its confidence and its reasons.

Primary and secondary class are the first two of `CLASSES` that an argument speaks for strongly enough. A tool with
free text and nothing else is `text`, one without is `opaque`; both get the core checks only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from sealmark.reading.visible import visible
from sealmark.reading.walk import mapping
from sealmark.record.model import Classified, Json, ParamUse, Tool
from sealmark.surface import uses
from sealmark.surface import vocabulary as v
from sealmark.surface.evidence import CLASSES, Context, Found, context_of, evidence
from sealmark.surface.leaves import Leaf, leaves

ENOUGH = 3
"""Strength from which on a class is acted upon."""
MAX_USES = 64

Evidence = tuple[tuple[Leaf, Found], ...]


def classify(tool: Tool, override: Mapping[str, Json] | None = None) -> Classified:
    """Return what a tool is taken for.

    `override` is the entry of this tool under `tools.overrides`: `{"class": "path", "params": {"path": "name"}}` or
    `{"class": "opaque"}`. An override that cannot be used (see `override_problem`) is ignored.
    """
    every = leaves(tool.input_schema)
    if override and not override_problem(tool, override):
        return _overridden(tool, every, override)
    around = context_of(tool)
    if _undeclared(tool):
        guessed = _guessed(tool, around)
        if guessed is not None:
            return guessed
    found: Evidence = tuple((leaf, item) for leaf in every for item in evidence(leaf, around))
    best = {cls: max((item.strength for _, item in found if item.cls == cls), default=0) for cls in CLASSES}
    strong = [cls for cls in CLASSES if best[cls] >= ENOUGH]
    if strong == ["git", "path"] or (strong and strong[0] == "git"):
        strong = ["git", *[cls for cls in strong if cls != "git" and _elsewhere(found, cls)]]
    if strong:
        primary, secondary = strong[0], strong[1] if len(strong) > 1 else ""
        return Classified(
            tool=tool.name,
            cls=primary,
            confidence="high" if best[primary] >= 4 else "medium",
            why=_why(found, primary),
            secondary=secondary,
            uses=_uses(tool, every, found, [primary, *([secondary] if secondary else [])]),
        )
    likely = max(CLASSES, key=lambda cls: best[cls])
    if best[likely] == 2:
        return Classified(tool.name, likely, "low", _why(found, likely), uses=_uses(tool, every, found, [likely], 2))
    if any(leaf.textual for leaf in every):
        return Classified(
            tool.name,
            "text",
            "low",
            "it takes text, and none of it names a path, URL, command, SQL or repository",
        )
    return Classified(tool.name, "opaque", "low", "it takes no free text")


def _elsewhere(found: Evidence, cls: str) -> bool:
    """Say whether an argument speaks for `cls` that does not already name the repository."""
    repositories = {leaf.pointer for leaf, item in found if item.cls == "git" and item.strength >= ENOUGH}
    return any(item.cls == cls and item.strength >= ENOUGH and leaf.pointer not in repositories for leaf, item in found)


def _why(found: Evidence, cls: str) -> str:
    """Return the reason in words: the argument that speaks loudest, and by what."""
    leaf, item = max(((leaf, item) for leaf, item in found if item.cls == cls), key=lambda pair: pair[1].strength)
    kind = {
        "sql": "SQL",
        "url": "a URL",
        "git": "a repository",
        "path": "a file path",
        "command": "a command",
    }[cls]
    return f"the argument {visible(leaf.name, newlines='escape', limit=60)!r} takes {kind}, by {item.why}"


def _uses(
    tool: Tool, every: tuple[Leaf, ...], found: Evidence, classes: list[str], least: int = ENOUGH
) -> tuple[ParamUse, ...]:
    """Return what the tool does with the arguments of its classes, in the order of the schema."""
    chosen: dict[str, tuple[Leaf, str]] = {}
    for cls in classes:
        if cls == "path" and classes[0] == "git":
            continue  # paths of a git tool are files of its repository
        for leaf, item in found:
            if item.cls == cls and item.strength >= least:
                chosen.setdefault(leaf.pointer, (leaf, cls))
    if "command" in classes:
        for leaf, item in found:
            if (
                item.cls == "path"
                and item.strength >= ENOUGH
                and " ".join(leaf.words) in v.CWD_NAMES | {"directory", "dir"}
            ):
                chosen.setdefault(leaf.pointer, (leaf, "path"))
    paths = tuple(leaf for leaf, cls in chosen.values() if cls == "path")
    result = [ParamUse(leaf.pointer, cls, _use(tool, leaf, cls, paths, classes)) for leaf, cls in chosen.values()]
    if classes[0] == "path":
        result += uses.companions(tool, paths, every)
    if classes[0] == "git":
        rest = (leaf for leaf in every if leaf.textual and leaf.pointer not in chosen)
        result += [ParamUse(leaf.pointer, "git", uses.git_argument(leaf)) for leaf in rest]
    order = {leaf.pointer: index for index, leaf in enumerate(every)}
    return tuple(sorted(result, key=lambda use: order.get(use.pointer, 0))[:MAX_USES])


def _use(tool: Tool, leaf: Leaf, cls: str, paths: tuple[Leaf, ...], classes: list[str]) -> str:
    if cls == "path":
        return "cwd" if classes[0] == "command" else uses.path_use(leaf, tool, paths)
    if cls == "sql":
        return uses.sql_use(tool)
    if cls == "git":
        return uses.git_use(tool)
    return "run" if cls == "command" else "fetch"


# ---- tools whose schema declares nothing


def _undeclared(tool: Tool) -> bool:
    """Say whether a schema says nothing at all of its arguments, as broken schema generators leave it."""
    schema = tool.input_schema
    if not isinstance(schema, dict) or schema.get("additionalProperties") is False:
        return False
    telling = ("type", "properties", "required", "anyOf", "oneOf", "allOf", "$ref", "patternProperties")
    return not any(key in schema for key in telling)


_FILE_NOUNS = frozenset(["file", "files", "directory", "directories", "folder", "folders", "dir", "path"])


def _guessed(tool: Tool, around: Context) -> Classified | None:
    """Return a guess by convention for a tool that declares no arguments; probes with a control tell if it holds."""
    named = set(around.words)
    text = around.text
    found: tuple[str, list[ParamUse]] | None = None
    if (
        named & _FILE_NOUNS
        and not named & {"allowed", "roots"}
        and re.search(r"\b(?:file|director|folder)", text, re.IGNORECASE)
    ):
        found = ("path", _guessed_paths(tool, text))
    elif named & {"fetch", "url", "browse", "scrape", "crawl", "navigate"} and re.search(r"\bURL\b|\bweb", text):
        found = ("url", [ParamUse("url", "url", "fetch")])
    elif named & {"sql", "query"} and v.SQL_TEXT.search(text):
        found = ("sql", [ParamUse("sql", "sql", uses.sql_use(tool))])
    elif named & {"shell", "command", "bash", "exec"} and re.search(r"\bcommand", text, re.IGNORECASE):
        found = ("command", [ParamUse("command", "command", "run")])
    if found is None:
        return None
    why = "its schema declares no arguments; its name and description speak for one by convention"
    return Classified(tool.name, found[0], "medium", why, uses=tuple(found[1]))


def _guessed_paths(tool: Tool, text: str) -> list[ParamUse]:
    """Return the arguments that file tools have by convention."""
    does = uses.verb(tool)
    if does in ("move", "copy"):
        return [ParamUse("source", "path", "source"), ParamUse("destination", "path", "destination")]
    if does == "read" and re.search(
        r"\bmultiple\b|\bseveral\b", f"{tool.name} {text}".replace("_", " "), re.IGNORECASE
    ):
        return [ParamUse("paths/0", "path", "read")]
    if does == "create" and "file" in tool.name.lower():
        does = "write"
    more = {
        "write": [ParamUse("content", "path", "content")],
        "search": [ParamUse("pattern", "path", "pattern")],
        "edit": [ParamUse("edits/0/oldText", "path", "old"), ParamUse("edits/0/newText", "path", "content")],
    }
    return [ParamUse("path", "path", does), *more.get(does, [])]


# ---- overrides

_OVERRIDABLE = (*CLASSES, "text", "opaque")


def override_problem(tool: Tool, override: Mapping[str, Json]) -> str | None:
    """Return why an override cannot be used for this tool, in words that name the fix, or None."""
    cls = override.get("class")
    if cls not in _OVERRIDABLE:
        return f"class must be one of {', '.join(_OVERRIDABLE)}, not {str(cls)[:40]!r}"
    if cls in ("text", "opaque"):
        return None
    every = {leaf.pointer: leaf for leaf in leaves(tool.input_schema)}
    named = _named(override, cls)
    if named is not None:
        known = any(_is_or_holds(pointer, named) for pointer in every)
        return (
            None
            if known or _undeclared(tool)
            else f"the tool has no argument {named[:60]!r} for class {cls}; params: {{{cls}: NAME}} names it"
        )
    if any(item.cls == cls for leaf in every.values() for item in evidence(leaf, context_of(tool))):
        return None
    if sum(leaf.textual for leaf in every.values()) == 1:
        return None
    return f"no argument is usable for class {cls}; name it: params: {{{cls}: NAME}}"


def _named(override: Mapping[str, Json], cls: str) -> str | None:
    name = mapping(override.get("params")).get(cls)
    return name if isinstance(name, str) and name else None


def _is_or_holds(pointer: str, named: str) -> bool:
    return pointer == named or pointer.startswith(f"{named}/")


def _overridden(tool: Tool, every: tuple[Leaf, ...], override: Mapping[str, Json]) -> Classified:
    """Return the class that the configuration names, with the arguments it names or the likeliest ones."""
    cls = str(override["class"])
    sure: Literal["high"] = "high"
    why = "the configuration says so"
    if cls in ("text", "opaque"):
        return Classified(tool.name, cls, "low", why, overridden=True)
    named = _named(override, cls)
    around = context_of(tool)
    if named is not None:
        chosen = [leaf for leaf in every if _is_or_holds(leaf.pointer, named)]
    else:
        chosen = [leaf for leaf in every if any(item.cls == cls for item in evidence(leaf, around))]
        chosen = chosen or [leaf for leaf in every if leaf.textual]
    found: Evidence = tuple((leaf, Found(cls, 4, why)) for leaf in chosen)
    if not found:
        use = "read" if cls in ("path", "git") else {"url": "fetch", "sql": "query", "command": "run"}[cls]
        return Classified(tool.name, cls, sure, why, uses=(ParamUse(str(named), cls, use),), overridden=True)
    return Classified(tool.name, cls, sure, why, uses=_uses(tool, every, found, [cls]), overridden=True)
