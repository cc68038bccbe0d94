"""Drift: what changed in the surface that a server offers to a model, one line per change, worst first.

| level | changes |
|---|---|
| breaking | a tool, a prompt or a parameter removed; a required parameter added; a parameter's type changed |
| notable-suspicious | a text that adds a URL, a path, an order to the model or a hidden character |
| notable | a tool or prompt added; a text changed; an annotation's meaning changed; a schema changed in any other way |
| info | an optional parameter added; spacing or punctuation; an annotation written out; versions, resources |

A line holds names, hashes and lengths, never a description: that text belongs to the server.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from sealmark.compare.changes import LEVELS, Drift, Level
from sealmark.compare.schemas import Parameter, ordered, parameters
from sealmark.compare.wording import STEERING, classify, fingerprint, sizes
from sealmark.reading.shown import line, short_json
from sealmark.record.model import Json, Prompt, Resource, Surface, Tool
from sealmark.surface.surface import canonical

ANNOTATION_DEFAULTS: Mapping[str, bool] = {
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
}
"""What an annotation means when it is left out (specification, ToolAnnotations)."""

T = TypeVar("T", Tool, Prompt)


def drift(before: Surface, after: Surface) -> tuple[Drift, ...]:
    """Every change between two surfaces, worst first, then in the order of the listing."""
    found = [
        *_tools(before.tools, after.tools),
        *_prompts(before.prompts, after.prompts),
        *_text("instructions", "instructions", before.instructions, after.instructions),
        *_resources(before.resources, after.resources),
        *_server(before, after),
    ]
    return tuple(sorted(found, key=lambda drift: LEVELS.index(drift.level)))


def _named(items: Sequence[T]) -> dict[str, T]:
    return {item.name: item for item in items}


def _tools(before: Sequence[Tool], after: Sequence[Tool]) -> Iterator[Drift]:
    old, new = _named(before), _named(after)
    for name in _gone(old, new):
        yield Drift("breaking", "tool-removed", f"tool {_name(name)} removed", _name(name))
    for name, tool in new.items():
        if name not in old:
            yield Drift("notable", "tool-added", f"tool {_name(name)} added", _name(name))
        elif old[name] != tool:
            yield from _tool(old[name], tool)


def _gone(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    return [name for name in before if name not in after]


def _name(name: str) -> str:
    return line(name, 80) or "(without a name)"


def _tool(old: Tool, new: Tool) -> Iterator[Drift]:
    name = _name(new.name)
    found = [
        *_text("description", f"tool {name}: description", old.description, new.description, name),
        *_text("title", f"tool {name}: title", old.title, new.title, name),
        *_schema(old, new),
        *_annotations(old, new),
    ]
    if old.output_schema != new.output_schema:
        words = _whole(old.output_schema, new.output_schema)
        found.append(Drift("notable", "output-schema", f"tool {name}: output schema {words}", name))
    for key in sorted(old.extra.keys() | new.extra.keys()):
        if old.extra.get(key) != new.extra.get(key):
            found.append(Drift("notable", "other", f"tool {name}: {_name(key)} changed", name))
    if not found and old.sha256 != new.sha256 and (old.cut or new.cut):
        found.append(Drift("notable", "other", f"tool {name}: changed in a part that was too large to keep", name))
    yield from found


def _text(kind: str, what: str, before: str, after: str, tool: str = "") -> Iterator[Drift]:
    """A changed text, by what it adds."""
    if before == after:
        return
    level, added = classify(before, after)
    adds = f", adds {', '.join(added)}" if added else ""
    only = ", only spacing or punctuation" if level == "info" else ""
    yield Drift(level, kind, f"{what} changed ({sizes(before, after)}){adds}{only}", tool)


def _schema(old: Tool, new: Tool) -> Iterator[Drift]:
    before, after = ordered(old.input_schema), ordered(new.input_schema)
    if before == after:
        return
    name = _name(new.name)
    found = [] if before is None or after is None else list(_parameters(name, parameters(before), parameters(after)))
    yield from found or [Drift("notable", "schema", f"tool {name}: schema {_whole(before, after)}", name)]


def _parameters(tool: str, before: Mapping[str, Parameter], after: Mapping[str, Parameter]) -> Iterator[Drift]:
    yield from _removed(tool, before, after)
    yield from _added(tool, before, after)
    for path, parameter in after.items():
        if path in before:
            yield from _parameter(tool, before[path], parameter)


def _whole(before: Json, after: Json) -> str:
    if before is None or after is None:
        return "added" if before is None else "removed"
    return f"changed (sha {fingerprint(canonical(before).decode())} → {fingerprint(canonical(after).decode())})"


def _top(path: str, others: Mapping[str, Parameter]) -> bool:
    """Whether a parameter's parent is there on the other side too, so that it is the top of what came or went."""
    return not path or path.rpartition("/")[0] in others


def _removed(tool: str, before: Mapping[str, Parameter], after: Mapping[str, Parameter]) -> Iterator[Drift]:
    for path in before:
        if path not in after and _top(path, after):
            yield Drift("breaking", "parameter-removed", f"tool {tool}: parameter {_name(path)} removed", tool)


def _added(tool: str, before: Mapping[str, Parameter], after: Mapping[str, Parameter]) -> Iterator[Drift]:
    for path, parameter in after.items():
        if path in before or not _top(path, before):
            continue
        told = _told(path, parameter, after)
        steering = [word for word in STEERING if word in told]
        level: Level = "breaking" if parameter.required else "suspicious" if steering else "info"
        needed = "required" if parameter.required else "optional"
        words = f" with {' and '.join(steering)}" if steering else ""
        yield Drift(level, "parameter-added", f"tool {tool}: {needed} parameter {_name(path)} added{words}", tool)


def _told(path: str, parameter: Parameter, after: Mapping[str, Parameter]) -> set[str]:
    """What the texts of a new parameter, and of those below it, say that a changed text must not add."""
    texts = [parameter.text, *(other.text for below, other in after.items() if below.startswith(f"{path}/"))]
    return {word for text in texts for word in classify("", text)[1]}


def _parameter(tool: str, old: Parameter, new: Parameter) -> Iterator[Drift]:
    where = f"tool {tool}: parameter {_name(new.path)}" if new.path else f"tool {tool}: arguments"
    silent = not new.path and "any" in (old.kind, new.kind)  # arguments are an object, said or not
    if old.kind != new.kind and not silent:
        words = f"type changed ({line(old.kind, 60)} → {line(new.kind, 60)})"
        yield Drift("breaking", "parameter-type", f"{where}: {words}", tool)
    elif old.rest != new.rest:
        yield Drift("notable", "schema", f"{where}: schema changed in another way", tool)
    if new.required and not old.required:
        yield Drift("breaking", "parameter-required", f"{where} is now required", tool)
    elif old.required and not new.required:
        yield Drift("notable", "schema", f"{where} is no longer required", tool)
    yield from _text("description", f"{where}: description", old.text, new.text, tool)


def _annotations(old: Tool, new: Tool) -> Iterator[Drift]:
    name = _name(new.name)
    for key in sorted(old.annotations.keys() | new.annotations.keys()):
        before, after = old.annotations.get(key), new.annotations.get(key)
        if before == after and type(before) is type(after):
            continue
        if key == "title" and isinstance(before or "", str) and isinstance(after or "", str):
            yield from _text("title", f"tool {name}: annotation title", before or "", after or "", name)
            continue
        default = ANNOTATION_DEFAULTS.get(key)
        same = default is not None and _meaning(before, default) is _meaning(after, default)
        words = "written out or left out, same meaning" if same else _values(before, after)
        level: Level = "info" if same else "notable"
        yield Drift(level, "annotation", f"tool {name}: annotation {_name(key)} {words}", name)


def _values(before: Json, after: Json) -> str:
    """Both values when they are flags or numbers; anything else is the server's text and stays out of the line."""
    plain = all(value is None or isinstance(value, bool | int | float) for value in (before, after))
    said = ["not set" if value is None else short_json(value, 40) for value in (before, after)]
    return " → ".join(said) if plain else "changed"


def _meaning(value: Json, default: bool) -> Json:
    return default if value is None else value


def _prompts(before: Sequence[Prompt], after: Sequence[Prompt]) -> Iterator[Drift]:
    old, new = _named(before), _named(after)
    for name in _gone(old, new):
        yield Drift("breaking", "prompt-removed", f"prompt {_name(name)} removed")
    for name, prompt in new.items():
        if name not in old:
            yield Drift("notable", "prompt-added", f"prompt {_name(name)} added")
        else:
            yield from _prompt(old[name], prompt)


def _prompt(old: Prompt, new: Prompt) -> Iterator[Drift]:
    what = f"prompt {_name(new.name)}"
    yield from _text("description", f"{what}: description", old.description, new.description)
    yield from _text("title", f"{what}: title", old.title, new.title)
    before, after = ({argument.name: argument for argument in prompt.arguments} for prompt in (old, new))
    for name in _gone(before, after):
        yield Drift("breaking", "parameter-removed", f"{what}: argument {_name(name)} removed")
    for name, argument in after.items():
        if name not in before:
            level: Level = "breaking" if argument.required else "info"
            needed = "required" if argument.required else "optional"
            yield Drift(level, "parameter-added", f"{what}: {needed} argument {_name(name)} added")
            continue
        if argument.required and not before[name].required:
            yield Drift("breaking", "parameter-required", f"{what}: argument {_name(name)} is now required")
        where = f"{what}: argument {_name(name)}: description"
        yield from _text("description", where, before[name].description, argument.description)


def _resources(before: Sequence[Resource], after: Sequence[Resource]) -> Iterator[Drift]:
    """Resources come and go by nature, so they are counted; the texts of those that stayed are compared."""
    old, new = ({resource.uri: resource for resource in side} for side in (before, after))
    gone, come = len(_gone(old, new)), len(_gone(new, old))
    if gone or come:
        yield Drift("info", "resources", f"resources: {come} added, {gone} removed")
    for uri in (uri for uri in new if uri in old):
        for field in ("description", "title", "name"):
            what = f"resource {line(uri, 120)}: {field}"
            yield from _text(field, what, getattr(old[uri], field), getattr(new[uri], field))


def _server(before: Surface, after: Surface) -> Iterator[Drift]:
    facts = (
        ("server-version", "server version", before.server_version, after.server_version),
        ("protocol", "protocol version", before.protocol_version, after.protocol_version),
        ("protocol", "protocol era", before.era, after.era),
    )
    for kind, what, old, new in facts:
        if old != new:
            yield Drift("info", kind, f"{what} {line(old, 40) or 'none'} → {line(new, 40) or 'none'}")
    yield from _text("server-name", "server name", before.server_name, after.server_name)
    for key in sorted(before.capabilities.keys() ^ after.capabilities.keys()):
        gone = key in before.capabilities
        yield Drift("info", "capability", f"capability {_name(key)} {'removed' if gone else 'added'}")
