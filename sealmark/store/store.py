"""A store: a folder with one JSON file per run, and a columnar cache beside them that can be deleted at any time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sealmark.atomic import write_atomic
from sealmark.errors import HarnessError, RecordError
from sealmark.frames import arrow
from sealmark.frames.files import load
from sealmark.frames.runs import Runs
from sealmark.record import codec
from sealmark.record.model import RunRecord
from sealmark.store.cache import compact, refresh
from sealmark.store.files import file_name


class Store:
    """The stored runs of one folder.

    Args:
        folder: where the runs are; made when it does not exist.

    Raises:
        HarnessError: the folder cannot be made.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise HarnessError(
                f"{self.folder}: {error.strerror}", hint="Name a folder that can be written with --store DIR."
            ) from None

    def write(self, run: RunRecord) -> Path:
        """Store one run and return its file. The same run again changes nothing; another run never replaces one.

        Raises:
            HarnessError: the file could not be written; the store is as it was.
        """
        data = codec.dump(run)
        name = file_name(run)
        for number in range(1, 1000):
            path = self.folder / (name if number == 1 else name.replace(".json", f"-{number}.json"))
            if not path.exists() or _same_run(path, run):
                break
        try:
            if not path.exists() or path.read_bytes() != data:
                write_atomic(path, data)
        except OSError as error:
            raise HarnessError(f"{path}: {error.strerror}", hint="Is the disk full, or the folder read-only?") from None
        return path

    def load(self) -> Runs:
        """The runs of the store.

        Raises:
            RecordError: the store has files, and none could be read.
        """
        return load(self.folder)

    def paths(self) -> Iterator[Path]:
        """The run files, by name."""
        return (path for path in sorted(self.folder.glob("*.json")) if not path.name.startswith("."))

    def update_cache(self) -> int:
        """Bring the columnar cache up to date and return how many runs were added; 0 when pyarrow is not installed."""
        if not arrow.available():
            return 0
        added = refresh(self.folder)
        compact(self.folder)
        return added


def _same_run(path: Path, run: RunRecord) -> bool:
    """Whether the file holds what was gathered in this run, perhaps with other judgements."""
    try:
        return codec.load(path.read_bytes(), path.name).gathered == run.gathered
    except (OSError, RecordError):
        return True
