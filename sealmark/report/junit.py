"""The `junit` format: a test suite per pack, a test case per check, for CI systems that show test results.

A scored fail is a failure; n/a and inconclusive are skipped; part and advisory results are plain cases with the verdict
in system-out, since JUnit has no warning. The schema has no place for a file and line on a test case, so they stand in
the suite's properties and at the end of each failure.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from sealmark.record.model import RunRecord
from sealmark.report.options import Location, Options
from sealmark.report.parts import Card, View
from sealmark.report.view import build
from sealmark.report.words import MARKS

DECLARATION = '<?xml version="1.0" encoding="utf-8"?>'


def render(runs: Sequence[RunRecord], options: Options) -> str:
    """All servers in one document; suites are named `server / pack`."""
    document = JUnitXml("sealmark")
    for run in runs:
        view = build(run, options)
        for suite in _suites(view, options.location(run.gathered.server.name)):
            document.add_testsuite(suite)
    suites = list(document)
    document.tests = sum(suite.tests for suite in suites)
    document.failures = sum(suite.failures for suite in suites)
    document.errors = sum(suite.errors for suite in suites)
    document.time = round(sum(suite.time for suite in suites), 3)
    root = ElementTree.fromstring(document.tostring())  # type: ignore[no-untyped-call]
    ElementTree.indent(root, " ")
    return f"{DECLARATION}\n{ElementTree.tostring(root, 'unicode')}\n"


def _suites(view: View, location: Location) -> list[TestSuite]:
    packs = list(dict.fromkeys(card.pack for card in view.cards))
    cases = {pack: [_case(view, card, location) for card in view.cards if card.pack == pack] for pack in packs}
    suites = [_suite(view, pack, cases[pack], location) for pack in packs]
    if view.trouble is not None:
        suites.insert(0, _suite(view, "start", [_start(view, location)], location))
    return suites


def _suite(view: View, pack: str, cases: Sequence[TestCase], location: Location) -> TestSuite:
    suite = TestSuite(f"{view.header.server} / {pack}")
    for case in cases:
        suite.add_testcase(case)
    suite.update_statistics()  # type: ignore[no-untyped-call]
    suite.time = round(sum(case.time or 0 for case in cases), 3)
    suite.timestamp = view.header.started_at
    grade = next((seal for seal in view.seals if seal.pack == pack), None)
    for name, value in (
        ("sealmark", view.header.line),
        ("grade", (grade.mark or grade.status) if grade else ""),
        ("hash", view.header.hash),
        ("file", location.file),
        ("line", str(location.line)),
    ):
        suite.add_property(name, value)
    return suite


def _case(view: View, card: Card, location: Location) -> TestCase:
    seconds = sum(row.elapsed_ms for row in card.rows) / 1000
    case = TestCase(f"{card.check}: {card.title}", f"sealmark.{card.pack}.{card.check}", round(seconds, 3))
    word = MARKS[card.tag].word
    if card.tag == "fail" and card.counts:
        failure = Failure(card.summary, card.code)
        failure.text = _text(card, location)
        case.result = [failure]
    elif card.tag in ("na", "inconclusive"):
        case.result = [Skipped(f"{word}: {card.summary}", card.code or "na")]
    elif card.tag != "pass":
        case.system_out = f"{word} ({card.worth})\n{_text(card, location)}"
    return case


def _text(card: Card, location: Location) -> str:
    lines = [
        card.summary,
        f"rule {card.rule}: {card.says}",
        f"do: {card.hint}" if card.hint else "",
        f"accepted: {card.accepted}" if card.accepted else "",
        f"sent: {card.sent}" if card.sent else "",
        f"came back: {card.got}" if card.got else "",
        f"changed: {card.changed}" if card.changed else "",
        *(f"evidence: {evidence.text}" for evidence in card.evidence),
        f"at {location.file}:{location.line}",
    ]
    return "\n".join(found for found in lines if found)


def _start(view: View, location: Location) -> TestCase:
    assert view.trouble is not None
    case = TestCase("start", "sealmark.start", 0)
    error = Error(view.trouble.message, view.trouble.code)
    error.text = "\n".join([view.trouble.hint, *view.trouble.stderr, f"at {location.file}:{location.line}"]).strip()
    case.result = [error]
    return case
