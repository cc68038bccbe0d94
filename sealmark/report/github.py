"""GitHub Actions: the job summary and the annotations of a workflow run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from sealmark.record.model import RunRecord
from sealmark.report import markdown
from sealmark.report.options import Location, Options
from sealmark.report.parts import Card, View
from sealmark.report.view import build

MAX_SUMMARY = 1_000_000
"""Bytes of a job summary; GitHub refuses one of more than 1 MiB."""

KINDS = {"fail": "error", "part": "warning"}


def job_summary(runs: Sequence[RunRecord], options: Options) -> str:
    """The Markdown of the job summary: the whole report, or less of it when that would be too large."""
    for verbosity in ("normal", "quiet"):
        text = markdown.render(runs, msgspec.structs.replace(options, verbosity=verbosity, template=""))
        if len(text.encode()) <= MAX_SUMMARY:
            return text
    views = [build(run, options) for run in runs]
    blocks = ["\n".join([*markdown.top(view), *markdown.grades(view.seals)]) for view in views]
    return "\n\n".join(blocks) + "\n\nThe report was too large for a job summary; see the artifacts.\n"


def annotate(runs: Sequence[RunRecord], options: Options) -> tuple[str, ...]:
    """Workflow commands, one line each, worst first: failed starts, then findings that count, then the others."""
    return tuple(text for run in runs for text in _annotations(run, options))


def _annotations(run: RunRecord, options: Options) -> Iterator[str]:
    view = build(run, options)
    where = options.location(run.gathered.server.name)
    if view.trouble is not None:
        yield _command("error", view.trouble.code, f"{view.trouble.message} {view.trouble.hint}", where, view)
    for card in view.findings:
        kind = KINDS[card.tag] if card.counts and not card.accepted else "notice"
        yield _command(kind, f"{card.check} ({card.worth})", _message(card), where, view)
    for card in view.inconclusive:
        if card.counts:
            yield _command("notice", f"{card.check} (inconclusive)", f"{card.summary} {card.hint}", where, view)


def _message(card: Card) -> str:
    accepted = f" Accepted: {card.accepted}." if card.accepted else ""
    return f"{card.summary} Do: {card.hint} [{card.code}]{accepted}"


def _command(kind: str, title: str, message: str, where: Location, view: View) -> str:
    """One workflow command; nothing in it can end its properties, its line, or start another command."""
    named = f"{view.header.server}: {title}"
    properties = f"file={_property(where.file)},line={max(1, where.line)},title={_property(named)}"
    return f"::{kind} {properties}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
