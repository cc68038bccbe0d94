"""Reads the columnar cache that may stand beside stored runs.

A cache is a folder `.sealmark-cache` of parts. A part holds some runs: `files.json` names the run files that it was
made from (with size and time of change) and how many rows each has in each frame; beside it lies one Parquet file per
frame.
A part that was made by another version is not read. Everything here can be deleted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import msgspec

from sealmark import __version__
from sealmark.frames.arrow import Block
from sealmark.frames.columns import Column, Grain
from sealmark.frames.keys import Key
from sealmark.frames.tables import GRAINS
from sealmark.record.model import SCHEMA

FOLDER = ".sealmark-cache"
MANIFEST = "files.json"


Identity = tuple[str, int, int]
"""Name, size in bytes and time of change in nanoseconds of a run file."""


class CachedFile(msgspec.Struct, frozen=True, array_like=True):
    """One run file as it was when the part was made. `rows` are counts in the order of `GRAINS`."""

    name: str
    size: int
    changed_ns: int
    key: Key
    rows: tuple[int, ...]

    @property
    def identity(self) -> Identity:
        """What tells whether the file is still the one that the part was made from."""
        return self.name, self.size, self.changed_ns


class Manifest(msgspec.Struct, frozen=True):
    """What a part holds. `made_by` tells parts of other versions apart."""

    made_by: str
    files: tuple[CachedFile, ...]


@cache
def made_by() -> str:
    """A hash of everything that decides what a part contains: this version, the record schema, the column tables."""
    tables = [[grain.name, [[c.name, c.kind, c.source] for c in grain.columns]] for grain in GRAINS.values()]
    return hashlib.sha256(msgspec.json.encode([__version__, SCHEMA, tables])).hexdigest()[:16]


class Part:
    """One part of a cache."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.files = manifest.files

    def path(self, grain: Grain) -> Path:
        """The Parquet file of one frame."""
        return self.folder / f"{grain.name}.parquet"


def parts(folder: Path) -> list[Part]:
    """The parts of the cache in a folder of runs that this version can use, in the order in which they were made."""
    found: list[Part] = []
    for path in sorted((folder / FOLDER).glob(f"[0-9]*/{MANIFEST}")):
        try:
            manifest = _MANIFESTS.decode(path.read_bytes())
        except (OSError, msgspec.DecodeError):
            continue
        if manifest.made_by == made_by():
            found.append(Part(path.parent, manifest))
    return found


_MANIFESTS = msgspec.json.Decoder(Manifest)


class Place(msgspec.Struct, frozen=True):
    """Where a run's rows are: a part, and the number of its file there."""

    part: Part
    number: int

    @property
    def key(self) -> Key:
        """The run's key."""
        return self.part.files[self.number].key


def places(parts: Sequence[Part]) -> Mapping[Identity, Place]:
    """Every run file that these parts hold -> its place, in the newest part that has it."""
    return {file.identity: Place(part, number) for part in parts for number, file in enumerate(part.files)}


def block(grain: Grain, part: Part, columns: Sequence[Column]) -> Block:
    """The rows of one part, those columns only."""
    import pyarrow.parquet as pq

    at = list(GRAINS).index(grain.name)
    table = pq.read_table(part.path(grain), columns=[column.name for column in columns], memory_map=True)
    return Block(table, [file.rows[at] for file in part.files])
