"""Several runs as data frames."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, overload

from sealmark.frames import html
from sealmark.frames.columns import Grain, frame
from sealmark.frames.drift import drift_rows
from sealmark.frames.keys import ALL, Key, Only, key_of
from sealmark.frames.run import Run
from sealmark.frames.tables import DRIFT, GRAINS, PROBLEMS
from sealmark.record.model import RunRecord

if TYPE_CHECKING:
    import pandas as pd

Names = str | Collection[str] | None
"""One name, several, or None for all."""


class Problem(NamedTuple):
    """A file that could not be read, or that holds a run which another file holds too."""

    file: str
    code: str
    problem: str
    hint: str = ""


class Source(Protocol):
    """Where runs come from. Their order is fixed; positions count from 0."""

    @property
    def keys(self) -> Sequence[Key]:
        """The key of every run."""
        ...

    @property
    def problems(self) -> Sequence[Problem]:
        """What could not be read so far."""
        ...

    def run(self, position: int) -> Run:
        """One run, read whole."""
        ...

    def parts(self, positions: Sequence[int], reads: Collection[str]) -> Iterator[RunRecord]:
        """Parts of runs, with at least the fields that `reads` names; what cannot be read is left out."""
        ...

    def frame(
        self, grain: Grain, positions: Sequence[int], only: Only, columns: Collection[str] | None = None
    ) -> pd.DataFrame:
        """The rows of these runs, in their order; all columns, or those named."""
        ...


class Held:
    """Runs that are in memory already."""

    problems: Sequence[Problem] = ()

    def __init__(self, runs: Collection[Run]) -> None:
        self._runs = tuple(runs)
        self.keys = tuple(key_of(run.record) for run in self._runs)

    def run(self, position: int) -> Run:
        """One run."""
        return self._runs[position]

    def parts(self, positions: Sequence[int], reads: Collection[str]) -> Iterator[RunRecord]:
        """The records, whole."""
        return (self._runs[position].record for position in positions)

    def frame(
        self, grain: Grain, positions: Sequence[int], only: Only, columns: Collection[str] | None = None
    ) -> pd.DataFrame:
        """The rows of these runs, in their order; all columns, or those named."""
        chosen = (self._runs[position] for position in positions)
        return frame(grain, [row for run in chosen for row in run.rows(grain, only)], columns)


class Runs(Sequence[Run]):
    """Several runs: a sequence of `Run`, with the frames of all of them together.

    Args:
        source: runs in memory, or a reader of stored ones.
        only: what the frames are limited to.
        positions: which runs of the source; all when None.
    """

    def __init__(
        self, source: Source | Collection[Run], only: Only = ALL, positions: Sequence[int] | None = None
    ) -> None:
        self._source: Source = Held(source) if isinstance(source, Collection) else source
        self._only = only
        within = range(len(self._source.keys)) if positions is None else positions
        self._positions = [at for at in within if only.server(self._source.keys[at].server)]

    def only(self, *, servers: Names = None, packs: Names = None, checks: Names = None) -> Runs:
        """The same runs, limited to some servers, packs or checks; what is left out is not read."""
        return Runs(self._source, self._only.within(Only.of(servers, packs, checks)), self._positions)

    def __len__(self) -> int:
        return len(self._positions)

    @overload
    def __getitem__(self, index: int) -> Run: ...
    @overload
    def __getitem__(self, index: slice) -> Runs: ...
    def __getitem__(self, index: int | slice) -> Run | Runs:
        if isinstance(index, int):
            return self._source.run(self._positions[index])
        return Runs(self._source, self._only, self._positions[index])

    def frame(self, name: str, columns: Collection[str] | None = None) -> pd.DataFrame:
        """One frame by name (runs, packs, checks, probes, observations, evidence, tools), all columns or those named.

        Raises:
            KeyError: no frame, or no column, of that name.
        """
        return self._source.frame(GRAINS[name], self._positions, self._only, columns)

    @property
    def runs(self) -> pd.DataFrame:
        """A row per run."""
        return self.frame("runs")

    @property
    def packs(self) -> pd.DataFrame:
        """A row per run and pack: the letter, or why there is none."""
        return self.frame("packs")

    @property
    def checks(self) -> pd.DataFrame:
        """A row per run and check: the verdict and the rule that decided."""
        return self.frame("checks")

    @property
    def probes(self) -> pd.DataFrame:
        """A row per run and probe: what was sent and what came back."""
        return self.frame("probes")

    @property
    def observations(self) -> pd.DataFrame:
        """A row per run and step of every probe."""
        return self.frame("observations")

    @property
    def evidence(self) -> pd.DataFrame:
        """A row per run and line of evidence."""
        return self.frame("evidence")

    @property
    def tools(self) -> pd.DataFrame:
        """A row per run and tool that the server lists."""
        return self.frame("tools")

    @property
    def drift(self) -> pd.DataFrame:
        """A row per change of what a server offers, between consecutive versions of it."""

        def read(position: int) -> RunRecord | None:
            return next(iter(self._source.parts([position], DRIFT.reads)), None)

        return frame(DRIFT, drift_rows({at: self._source.keys[at] for at in self._positions}, read))

    @property
    def problems(self) -> pd.DataFrame:
        """A row per file that could not be read so far, or that repeats a run."""
        return frame(PROBLEMS, self._source.problems)

    def __repr__(self) -> str:
        servers = len({self._source.keys[position].server for position in self._positions})
        return f"<Runs: {len(self)} runs of {servers} servers, {len(self._source.problems)} problems>"

    def _repr_html_(self) -> str:
        shown = self._positions[: html.SHOWN_RUNS]
        return html.runs(self._source.parts(shown, GRAINS["packs"].reads), len(self), len(self._source.problems))
