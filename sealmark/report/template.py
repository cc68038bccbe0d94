"""A user's own jinja2 template for the text and markdown formats. It reads data and nothing else.

The integrity header stands before and the closing sentence after whatever the template makes. Every text that it is
given is one visible line already, and in Markdown every value that it prints is escaped.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from sealmark.errors import UsageError
from sealmark.reading.shown import line, short_json
from sealmark.record.model import RunRecord
from sealmark.report.options import Options
from sealmark.report.parts import View
from sealmark.report.safe import markdown
from sealmark.report.view import build

UNSAFE_FILTERS = ("safe", "escape", "e", "forceescape", "urlize", "xmlattr", "tojson", "pprint", "striptags")
"""Filters of jinja2 that would declare a text inert, which only this module may do."""


def render(runs: Sequence[RunRecord], options: Options, *, in_markdown: bool) -> str:
    """The template once per run, with header and closing sentence around it.

    Raises:
        UsageError: the template has a mistake, asks for something that is not there, or for more than data.
    """
    environment = _environment(in_markdown)
    name = options.template_name
    try:
        template = environment.from_string(options.template)
        blocks = []
        for run in runs:
            view = build(run, options)
            body = template.render(context(run, view))
            blocks.append("\n".join([*_header(view, in_markdown), "", body.strip("\n"), "", view.closing]))
        return "\n\n".join(blocks) + "\n"
    except TemplateSyntaxError as error:
        raise UsageError(f"{name}:{error.lineno}: {line(error.message or 'mistake', 300)}", hint=HELP) from None
    except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"{name}: {line(str(error), 300)}", hint=HELP) from None


HELP = "docs/reports.md lists what a template can read; `sealmark report FILE --template FILE` tries one offline."


def _header(view: View, in_markdown: bool) -> list[str]:
    lines = [view.header.line]
    lines += [f"{d.key}: standard {d.standard}, effective {d.effective}  ({d.origin})" for d in view.header.differences]
    if in_markdown:
        return [f"- {markdown(text)}" if number else markdown(text) for number, text in enumerate(lines)]
    return lines


def context(run: RunRecord, view: View) -> dict[str, Any]:
    """What a template can read: every part of the view, its groups of cards, and the record as `run`."""
    data: dict[str, Any] = msgspec.to_builtins(view)
    groups = {
        "findings": view.findings,
        "inconclusive": view.inconclusive,
        "passed": view.passed,
        "notApplicable": view.not_applicable,
    }
    data |= {name: msgspec.to_builtins(cards) for name, cards in groups.items()}
    data["run"] = _lines(run)
    return data


def _lines(value: Any) -> Any:
    """Plain data with every string as one visible line; of a record every field, also those that JSON leaves out."""
    if isinstance(value, str):
        return line(value)
    if isinstance(value, msgspec.Struct):
        return {field.encode_name: _lines(getattr(value, field.name)) for field in msgspec.structs.fields(value)}
    if isinstance(value, Mapping):
        return {line(str(key)): _lines(item) for key, item in value.items()}
    return [_lines(item) for item in value] if isinstance(value, Sequence) else value


def _environment(in_markdown: bool) -> ImmutableSandboxedEnvironment:
    def inert(value: Any) -> Any:
        if isinstance(value, Markup) or value is None:
            return value if value is not None else ""
        text = value if isinstance(value, str) else str(value) if isinstance(value, int | float) else short_json(value)
        return Markup(markdown(text) if in_markdown else text)

    environment = ImmutableSandboxedEnvironment(
        autoescape=True,
        undefined=StrictUndefined,
        finalize=inert,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for name in UNSAFE_FILTERS:
        environment.filters.pop(name, None)
    environment.filters["json"] = _json
    return environment


def _json(value: Any) -> Markup:
    """A value as JSON in which every character that is markup somewhere is written as an escape."""
    text = json.dumps(value, default=str)
    for character in "<>&'()!*_`|~#@$":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)
