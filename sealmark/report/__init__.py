"""Reports: every format of a run, made from one prepared view. Callable from Python: `render("markdown", [run])`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import NamedTuple

from sealmark.errors import UsageError
from sealmark.record.model import RunRecord
from sealmark.report.options import Location, Options

__all__ = ["FORMATS", "Format", "Location", "Options", "render"]


class Format(NamedTuple):
    """One output format: the end of its file name, whether a machine reads it, what it is for."""

    suffix: str
    machine: bool
    help: str


FORMATS: Mapping[str, Format] = {
    "text": Format(".txt", False, "one page for a terminal, worst first"),
    "json": Format(".json", True, "the run record itself: everything, readable by every other command"),
    "markdown": Format(".md", False, "the same page for a pull request or a wiki"),
    "html": Format(".html", False, "one self-contained page, without scripts or network"),
    "junit": Format(".junit.xml", True, "test results for CI: a suite per pack, a case per check"),
    "sarif": Format(".sarif", True, "code-scanning results (2.1.0)"),
    "summary": Format(".summary.txt", False, "the short view for a CI log"),
    "badge": Format(".badge.svg", True, "an SVG badge for one server"),
    "shields": Format(".shields.json", True, "the same badge as an endpoint document"),
}

TEMPLATED = ("text", "markdown")
"""Formats that a template can replace."""


def render(format: str, runs: Sequence[RunRecord], options: Options | None = None) -> str:
    """The report of one or several runs in a format.

    Raises:
        UsageError: an unknown format, no run, a template that cannot be used, or several runs for a badge.
    """
    options = options or Options()
    if format not in FORMATS:
        raise UsageError(f"no format {format!r}", hint=f"One of {', '.join(FORMATS)}.")
    if not runs:
        raise UsageError("there is no run to report")
    if options.template and format in TEMPLATED:
        from sealmark.report import template

        return template.render(runs, options, in_markdown=format == "markdown")
    renderer: Callable[[Sequence[RunRecord], Options], str]
    renderer = import_module(f"sealmark.report.{format}").render
    return renderer(runs, options)
