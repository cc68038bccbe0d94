"""Writes the columnar cache beside stored runs: parts are added and never changed; compaction puts one for many.

A part is made in a hidden folder and renamed when it is whole. A run that two parts hold, because something stopped a
compaction half way, is read from one of them only.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from sealmark.errors import RecordError
from sealmark.frames import arrow
from sealmark.frames.arrow import Block
from sealmark.frames.cache import FOLDER, MANIFEST, CachedFile, Identity, Manifest, Part, block, made_by, parts, places
from sealmark.frames.columns import Grain
from sealmark.frames.keys import ALL, key_of
from sealmark.frames.tables import GRAINS
from sealmark.record import codec

PART_RUNS = 500
"""Runs that a part holds at most."""

BATCH = 50
"""Runs that are held as Python objects at one time."""

SMALL = 100
"""A part with fewer runs is small."""

MANY = 8
"""So many small parts are left as they are."""


def refresh(folder: Path) -> int:
    """Add every run of the folder that the cache does not hold as it is now; return how many were added.

    No part that exists is opened or rewritten.

    Raises:
        MissingExtra: pyarrow is not installed.
    """
    arrow.need("the columnar cache")
    held = places(parts(folder))
    missing = [path for identity, path in identities(folder).items() if identity not in held]
    return sum(_add(folder, missing[start : start + PART_RUNS]) for start in range(0, len(missing), PART_RUNS))


def _add(folder: Path, paths: Sequence[Path]) -> int:
    """Write one part of these run files; those that cannot be read are left out."""
    files: list[CachedFile] = []
    tables: dict[str, list[Any]] = {name: [] for name in GRAINS}
    for start in range(0, len(paths), BATCH):
        rows: dict[str, list[Any]] = {name: [] for name in GRAINS}
        for path in paths[start : start + BATCH]:
            before = identity(path)
            try:
                run = codec.load(path.read_bytes(), path.name)
            except (OSError, RecordError):
                continue
            made = {name: list(grain.rows(run, ALL)) for name, grain in GRAINS.items()}
            files.append(CachedFile(*before, key_of(run), tuple(map(len, made.values()))))
            for name, found in made.items():
                rows[name] += found
        for name, grain in GRAINS.items():
            tables[name].append(arrow.table(grain.columns, rows[name]))
    if files:
        _write(folder, files, tables)
    return len(files)


def _write(folder: Path, files: Sequence[CachedFile], tables: Mapping[str, Sequence[Any]]) -> None:
    """Make a part of these files' tables."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    home = folder / FOLDER
    home.mkdir(exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=".new-", dir=home))
    try:
        for name, found in tables.items():
            pq.write_table(pa.concat_tables(found).unify_dictionaries(), made / f"{name}.parquet", compression="zstd")
        (made / MANIFEST).write_bytes(msgspec.json.encode(Manifest(made_by(), tuple(files))))
        made.chmod(0o755)
        _place(made, home)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def _place(made: Path, home: Path) -> None:
    """Give a finished part the next free number."""
    number = max((int(path.name) for path in home.iterdir() if path.name.isdigit()), default=0)
    while True:
        number += 1
        try:
            os.rename(made, home / f"{number:08d}")
            return
        except OSError:
            if not (home / f"{number:08d}").exists():
                raise


def compact(folder: Path) -> int:
    """Join small parts, write anew those of which a file has changed or gone, drop those of other versions.

    Returns:
        how many parts went.

    Raises:
        MissingExtra: pyarrow is not installed.
    """
    arrow.need("the columnar cache")
    now, every = identities(folder), parts(folder)
    held = places(every)
    valid = {part: [n for n, f in enumerate(part.files) if _is_read(part, f, now, held)] for part in every}
    stale = [part for part in every if len(valid[part]) < len(part.files)]
    small = [part for part in every if len(valid[part]) < SMALL]
    going = [part for part in every if part in stale or (part in small and len(small) > MANY)]
    runs = sorted(((part, n) for part in going for n in valid[part]), key=lambda run: run[0].files[run[1]].key.started)
    for start in range(0, len(runs), PART_RUNS):
        chunk = runs[start : start + PART_RUNS]
        joined = {name: [_joined(grain, chunk)] for name, grain in GRAINS.items()}
        _write(folder, [part.files[n] for part, n in chunk], joined)
    for part in going:
        shutil.rmtree(part.folder, ignore_errors=True)
    return len(going) + _sweep(folder)


def _is_read(part: Part, file: CachedFile, now: Mapping[Identity, Path], held: Mapping[Identity, Any]) -> bool:
    """Whether a run is as it was when the part was made, and is read from this part rather than another."""
    return file.identity in now and held[file.identity].part is part


def _joined(grain: Grain, runs: Sequence[tuple[Part, int]]) -> Any:
    used = list(dict.fromkeys(part for part, _ in runs))
    blocks: list[Block] = [block(grain, part, grain.columns) for part in used]
    return arrow.arrange(blocks, [(used.index(part), number) for part, number in runs])


def _sweep(folder: Path) -> int:
    """Remove parts that this version cannot use and what a crash left half made."""
    usable = {part.folder for part in parts(folder)}
    gone = [path for path in (folder / FOLDER).glob("*") if path not in usable]
    for path in gone:
        shutil.rmtree(path, ignore_errors=True)
    return len(gone)


def identity(path: Path) -> Identity:
    """What tells whether a file is still the one that a part was made from."""
    stat = path.stat()
    return path.name, stat.st_size, stat.st_mtime_ns


def identities(folder: Path) -> dict[Identity, Path]:
    """The run files of a folder, each with what tells whether it is still the one that a part was made from."""
    return dict(_found(folder))


def _found(folder: Path) -> Iterator[tuple[Identity, Path]]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.name.endswith(".json") and not entry.name.startswith(".") and entry.is_file():
                stat = entry.stat()
                yield (entry.name, stat.st_size, stat.st_mtime_ns), Path(entry.path)
