"""The `sarif` format (2.1.0): one run per server, one rule per check, one result per finding.

Every rule is present on a clean run, so that alerts close. A result points at the server's block in the configuration,
which locates the server and not the cause. `executionSuccessful` is true only of a run that came to its end.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from sealmark.reading.shown import line
from sealmark.record.model import CatalogueEntry, RunRecord
from sealmark.report.options import Location, Options
from sealmark.report.parts import Card, View
from sealmark.report.view import build

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = ("note", "warning", "error")


def render(runs: Sequence[RunRecord], options: Options) -> str:
    """The log as JSON text."""
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(run, options) for run in runs]}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _run(run: RunRecord, options: Options) -> dict[str, Any]:
    view = build(run, options)
    catalogue = run.judgement.catalogue if run.judgement else ()
    rules = [_rule(entry) for entry in catalogue]
    index = {(line(entry.pack, 60), line(entry.check, 80)): number for number, entry in enumerate(catalogue)}
    location = options.location(run.gathered.server.name)
    return {
        "tool": {"driver": {"name": "sealmark", "version": view.header.tool_version, "rules": rules}},
        "automationDetails": {"id": f"sealmark/{_slug(view.header.server)}/"},
        "invocations": [_invocation(run, view)],
        "results": [
            _result(card, index[card.pack, card.check], rules, view, location)
            for card in view.findings
            if (card.pack, card.check) in index
        ],
        "properties": {
            "label": view.header.label,
            "header": view.header.line,
            "methodology": view.header.methodology,
            "hash": view.header.hash,
            "differences": [difference.key for difference in view.header.differences],
            "grades": {seal.pack: seal.mark or seal.status for seal in view.seals},
            "coverage": view.coverage,
        },
    }


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text)[:60] or "server"


def _invocation(run: RunRecord, view: View) -> dict[str, Any]:
    notes = []
    if view.trouble is not None:
        message = f"{view.trouble.code}: {view.trouble.message}"
        notes.append({"level": "error", "message": {"text": _plain(f"{message} {view.trouble.hint}".strip())}})
    notes += [{"level": "warning", "message": {"text": _plain(text)}} for text in view.warnings]
    made: dict[str, Any] = {"executionSuccessful": run.status == "complete"}
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z", run.started_at):
        made["startTimeUtc"] = run.started_at
    return made | ({"toolExecutionNotifications": notes} if notes else {})


def _rule(entry: CatalogueEntry) -> dict[str, Any]:
    hints = " ".join(dict.fromkeys(line(rule.hint, 400) for rule in entry.rules if rule.hint))
    tags = ["mcp", line(entry.pack, 60), *(f"external/cwe/{line(name, 40).lower()}" for name in entry.cwe)]
    return {
        "id": line(entry.check, 80),
        "name": "".join(word.capitalize() for word in re.split(r"\W+", entry.check)) or "Check",
        "shortDescription": {"text": _plain(line(entry.title, 200))},
        "fullDescription": {"text": _plain(line(entry.question or entry.title, 400))},
        "help": {"text": _plain(" ".join(part for part in (line(entry.why, 1000), hints) if part) or entry.title)},
        "defaultConfiguration": {"level": _level("fail", entry.severity)},
        "properties": {
            "tags": [*tags, *([line(entry.owasp, 80)] if entry.owasp else [])],
            "pack": line(entry.pack, 60),
            "severity": entry.severity,
            "lifecycle": entry.lifecycle,
            "revision": entry.revision,
        },
    }


def _level(tag: str, severity: str) -> str:
    """Error for a fail, warning for a part, one step lower when the check is advisory."""
    return LEVELS[(2 if tag == "fail" else 1) - (severity == "advisory")]


def _result(card: Card, index: int, rules: Sequence[dict[str, Any]], view: View, location: Location) -> dict[str, Any]:
    tools = sorted({row.tool for row in card.rows if row.decided and row.tool})
    place: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(location.file.replace("\\", "/")), "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": max(1, location.line)},
        }
    }
    if tools:
        place["logicalLocations"] = [{"name": tool, "kind": "function"} for tool in tools]
    return {
        "ruleId": rules[index]["id"],
        "ruleIndex": index,
        "level": _level(card.tag, card.severity),
        "kind": "fail",
        "message": {"text": _plain("\n".join(_message(card)))},
        "locations": [place],
        "partialFingerprints": {"sealmark/v1": _fingerprint(view.header.server, card, tools)},
        "properties": {
            "code": card.code,
            "rule": card.rule,
            "verdict": card.tag,
            "severity": card.severity,
            "pack": card.pack,
            "probes": card.probes,
            **({"accepted": card.accepted} if card.accepted else {}),
        },
    }


def _fingerprint(server: str, card: Card, tools: Sequence[str]) -> str:
    """The same for the same finding in the next run: server, check and tools, never texts or counts."""
    return hashlib.sha256("\0".join([server, card.pack, card.check, *tools]).encode()).hexdigest()


def _message(card: Card) -> Iterator[str]:
    yield card.summary
    if card.accepted:
        yield f"Accepted: {card.accepted}"
    for label, text in (("Sent", card.sent), ("Came back", card.got), ("Changed", card.changed), ("Do", card.hint)):
        if text:
            yield f"{label}: {text}"


def _plain(text: str) -> str:
    """Text in which no viewer finds an embedded link or a placeholder (SARIF 2.1.0, 3.11.5 and 3.11.6)."""
    text = re.sub(r"([\[\]\\])", r"\\\1", text)
    return re.sub(r"\{(\d+)\}", r"{{\1}}", text) or "-"
