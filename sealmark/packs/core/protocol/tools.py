"""Clauses of tools: names, schemas, and calls that must be refused."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from sealmark.packs.core.protocol import schemas
from sealmark.packs.core.protocol.clause import Found, Predicate, broken, na, named, none_of, ok
from sealmark.packs.core.protocol.rpc import code, refused
from sealmark.packs.core.protocol.view import View
from sealmark.reading.protocol import name_problem
from sealmark.reading.walk import mapping
from sealmark.record.model import Tool

SCHEMAS_READ = 1_000
"""Tools whose schemas are checked against their dialect; the first of them."""
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}")


def _over_tools(view: View, lines: Iterable[str], say: str) -> Found:
    """Broken when there is a line, ok when there are tools without one."""
    fact = view.fact("tools")
    return none_of(lines, say, of=fact, otherwise=ok(fact) if view.surface.tools else na("no tool is listed"))


def names_present(view: View) -> Found:
    """Every tool has a name."""
    lines = (f"tool {n} has no name" for n, tool in enumerate(view.surface.tools, 1) if not tool.name)
    return _over_tools(view, lines, "a tool cannot be called")


def names_unique(view: View) -> Found:
    """No two tools have the same name."""
    return _over_tools(view, _repeated(tool.name for tool in view.surface.tools), "names are not unique")


def _repeated(names: Iterable[str]) -> list[str]:
    return [named([name]) for name, count in Counter(names).items() if name and count > 1]


def name_form(view: View) -> Found:
    """Names have 1 to 128 of the characters that the specification names."""
    lines = (
        f"{named([tool.name])}: {name_problem(tool.name)}"
        for tool in view.surface.tools
        if tool.name and name_problem(tool.name)
    )
    return _over_tools(view, lines, "a name is not formed as it should be")


def input_schema_object(view: View) -> Found:
    """Every input schema is an object that describes an object."""
    return _over_tools(view, _each(view.surface.tools, _input_problem), "an input schema does not describe an object")


def _input_problem(tool: Tool) -> str:
    if "inputSchema" in tool.cut:
        return ""
    if not isinstance(tool.input_schema, dict):
        return "there is no inputSchema that is an object"
    return "" if tool.input_schema.get("type") == "object" else 'its type is not "object"'


def input_schema_valid(view: View) -> Found:
    """Every input schema is valid in its dialect."""

    def problem(tool: Tool) -> str:
        return schemas.problem(tool.input_schema, view.version) if isinstance(tool.input_schema, dict) else ""

    return _over_tools(view, _each(view.surface.tools, problem), "an input schema is not valid")


def output_schema_valid(view: View) -> Found:
    """Every output schema is valid in its dialect, and until 2025-11-25 describes an object."""

    def problem(tool: Tool) -> str:
        schema = tool.output_schema
        if schema is None:
            return ""
        if not isinstance(schema, dict):
            return "it is not an object"
        if view.version <= "2025-11-25" and schema.get("type") != "object":
            return 'its type is not "object"'
        return schemas.problem(schema, view.version)

    return _over_tools(view, _each(view.surface.tools, problem), "an output schema is not valid")


def _each(tools: Iterable[Tool], problem: Any) -> Iterator[str]:
    """One line per tool that has a problem."""
    for n, tool in enumerate(tools):
        text = problem(tool) if n < SCHEMAS_READ else ""
        if text:
            yield f"{named([tool.name])}: {text}"


def unknown_tool(view: View) -> Found:
    """A call of a tool that does not exist is refused."""
    return refused(view, view.case("unknown-tool"), "the call of a tool that does not exist")


def unknown_tool_code(view: View) -> Found:
    """A call of a tool that does not exist is a protocol error, -32602."""
    return code(view, view.case("unknown-tool"), "the call of a tool that does not exist", (-32602,))


def call_without_name(view: View) -> Found:
    """A call that names no tool is refused."""
    return refused(view, view.case("malformed-call"), "a call that names no tool", 0)


def call_of_wrong_types(view: View) -> Found:
    """A call whose name is a number and whose arguments are a text is refused."""
    return refused(view, view.case("malformed-call"), "a call whose name is a number", 1)


def missing_arguments(view: View) -> Found:
    """A call without required arguments is refused."""
    outcome = view.case("missing-arguments")
    if outcome is None:
        return na("no tool requires an argument")
    return refused(view, outcome, f"the call of {named([outcome.probe.tool])} without its required arguments")


def errors_flagged(view: View) -> Found:
    """A result that is an error in words is one by its flag too."""
    cases = [view.case(name) for name in ("unknown-tool", "missing-arguments", "malformed-call")]
    for outcome in cases:
        for _, seen in view.steps(outcome):
            flagged = seen.is_error or mapping(view.result(seen)).get("isError") is True
            if seen.outcome == "result" and not flagged and view.says_error(seen):
                return broken("a result says in words that it is an error, and has no isError", outcome)
    return ok(*cases)


def tasks_backed(view: View) -> Found:
    """A tool that supports tasks belongs to a server that does."""
    wanting = [
        tool.name
        for tool in view.surface.tools
        if mapping(tool.extra.get("execution")).get("taskSupport") in ("optional", "required")
    ]
    lines = [] if view.capability("tasks.requests.tools.call") else [named([name]) for name in wanting]
    return _over_tools(view, lines, "a tool asks for tasks that the server does not declare")


def header_annotations(view: View) -> Found:
    """An `x-mcp-header` is a token, unique in its schema, on an argument of a simple type that is always there."""
    return _over_tools(view, _each(view.surface.tools, _header_problem), "an x-mcp-header is not allowed")


def _header_problem(tool: Tool) -> str:
    schema = mapping(tool.input_schema)
    names: list[str] = []
    for reachable, place in schemas.places(schema):
        if "x-mcp-header" not in place:
            continue
        header = place["x-mcp-header"]
        if not isinstance(header, str) or not _TOKEN.fullmatch(header):
            return "it is not a header name"
        if place.get("type") not in ("string", "integer", "boolean"):
            return f"{named([header])} stands on an argument that is no text, integer or boolean"
        if not reachable:
            return f"{named([header])} stands on an argument that is not always there"
        names.append(header.lower())
    return f"{_repeated(names)[0]} is used twice" if _repeated(names) else ""


def _described(field: str) -> Predicate:
    def predicate(view: View) -> Found:
        lines = (named([tool.name]) for tool in view.surface.tools if not getattr(tool, field))
        return _over_tools(view, lines, f"no {field}")

    return predicate


def arguments_described(view: View) -> Found:
    """Every argument of a tool is described."""

    def problem(tool: Tool) -> str:
        properties = mapping(mapping(tool.input_schema).get("properties"))
        bare = [name for name, value in properties.items() if not mapping(value).get("description")]
        return f"no description of {named(bare, 2)}" if bare else ""

    return _over_tools(view, _each(view.surface.tools, problem), "arguments are not described")


PREDICATES: dict[str, Predicate] = {
    "tool-names-present": names_present,
    "tool-names-unique": names_unique,
    "tool-name-form": name_form,
    "tool-input-schema": input_schema_object,
    "tool-input-schema-valid": input_schema_valid,
    "tool-output-schema": output_schema_valid,
    "unknown-tool": unknown_tool,
    "errors-flagged": errors_flagged,
    "unknown-tool-code": unknown_tool_code,
    "call-without-name": call_without_name,
    "call-of-wrong-types": call_of_wrong_types,
    "missing-arguments": missing_arguments,
    "tasks-backed": tasks_backed,
    "header-annotations": header_annotations,
    "tools-described": _described("description"),
    "tools-titled": _described("title"),
    "tools-annotated": _described("annotations"),
    "tool-arguments-described": arguments_described,
}
