"""Stored runs as a source of frames: JSON files, read in part, with the columnar cache where it is fresh."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sealmark.errors import RecordError
from sealmark.frames import arrow, cache
from sealmark.frames.columns import Builder, Column, Grain
from sealmark.frames.keys import Key, Only, key_of
from sealmark.frames.run import Run
from sealmark.frames.runs import Problem, Runs
from sealmark.frames.tables import KEY_READS
from sealmark.record import codec
from sealmark.record.model import RunRecord
from sealmark.record.partial import Reader

if TYPE_CHECKING:
    import pandas as pd

BATCH = 200
"""Runs whose rows are held as Python objects at one time."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One run file, its run's key, and where the cache has it (None: it has not).

    A run of a report that holds several is kept whole in `record`.
    """

    path: Path
    key: Key
    place: cache.Place | None
    record: RunRecord | None = None


def load(*paths: str | Path) -> Runs:
    """Stored runs, from files and folders (searched with their subfolders; hidden ones are left out).

    Files come in the order given, those of a folder by the time of their run.

    Raises:
        RecordError: a path that does not exist, or files of which none could be read.
    """
    source = Stored()
    for path in map(Path, paths):
        source.add(path)
    if source.problems and not source.keys:
        first = source.problems[0]
        others = f" (and {len(source.problems) - 1} more)" if len(source.problems) > 1 else ""
        raise RecordError(f"{first.file}: {first.problem}{others}", hint=first.hint)
    return Runs(source)


class Stored:
    """Runs in files. Each file is looked at once; of its content only what is asked for is decoded."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.keys: list[Key] = []
        self._problems: dict[str, Problem] = {}
        self._holders: dict[str, Path] = {}
        self._readers: dict[frozenset[str], Reader] = {}

    @property
    def problems(self) -> Sequence[Problem]:
        """What could not be read so far."""
        return tuple(self._problems.values())

    def add(self, path: Path) -> None:
        """Add a file, or all files of a folder.

        Raises:
            RecordError: the path does not exist.
        """
        if not path.exists():
            hint = "Runs are stored by `sealmark survey --store DIR`."
            raise RecordError(f"{path}: no such file or folder", hint=hint)
        files = _files(path) if path.is_dir() else [path]
        cached: Mapping[Path, Mapping[cache.Identity, cache.Place]] = {}
        if arrow.available():
            folders = {file.parent for file in files}
            cached = {folder: cache.places(cache.parts(folder)) for folder in folders}
        entries = [entry for file in files for entry in self._entries(file, cached.get(file.parent, {}))]
        if path.is_dir():
            entries.sort(key=lambda entry: (entry.key.started, str(entry.path)))
        for entry in entries:
            self._take(entry)

    def _entries(self, path: Path, cached: Mapping[cache.Identity, cache.Place]) -> Iterator[Entry]:
        """The entry of a run file, or those of a report of several runs."""
        try:
            stat = path.stat()
            place = cached.get((path.name, stat.st_size, stat.st_mtime_ns))
            if place is not None:
                yield Entry(path, place.key, place)
                return
            data = path.read_bytes()
            try:
                yield Entry(path, key_of(self._reader(KEY_READS).read(data, path.name)), None)
            except RecordError:
                several = codec.load_many(data, path.name)
                yield from (Entry(path, key_of(record), None, record) for record in several)
        except (OSError, RecordError) as error:
            self._problem(path, error)

    def _take(self, entry: Entry) -> None:
        holder = self._holders.setdefault(entry.key.id, entry.path)
        if holder is entry.path:
            self.entries.append(entry)
            self.keys.append(entry.key)
        elif entry.record is not None or holder.resolve() != entry.path.resolve():
            text = f"holds the same run as {holder.name} ({entry.key.id})"
            self._note(entry.path, "RUN_REPEATED", text, "Delete one of the two files.")

    def _problem(self, path: Path, error: OSError | RecordError) -> None:
        if isinstance(error, RecordError):
            self._note(path, error.code, error.message.removeprefix(f"{path.name}: "), error.hint)
        else:
            why = error.strerror or type(error).__name__
            self._note(path, RecordError.code, why, "Look at the file's owner and permissions.")

    def _note(self, path: Path, code: str, problem: str, hint: str) -> None:
        self._problems[str(path)] = Problem(str(path), code, problem, hint)

    def _reader(self, reads: Collection[str]) -> Reader:
        wanted = frozenset(reads)
        if wanted not in self._readers:
            self._readers[wanted] = Reader(wanted)
        return self._readers[wanted]

    def run(self, position: int) -> Run:
        """One run, read whole.

        Raises:
            RecordError: the file cannot be read (any more).
        """
        path, record = self.entries[position].path, self.entries[position].record
        if record is not None:
            return Run(record, str(path))
        try:
            return Run(codec.load(path.read_bytes(), str(path)), str(path))
        except OSError as error:
            raise RecordError(f"{path}: {error.strerror}") from None

    def parts(self, positions: Sequence[int], reads: Collection[str]) -> Iterator[RunRecord]:
        """Parts of runs; what cannot be read becomes a problem and is left out."""
        reader = self._reader(reads)
        for position in positions:
            path, record = self.entries[position].path, self.entries[position].record
            try:
                yield record or reader.read(path.read_bytes(), path.name)
            except (OSError, RecordError) as error:
                self._problem(path, error)

    def frame(
        self, grain: Grain, positions: Sequence[int], only: Only, columns: Collection[str] | None = None
    ) -> pd.DataFrame:
        """The rows of these runs, in their order."""
        shown = grain.only(columns)
        if not arrow.available():
            builder = Builder(shown)
            for position in positions:
                builder.add(self._rows(grain, position, only))
            return builder.frame()
        also = {name for name, names in (("pack", only.packs), ("check", only.checks)) if names is not None}
        also |= {"run_id"} if grain.name == "runs" else set()
        needed = grain.only({c.name for c in shown} | (also & {c.name for c in grain.columns}))
        blocks, wanted = self._blocks(grain, positions, only, needed)
        found = arrow.to_frame(needed, arrow.limited(arrow.arrange(blocks, wanted), only))
        if "file" in found:
            paths = {self.keys[position].id: str(self.entries[position].path) for position in positions}
            found["file"] = found["run_id"].map(paths).astype("string")
        return found if needed == shown else found[[column.name for column in shown]]

    def _blocks(
        self, grain: Grain, positions: Sequence[int], only: Only, columns: Sequence[Column]
    ) -> tuple[list[arrow.Block], list[tuple[int, int]]]:
        """Blocks that hold the rows of these runs: cached parts, and batches read from JSON; and where each run is."""
        places = [self.entries[position].place for position in positions]
        blocks: list[arrow.Block] = []
        number: dict[cache.Part, int] = {}
        for part in dict.fromkeys(place.part for place in places if place is not None):
            try:
                block = cache.block(grain, part, columns)
            except OSError:  # compacted away meanwhile
                continue
            number[part] = len(blocks)
            blocks.append(block)
        where = {
            position: (number[place.part], place.number)
            for position, place in zip(positions, places, strict=True)
            if place is not None and place.part in number
        }
        fresh = [position for position in positions if position not in where]
        for start in range(0, max(len(fresh), 1), BATCH):
            batch = fresh[start : start + BATCH]
            rows = [list(self._rows(grain, position, only)) for position in batch]
            where |= {position: (len(blocks), at) for at, position in enumerate(batch)}
            blocks.append(arrow.Block(arrow.table(columns, chain.from_iterable(rows)), list(map(len, rows))))
        return blocks, [where[position] for position in positions]

    def _rows(self, grain: Grain, position: int, only: Only) -> Iterator[Any]:
        """The rows of one run, from its JSON; none when it cannot be read."""
        for part in self.parts([position], grain.reads):
            yield from Run(part, str(self.entries[position].path)).rows(grain, only)


def _files(folder: Path) -> list[Path]:
    """Every JSON file, gzipped or not, in a folder and its subfolders; hidden ones left out, sorted."""
    found: list[Path] = []
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        kept = (name for name in sorted(names) if name.endswith((".json", ".json.gz")) and not name.startswith("."))
        found += [Path(root, name) for name in kept]
    return found
