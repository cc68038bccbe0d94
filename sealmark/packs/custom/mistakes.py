"""Mistakes in the user's own probes that show once a server has listed its tools."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from sealmark.packs.custom.own import must_fail, plain, variants
from sealmark.reading.schema import problems, refuses
from sealmark.reading.visible import visible
from sealmark.record.model import Tool
from sealmark.settings import Settings
from sealmark.settings.types import did_you_mean


def probe_problems(settings: Settings, tools: Sequence[Tool], excluded: Collection[str]) -> Iterator[str]:
    """One line for each mistake, with its place: no such tool, a tool left out, arguments that its schema rejects."""
    by_name = {tool.name: tool for tool in tools}
    for at, probe in enumerate(settings["probes"]):
        name = probe["tool"]
        where = f"{settings.origin_of_item('probes', at).position}: probes[{at}]"
        if name not in by_name:
            yield f"{where}.tool: the server lists no tool {name!r}{did_you_mean(name, by_name)}"
            continue
        if name in excluded:
            yield f"{where}.tool: {name!r} is left out by tools.include or tools.exclude; remove one of the two"
        if must_fail(probe.get("expect") or {}):
            continue
        for variant in variants(probe):
            found = problems(by_name[name].input_schema, plain(variant.arguments))
            if refuses(found):
                shown = visible(found[0], newlines="escape", limit=200)
                label = f" ({variant.label})" if variant.label else ""
                yield f"{where}.args{label}: the tool's schema rejects them: {shown}"
                break
