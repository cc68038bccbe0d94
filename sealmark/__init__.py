"""Sealmark: is this MCP server safe to hand to an agent? Behavioural tests, with the evidence behind every line.

The public names load on first use, so that importing the package costs next to nothing:

    run, arun     grade one server, give a `Run`
    survey        grade many, give `Runs`
    load          read stored runs, give `Runs`
    regrade       judge a run again, offline
    diff          compare two runs
    Run, Runs     one record, several records, as data frames
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sealmark.api import arun, diff, load, regrade, run
    from sealmark.frames.run import Run
    from sealmark.frames.runs import Runs
    from sealmark.surveys import survey

__version__ = "0.1.0"

_WHERE = {
    "run": "sealmark.api",
    "arun": "sealmark.api",
    "load": "sealmark.api",
    "regrade": "sealmark.api",
    "diff": "sealmark.api",
    "survey": "sealmark.surveys",
    "Run": "sealmark.frames.run",
    "Runs": "sealmark.frames.runs",
}

__all__ = ["Run", "Runs", "__version__", "arun", "diff", "load", "regrade", "run", "survey"]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'sealmark' has no attribute {name!r}")
    value = getattr(import_module(_WHERE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_WHERE})
