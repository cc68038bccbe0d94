"""The `badge` format: a flat SVG for a README, self-reported, made from one run.

Nothing that a server wrote reaches it: pack ids and letters only, and only in a form that is checked here, since a
stored file may have been edited.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from sealmark.errors import UsageError
from sealmark.judging.grade import badge_for
from sealmark.record.model import RunRecord
from sealmark.report.options import Options
from sealmark.report.safe import xml

COLOURS = {"A": "brightgreen", "B": "green", "C": "yellow", "D": "orange", "F": "red", "": "lightgrey"}
PAINT = {
    "brightgreen": ("#2f7d16", "#fff"),
    "green": ("#5d7f12", "#fff"),
    "yellow": ("#dfb317", "#111"),
    "orange": ("#fe7d37", "#111"),
    "red": ("#c43a26", "#fff"),
    "lightgrey": ("#c9c9c9", "#111"),
}
"""Colour name -> background and text; every pair has a contrast of at least 4.5:1."""

_GRADE = r"[a-z][a-z0-9-]{0,30} [A-DF]"
_MESSAGE = re.compile(rf"no badge: [a-z ]{{1,40}}|{_GRADE}( · {_GRADE})* · self-reported")
_METHODOLOGY = re.compile(r"[0-9A-Za-z][0-9A-Za-z.-]{0,23}")


class Badge(NamedTuple):
    """What a badge says, and the colour of the worst letter (lightgrey when there is no letter)."""

    label: str
    message: str
    colour: str


def badge(runs: Sequence[RunRecord]) -> Badge:
    """The badge of one run; a run that is not eligible says so and shows no letter.

    Raises:
        UsageError: several servers.
    """
    if len(runs) != 1:
        raise UsageError("a badge is for one server", hint="Run with --server NAME.")
    run = runs[0]
    judgement = run.judgement
    if judgement is None or run.failure is not None:
        return Badge("sealmark", f"no badge: {'server failed' if run.failure else 'nothing graded'}", COLOURS[""])
    known = judgement.methodology if _METHODOLOGY.fullmatch(judgement.methodology) else "unknown"
    found = badge_for(judgement.grades, judgement.integrity, complete=run.status == "complete")
    message = found.message if _MESSAGE.fullmatch(found.message) else "no badge: not eligible"
    letters = [grade.letter for grade in judgement.grades if grade.status == "graded" and not grade.candidate]
    shown = found.eligible and not message.startswith("no badge")
    return Badge(f"sealmark {known}", message, COLOURS[max(letters) if shown else ""])


def render(runs: Sequence[RunRecord], options: Options) -> str:
    """The badge as SVG."""
    label, message, colour = badge(runs)
    fill, ink = PAINT[colour]
    left, right = _width(label) + 12, _width(message) + 12
    title = xml(f"{label}: {message}")
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" aria-label="{title}">
<title>{title}</title>
<clipPath id="r"><rect width="{left + right}" height="20" rx="3"/></clipPath>
<g clip-path="url(#r)">
<rect width="{left}" height="20" fill="#444"/>
<rect x="{left}" width="{right}" height="20" fill="{fill}"/>
</g>
<g font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">
<text x="{left / 2:g}" y="14" fill="#fff" textLength="{left - 12}">{xml(label)}</text>
<text x="{left + right / 2:g}" y="14" fill="{ink}" textLength="{right - 12}">{xml(message)}</text>
</g>
</svg>
"""


_NARROW, _WIDE = frozenset("fijlrt.,:;|!' ·"), frozenset("mwABCDFGMNOQW")


def _width(text: str) -> int:
    """Pixels of a text in Verdana at 11 px, near enough; `textLength` makes it exact."""
    return round(sum(4.2 if c in _NARROW else 8.4 if c in _WIDE else 6.8 for c in text))
