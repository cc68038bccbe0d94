"""What a comparison of two runs found, as plain data. Every line is already fit to be shown."""

from __future__ import annotations

from typing import Literal

import msgspec

Level = Literal["breaking", "suspicious", "notable", "info"]
LEVELS: tuple[Level, ...] = ("breaking", "suspicious", "notable", "info")
"""Levels of surface drift, worst first. `suspicious` is a notable change that may steer a model."""

WORDS: dict[Level, str] = {
    "breaking": "breaking",
    "suspicious": "notable-suspicious",
    "notable": "notable",
    "info": "info",
}


class Item(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Base of everything that a comparison lists."""


class Change(Item, frozen=True):
    """A verdict or a letter that moved, or a note about what could not be compared."""

    kind: Literal["regression", "improvement", "note"]
    line: str
    pack: str = ""
    check: str = ""


class Drift(Item, frozen=True):
    """One change of what the server offers to a model. The line never holds a description."""

    level: Level
    kind: str
    line: str
    tool: str = ""


class Behaviour(Item, frozen=True):
    """Probes that were answered in another way: another kind of reply, another effect, another payload shape."""

    kind: Literal["reply", "effect", "payload"]
    line: str
    check: str
    tool: str = ""
    probes: tuple[str, ...] = ()


class Diff(Item, frozen=True):
    """One server, before and after."""

    server: str
    changes: tuple[Change, ...] = ()
    drift: tuple[Drift, ...] = ()
    behaviour: tuple[Behaviour, ...] = ()

    @property
    def regressions(self) -> tuple[Change, ...]:
        """Verdicts and letters that dropped."""
        return tuple(change for change in self.changes if change.kind == "regression")

    @property
    def improvements(self) -> tuple[Change, ...]:
        """Verdicts and letters that rose."""
        return tuple(change for change in self.changes if change.kind == "improvement")

    @property
    def notes(self) -> tuple[Change, ...]:
        """What could not be ranked."""
        return tuple(change for change in self.changes if change.kind == "note")

    @property
    def drifted(self) -> tuple[Drift, ...]:
        """Surface drift that counts: everything but `info`."""
        return tuple(drift for drift in self.drift if drift.level != "info")
