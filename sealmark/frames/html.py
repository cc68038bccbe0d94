"""What a notebook shows for a run and for several: small tables in which everything from a server is inert."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from sealmark.frames.keys import newest, run_id
from sealmark.reading.visible import visible
from sealmark.record.model import Grade, RunRecord, Verdict
from sealmark.report.words import CLOSING, MARKS

SHOWN_RUNS = 20
"""Rows that the table of several runs shows."""


def text(value: str, limit: int = 300) -> str:
    """Text from anywhere as inert HTML: hidden characters as escapes, markup escaped, formulas of notebooks off."""
    return escape(visible(value, newlines="escape", limit=limit)).replace("$", "&#36;").replace("`", "&#96;")


_CELL = '<td style="text-align:left">{}</td>'


def table(head: Sequence[str], body: Iterable[Sequence[str]], caption: str) -> str:
    """A table of ready HTML cells."""
    names = "".join(f'<th scope="col" style="text-align:left">{name}</th>' for name in head)
    rows = "".join(
        "<tr>" + "".join(f'<td style="text-align:left">{cell}</td>' for cell in row) + "</tr>" for row in body
    )
    return (
        f'<table><caption style="text-align:left;font-weight:600">{caption}</caption>'
        f"<thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table>"
    )


def run(record: RunRecord) -> str:
    """One run: its letters, then what did not pass, worst first."""
    server, judgement = record.gathered.server, newest(record)
    label = ("STANDARD" if judgement.integrity.standard else "CUSTOM") if judgement else "not judged"
    caption = f"{text(server.name)} {text(server.version)} · {text(record.started_at)} · {record.status} · {label}" + (
        " · invented server" if server.invented else ""
    )
    if record.failure is not None:
        caption += f"<br>{text(record.failure.code)}: {text(record.failure.message)}"
    if judgement is None:
        return f"<p>{caption}</p>"
    grades = table(
        ("pack", "grade", "counted"),
        ((text(grade.pack), letter(grade), counted(grade)) for grade in judgement.grades),
        caption,
    )
    worst = sorted((v for v in judgement.verdicts if v.tag not in ("pass", "na")), key=lambda v: MARKS[v.tag].rank)
    passed = sum(verdict.tag == "pass" for verdict in judgement.verdicts)
    note = f"{passed} of {len(judgement.verdicts)} checks passed"
    findings = table(("verdict", "check", "what was seen"), map(_finding, worst), note) if worst else f"<p>{note}</p>"
    return f"{grades}{findings}<p><small>{text(CLOSING)}</small></p>"


def _finding(verdict: Verdict) -> tuple[str, str, str]:
    return (
        f"{MARKS[verdict.tag].shape}&nbsp;{MARKS[verdict.tag].word.lower()}",
        text(verdict.check),
        text(verdict.summary),
    )


def letter(grade: Grade) -> str:
    """A pack's letter with its star and cap, or why there is none."""
    if not grade.letter:
        return text(grade.status)
    capped = f" (raw {text(grade.raw_letter)}, capped by {text(', '.join(grade.capped_by))})" if grade.capped_by else ""
    return f"<b>{text(grade.letter)}{'*' if grade.provisional else ''}</b>{capped}"


def counted(grade: Grade) -> str:
    """Points out of the checks that counted, or the reason that there are none."""
    if not grade.letter:
        return text(grade.reason)
    hygiene = ", hygiene only" if grade.hygiene_only else ""
    return f"{grade.points:g} of {grade.scored} scored{hygiene}"


def runs(records: Iterable[RunRecord], total: int, problems: int) -> str:
    """Several runs: a row each with its letters, and how many files could not be read."""
    body = [(text(r.gathered.server.name), text(r.gathered.server.version), run_id(r), _letters(r)) for r in records]
    more = f", the first {len(body)} shown" if total > len(body) else ""
    unread = f" · {problems} files with a problem (see .problems)" if problems else ""
    return table(("server", "version", "run", "grades"), body, f"{total} runs{more}{unread}")


def _letters(record: RunRecord) -> str:
    judgement = newest(record)
    graded = [g for g in judgement.grades if g.letter] if judgement else []
    return " · ".join(f"{text(g.pack)} <b>{text(g.letter)}{'*' if g.provisional else ''}</b>" for g in graded)
