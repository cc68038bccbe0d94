"""Resources whose URI names a file: the same spellings, by `resources/read`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sealmark.check import Target
from sealmark.record.model import Probe, Request

MOST = 2
"""Shapes of URIs that are tried."""

_VARIABLE = re.compile(r"\{[+/#]?(\w*(?:path|file|filename|name))\*?\}", re.IGNORECASE)


def resources(target: Target) -> Iterator[Probe]:
    """Yield for each shape of URI a control, then the cases that are meant for resources."""
    shapes = dict.fromkeys(shape for one in target.gathered.surface.resources for shape in _shapes(one.uri))
    for number, (before, after) in enumerate(list(shapes)[:MOST]):
        suffix = f"@{number + 1}" if number else ""
        inside = _reading(before, "{sandbox|file-url}/hello.txt", after)
        control = target.probe("control", "resource" + suffix, inside, why="inside the root", resource="fs")
        yield control
        for case in target.cases:
            if case.get("uri"):
                step = _reading(before, case["path"], after)
                yield target.probe("attack", case.id + suffix, step, why=case.why, requires=control.id, resource="fs")


def _shapes(uri: str) -> Iterator[tuple[str, str]]:
    """Yield what stands before and after the path in a URI or a URI template that names a file."""
    variable = _VARIABLE.search(uri)
    if uri.startswith("file://"):
        yield "file://", ""
    elif variable and "://" in uri[: variable.start()]:
        yield uri[: variable.start()], uri[variable.end() :]


def _reading(before: str, url: str, after: str) -> Request:
    """A request for the file URL `url` (a template), or for its path in a URI of another shape."""
    if before == "file://":
        return Request("resources/read", {"uri": url})
    path = url.replace("|file-url-localhost", "").replace("|file-url", "")
    return Request("resources/read", {"uri": before + path + after})
