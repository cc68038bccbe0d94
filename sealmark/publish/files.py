"""The output folder: files that did not change stay untouched, and nothing that the site did not make is removed."""

from __future__ import annotations

import filecmp
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from sealmark.errors import UsageError

MARKER = ".sealmark-site"
"""A file in a folder that this program made; it lists the files of the site."""


class Written(NamedTuple):
    """What a build did to the folder."""

    written: int
    unchanged: int
    removed: int
    bytes: int


def owned(out: Path) -> bool:
    """Whether a folder was made by this program."""
    return (out / MARKER).is_file()


def check(out: Path) -> None:
    """Make sure that a site may be written to this folder.

    Raises:
        UsageError: it is a file, or a folder with content that this program did not make.
    """
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file", hint="Name a folder with --out.")
    if out.is_dir() and any(out.iterdir()) and not owned(out):
        hint = "Name a new folder with --out; only a folder that this command made is written to again."
        raise UsageError(f"{out} holds files that this command did not make", hint=hint)


@contextmanager
def building(out: Path) -> Iterator[Path]:
    """A folder beside `out` to build in; it is gone afterwards.

    Raises:
        UsageError: it cannot be made.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    except OSError as error:
        raise UsageError(f"cannot write to {out.parent}: {error.strerror}", hint="Choose another --out.") from None
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def move(built: Path, out: Path) -> Written:
    """Bring `out` to what was built: changed files replaced one by one, files of an earlier build removed."""
    out.mkdir(parents=True, exist_ok=True)
    wanted = sorted(path.relative_to(built).as_posix() for path in built.rglob("*") if path.is_file())
    before = _listed(out)
    if set(wanted) - set(before):
        # first, so that files of a build that was cut short are known to the next
        (out / MARKER).write_bytes(msgspec.json.encode(sorted({*before, *wanted})))
    written = size = 0
    for name in wanted:
        source, target = built / name, out / name
        size += source.stat().st_size
        if not _same(source, target):
            target.parent.mkdir(parents=True, exist_ok=True)
            source.chmod(0o644)
            os.replace(source, target)
            written += 1
    gone = [name for name in before if name not in set(wanted) and (out / name).is_file()]
    for name in gone:
        (out / name).unlink()
        _prune((out / name).parent, out)
    if before != wanted:
        (out / MARKER).write_bytes(msgspec.json.encode(wanted))
    return Written(written, len(wanted) - written, len(gone), size)


def _same(source: Path, target: Path) -> bool:
    return target.is_file() and not target.is_symlink() and filecmp.cmp(source, target, shallow=False)


def _listed(out: Path) -> list[str]:
    """The files of the last build, as far as they lie in the folder."""
    try:
        names = msgspec.json.decode((out / MARKER).read_bytes(), type=list[str])
    except (OSError, msgspec.DecodeError):
        return []
    return [name for name in names if name and not name.startswith("/") and ".." not in Path(name).parts]


def _prune(folder: Path, out: Path) -> None:
    while folder != out and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent
