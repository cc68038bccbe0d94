"""The `html` format: one self-contained file without scripts, made from the parts that the site is made of.

`templates/` and `style.css` are the only place where a seal, a finding, a probe row or a drift line becomes HTML.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from importlib import resources

from jinja2 import BaseLoader, ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sealmark.record.model import RunRecord
from sealmark.report.html.shown import Bounds, Page, page
from sealmark.report.options import Options
from sealmark.report.parts import Seal
from sealmark.report.words import MARKS, NOT_GRADED

__all__ = ["Bounds", "Page", "environment", "page", "render", "style"]


def render(runs: Sequence[RunRecord], options: Options) -> str:
    """One or several runs as one HTML document that needs nothing else and asks the network for nothing."""
    prefixes = [""] if len(runs) == 1 else [f"r{number}-" for number in range(1, len(runs) + 1)]
    pages = [page(run, options, prefix=prefix) for run, prefix in zip(runs, prefixes, strict=True)]
    template = _environment().get_template("report.html")
    return template.render(pages=pages, links={}, style=Markup(style()), style_hash=csp_hash(style())) + "\n"


def environment(*loaders: BaseLoader) -> Environment:
    """A jinja2 environment with the parts and their filters; everything that a template prints is escaped.

    Args:
        loaders: where a caller's own templates are; they come after the parts.
    """
    made = Environment(
        loader=ChoiceLoader([PackageLoader("sealmark.report.html"), *loaders]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "shape": lambda tag: MARKS[tag].shape,
        "word": lambda tag: MARKS[tag].word.lower(),
        "day": day,
        "milliseconds": milliseconds,
        "in_words": in_words,
    }
    return made


@cache
def _environment() -> Environment:
    return environment()


@cache
def style() -> str:
    """The style sheet of the parts."""
    return (resources.files(__name__) / "style.css").read_text("utf-8")


def csp_hash(text: str) -> str:
    """The Content-Security-Policy source that allows exactly this inline text."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def day(text: str) -> str:
    """`2 January 2030` of an ISO date; anything else as it is."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return text
    return f"{found.day} {found:%B} {found.year}"


def milliseconds(value: float) -> str:
    """A time with its unit: `4.2 ms`, `321 ms`, `12.3 s`."""
    return f"{value / 1000:.1f} s" if value >= 10_000 else f"{value:.0f} ms" if value >= 10 else f"{value:.1f} ms"


def in_words(seal: Seal) -> str:
    """A seal as a screen reader says it."""
    letter = f"{seal.letter}{', provisional' if seal.provisional else ''}" if seal.letter else NOT_GRADED
    return f"{seal.pack}: {letter}{', custom' if seal.custom and seal.letter else ''}"
