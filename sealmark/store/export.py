"""Writes the frames of stored runs as one set of files: Parquet, CSV or compressed CSV, with a page of their columns.

Runs are read in batches, so that the size of a store does not matter. In CSV a text that a spreadsheet would take for a
formula gets an apostrophe in front.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

from sealmark.errors import UsageError
from sealmark.frames import arrow
from sealmark.frames.columns import Grain
from sealmark.frames.docs import render
from sealmark.frames.runs import Runs
from sealmark.frames.tables import GRAINS

BATCH = 500
"""Runs that are read at one time."""

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters that make a spreadsheet compute a cell."""

FORMATS = ("parquet", "csv", "csv.gz")


def export(runs: Runs, out: Path, kind: str = "parquet") -> list[Path]:
    """Write every frame of `runs` into the folder `out` and return the files.

    Args:
        runs: what to export.
        out: a folder, made when it does not exist; files of the same names are replaced.
        kind: parquet, csv or csv.gz.

    Raises:
        UsageError: another format.
        MissingExtra: Parquet without pyarrow.
    """
    if kind not in FORMATS:
        raise UsageError(f"unknown format {kind!r}", hint=f"Formats: {', '.join(FORMATS)}.")
    if kind == "parquet":
        arrow.need("Parquet")
    out.mkdir(parents=True, exist_ok=True)
    writer = _parquet if kind == "parquet" else _csv
    written = [writer(out / f"{name}.{kind}", grain, _batches(runs, name)) for name, grain in GRAINS.items()]
    columns = out / "COLUMNS.md"
    columns.write_text(render(), "utf-8")
    return [*written, columns]


def _batches(runs: Runs, name: str) -> Iterator[Any]:
    """The frame in pieces; at least one, so that an empty export has its columns."""
    for start in range(0, max(len(runs), 1), BATCH):
        yield runs[start : start + BATCH].frame(name)


def _parquet(path: Path, grain: Grain, batches: Iterator[Any]) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = arrow.schema(grain.columns)
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for frame in batches:
            writer.write_table(pa.Table.from_pandas(frame, schema=schema, preserve_index=False))
    return path


def _csv(path: Path, grain: Grain, batches: Iterator[Any]) -> Path:
    with path.open("wb") as raw:
        if path.suffix == ".gz":
            with gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
                _write_csv(cast(IO[bytes], packed), grain, batches)
        else:
            _write_csv(raw, grain, batches)
    return path


def _write_csv(raw: IO[bytes], grain: Grain, batches: Iterator[Any]) -> None:
    texts = [column.name for column in grain.columns if column.kind in ("string", "text", "name")]
    file = io.TextIOWrapper(raw, "utf-8", newline="", write_through=True)
    for number, frame in enumerate(batches):
        for name in texts:
            frame[name] = frame[name].astype("string").map(_harmless, na_action="ignore")
        frame.to_csv(file, index=False, header=number == 0, lineterminator="\n", date_format="%Y-%m-%dT%H:%M:%S.%fZ")
    file.detach()


def _harmless(text: str) -> str:
    """`text` as a cell that a spreadsheet does not compute."""
    return "'" + text if text.startswith(FORMULA) else text
