"""Downloads: every run as compressed JSON, every frame as CSV and Parquet, always the same bytes for the same runs."""

from __future__ import annotations

import gzip
from pathlib import Path

from sealmark.frames import arrow
from sealmark.frames.tables import GRAINS
from sealmark.publish.collect import Store
from sealmark.record import codec
from sealmark.store import export


def offered() -> list[tuple[str, str]]:
    """Names and meanings of the files of frames that this build can write."""
    kinds = ["csv.gz", *(["parquet"] if arrow.available() else [])]
    return [(f"{name}.{kind}", grain.about) for name, grain in GRAINS.items() for kind in kinds]


def write(store: Store, out: Path) -> None:
    """Write all downloads into the folder `out`."""
    (out / "runs").mkdir(parents=True, exist_ok=True)
    for position, name in enumerate(store.source.names):
        record = store.source.run(position).record
        (out / "runs" / name).write_bytes(gzip.compress(codec.dump(record), 6, mtime=0))
    export(store.runs, out, "csv.gz")
    if arrow.available():
        export(store.runs, out, "parquet")
