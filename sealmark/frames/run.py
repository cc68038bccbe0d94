"""One run as data frames."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sealmark.frames import html
from sealmark.frames.columns import Grain, frame
from sealmark.frames.keys import ALL, Only, newest, run_id
from sealmark.frames.tables import GRAINS
from sealmark.reading.visible import visible
from sealmark.record import codec
from sealmark.record.model import Judgement, RunRecord

if TYPE_CHECKING:
    import pandas as pd


class Run:
    """One run of one server: its record, and the record as tidy frames.

    Args:
        record: what was gathered and judged.
        file: the path that it was read from, if it was.
    """

    def __init__(self, record: RunRecord, file: str = "") -> None:
        self.record = record
        self.file = file

    @property
    def id(self) -> str:
        """The run's short name, the key of every frame."""
        return run_id(self.record)

    @property
    def server(self) -> str:
        """The server's name, as recorded."""
        return self.record.gathered.server.name

    @property
    def version(self) -> str:
        """The server's version, as recorded."""
        return self.record.gathered.server.version

    @property
    def judgement(self) -> Judgement | None:
        """The newest judgement."""
        return newest(self.record)

    @property
    def grades(self) -> dict[str, str]:
        """The letter of every pack that has one, with a star when it is provisional."""
        grades = self.judgement.grades if self.judgement else ()
        return {grade.pack: grade.letter + "*" * grade.provisional for grade in grades if grade.letter}

    def frame(self, name: str, only: Only = ALL) -> pd.DataFrame:
        """One frame by name (runs, packs, checks, probes, observations, evidence, tools).

        Raises:
            KeyError: no frame of that name.
        """
        return frame(GRAINS[name], self.rows(GRAINS[name], only))

    def rows(self, grain: Grain, only: Only = ALL) -> Iterable[Any]:
        """The rows of one grain, before they become columns."""
        rows = grain.rows(self.record, only)
        return (row._replace(file=self.file) for row in rows) if grain.name == "runs" else rows

    @property
    def packs(self) -> pd.DataFrame:
        """A row per pack: the letter, or why there is none."""
        return self.frame("packs")

    @property
    def checks(self) -> pd.DataFrame:
        """A row per check: the verdict and the rule that decided."""
        return self.frame("checks")

    @property
    def probes(self) -> pd.DataFrame:
        """A row per probe: what was sent and what came back."""
        return self.frame("probes")

    @property
    def observations(self) -> pd.DataFrame:
        """A row per step of every probe."""
        return self.frame("observations")

    @property
    def evidence(self) -> pd.DataFrame:
        """A row per line of evidence."""
        return self.frame("evidence")

    @property
    def tools(self) -> pd.DataFrame:
        """A row per tool that the server lists."""
        return self.frame("tools")

    def to_json(self) -> str:
        """The record as JSON, as `load` reads it."""
        return codec.dump(self.record).decode()

    def save(self, path: str | Path) -> Path:
        """Write the record to a file and return its path."""
        path = Path(path)
        path.write_bytes(codec.dump(self.record))
        return path

    def __repr__(self) -> str:
        letters = ", ".join(f"{pack} {letter}" for pack, letter in self.grades.items()) or "nothing graded"
        name = visible(f"{self.server} {self.version}".strip(), newlines="escape", limit=80)
        return f"<Run {self.id} of {name}: {letters} ({self.record.status})>"

    def _repr_html_(self) -> str:
        return html.run(self.record)
