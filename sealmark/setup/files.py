"""Several files written together: all of them or none, and none over another unless that is wanted."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from sealmark.errors import UsageError

PRIVATE = 0o600


def refuse_existing(paths: Sequence[Path], *, force: bool) -> None:
    """Refuse to write over a file.

    Raises:
        UsageError: one of them exists, and `force` is not given.
    """
    there = [path for path in paths if os.path.lexists(path)]
    if there and not force:
        names = " and ".join(str(path) for path in there)
        says = f"{names} {'exists' if len(there) == 1 else 'exist'}"
        raise UsageError(f"{says}; nothing was written", hint="Write over it with --force.")


def write_together(texts: Mapping[Path, str], private: Sequence[Path] = ()) -> None:
    """Write every file, or leave everything as it was.

    Each is written beside its place first and then put there, so that nobody sees half of one.

    Args:
        texts: path -> its whole text.
        private: those that only their owner may read.

    Raises:
        UsageError: one of them cannot be written; none is.
    """
    staged: dict[Path, Path] = {}
    made: list[Path] = []
    done: list[tuple[Path, bytes | None]] = []
    try:
        for path, text in texts.items():
            made += _make_folder(path.parent)
            staged[path] = _stage(path, text, PRIVATE if path in private else _mode(path))
        for path, temporary in staged.items():
            before = path.read_bytes() if path.is_file() else None
            os.replace(temporary, path)
            done.append((path, before))
    except OSError as error:
        for path, before in reversed(done):
            if before is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(before)
        for temporary in staged.values():
            temporary.unlink(missing_ok=True)
        for folder in reversed(made):
            folder.rmdir()
        where = error.filename or next(iter(texts))
        raise UsageError(f"cannot write {where}: {error.strerror}; nothing was written") from None


def _make_folder(folder: Path) -> list[Path]:
    """Make a folder with those above it; those that are new, the topmost first."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()][::-1]
    for path in missing:
        path.mkdir()
    return missing


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o777 if path.is_file() else 0o644


def _stage(path: Path, text: str, mode: int) -> Path:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(name, mode)
    except OSError:
        os.unlink(name)
        raise
    return Path(name)


def ignoring(text: str, names: Sequence[str]) -> str:
    """The text of a .gitignore that leaves these names out too; the same text when it does already."""
    there = {line.strip().lstrip("/").rstrip("/") for line in text.splitlines()}
    missing = [name for name in names if name.rstrip("/") not in there]
    if not missing:
        return text
    before = text if not text or text.endswith("\n") else text + "\n"
    return before + "".join(f"{name}\n" for name in missing)
