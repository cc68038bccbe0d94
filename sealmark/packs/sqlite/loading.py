"""What a reply tells about loading an extension: that the loader was reached, or that there is no way to it."""

from __future__ import annotations

import re

from sealmark.check import Outcome, Seen
from sealmark.packs.sqlite.ground import said
from sealmark.record.model import Call

_LOADER = re.compile(
    r"invalid ELF header|file too short|undefined symbol|no entry point \[|shared object file|shared library"
    r"|not a mach-o file|not valid mach-o|no suitable image|error during initialization|not a valid Win32"
    r"|wrong ELF class|Exec format error|cannot load library|dlopen",
    re.IGNORECASE,
)
"""What loaders of the usual systems say of a file that is no library, and SQLite of a library that is no extension."""

_SPOKEN = re.compile(r"load_?extensions?\b|\bextensions?\b|\bload(?:ing|able)?\b[^.\n]{0,20}\b(?:librar|module)", re.I)
_OFF = re.compile(r"\bnot authorized\b", re.IGNORECASE)
_NO = re.compile(
    r"\b(?:no|not|never|cannot|can't|without|un\w+|dis\w+|for\w+den|den\w+|block\w+|prohibit\w+|reject\w+|refus\w+)\b",
    re.IGNORECASE,
)


def reached(outcome: Outcome, seen: Seen) -> str:
    """The loader's words in the reply, or nothing."""
    found = _LOADER.search(_own_words(outcome, seen))
    return found[0] if found else ""


def denied(outcome: Outcome, seen: Seen) -> bool:
    """Whether the reply denies loading: in words that speak of it, or in SQLite's where the harmless twin worked."""
    if not outcome.answered:
        return False
    words = _own_words(outcome, seen)
    if _SPOKEN.search(words) and _NO.search(words):
        return True
    twin = next((o for o in seen.twins.of_tool(outcome.probe.tool) if o.probe.case == outcome.probe.case), None)
    return bool(_OFF.search(words)) and twin is not None and twin.answered and not _OFF.search(said(twin, seen))


def _own_words(outcome: Outcome, seen: Seen) -> str:
    """What the reply says by itself, less the statement that it may repeat."""
    words = said(outcome, seen)
    for step in outcome.probe.steps:
        for value in step.arguments.values() if isinstance(step, Call) and isinstance(step.arguments, dict) else ():
            if isinstance(value, str):
                words = re.sub(re.escape(value), " ", words, flags=re.IGNORECASE)
    return words
