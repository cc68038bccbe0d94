"""What a program in a box changed: the upper layers of its file system, compared with the disk below.

Everything below is made by the program, so directories are opened by descriptor, links are never followed, and only
ordinary files are read.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator
from typing import Any, Literal

import msgspec

HASHED = 32 * 2**20
"""Bytes of a file up to which it is hashed; of a larger one the size stands for the content."""

MOST = 5000
"""Changes that one look gathers."""

How = Literal["created", "modified", "deleted", "touched"]

KINDS = {stat.S_IFDIR: "dir", stat.S_IFLNK: "link", stat.S_IFREG: "file"}


class Facts(msgspec.Struct, frozen=True, omit_defaults=True):
    """One entry of a directory: `sha256` of a file (empty when it is too large or unreadable), `target` of a link."""

    kind: str
    mode: int
    uid: int
    gid: int
    size: int = 0
    sha256: str = ""
    target: str = ""


class Change(msgspec.Struct, frozen=True):
    """One difference. A file that was opened for writing and has its old content is `touched`."""

    path: str
    how: How
    before: Facts | None
    after: Facts | None


class View(msgspec.Struct):
    """The layers of a box: `tree` holds `up/N` for each overlaid directory of `ups`, and `new` for those of our own.

    Attributes:
        tree: descriptor of the directory, which outlives the box; -1 once it is closed.
        ups: directories of the machine, each with an upper layer.
        plain: directories with mounts below, made anew.
        hidden: directories that began empty.
        shared: the real ones.
        known: differences that were there before the program began.
    """

    tree: int
    ups: tuple[str, ...]
    plain: tuple[str, ...]
    hidden: tuple[str, ...]
    shared: tuple[str, ...]
    known: frozenset[Change] = frozenset()

    def look(self) -> list[Change]:
        """Every difference that the program made so far; nothing when the box has the real file system."""
        found = []
        if self.tree >= 0 and self.plain:
            for change in _every(self):
                if change not in self.known and not self._leads_to_shared(change.path):
                    found.append(change)
                if len(found) >= MOST:
                    break
        return found

    def _leads_to_shared(self, path: str) -> bool:
        return any(shared == path or shared.startswith(path.rstrip("/") + "/") for shared in self.shared)

    def close(self) -> None:
        """Let go of the layers: what the program wrote is gone."""
        if self.tree >= 0:
            os.close(self.tree)
            self.tree = -1


def baseline(view: View) -> None:
    """Take what differs now as given."""
    view.known = frozenset(view.look())


def _every(view: View) -> Iterator[Change]:
    for number, real in enumerate(view.ups):
        with _directory(f"up/{number}", view.tree) as upper:
            if upper is not None:
                before, after = facts(real), _facts_of(os.fstat(upper))
                if before != after:
                    yield Change(real, "modified", before, after)
                yield from _below(upper, real, merged=True)
    special = {*view.ups, *view.plain, *view.shared, "/proc", "/sys"}
    for level in view.plain:
        with _directory(f"new{level.rstrip('/')}", view.tree) as folder:
            for name in _names(folder):
                real = os.path.join(level, name)
                if real in view.hidden or real == "/dev":
                    with _directory(name, folder) as own:
                        yield from _below(own, real, merged=False)
                elif real not in special and folder is not None:
                    yield from _entry(folder, name, real, merged=True)


@contextlib.contextmanager
def _directory(path: str, parent: int | None) -> Iterator[int | None]:
    """A directory by descriptor, None when there is none by that path, or a link on the way."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    opened: list[int] = []
    try:
        for name in path.split("/"):
            if parent is not None:
                parent = os.open(name, flags, dir_fd=parent)
                opened.append(parent)
    except OSError:
        parent = None
    try:
        yield parent
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _names(folder: int | None) -> list[str]:
    try:
        return sorted(os.listdir(folder)) if folder is not None else []
    except OSError:
        return []


def _below(upper: int | None, real: str, *, merged: bool) -> Iterator[Change]:
    """What differs in one directory; `merged`: what the disk has there shows through."""
    present = _names(upper)
    for name in present if upper is not None else ():
        yield from _entry(upper or 0, name, os.path.join(real, name), merged=merged)
    if merged and upper is not None and _opaque(upper):
        with contextlib.suppress(OSError):
            for name in sorted({*os.listdir(real)} - {*present}):
                yield Change(os.path.join(real, name), "deleted", facts(os.path.join(real, name)), None)


def _entry(upper: int, name: str, real: str, *, merged: bool) -> Iterator[Change]:
    before = facts(real) if merged else None
    after = facts(name, upper)
    change = _change(real, before, after)
    if change is not None:
        yield change
    if after is not None and after.kind == "dir":
        with _directory(name, upper) as folder:
            yield from _below(folder, real, merged=before is not None and before.kind == "dir")


def _change(path: str, before: Facts | None, after: Facts | None) -> Change | None:
    how: How
    if before is None and after is None:
        return None
    if after is None:
        how = "deleted"
    elif before is None:
        how = "created"
    elif before != after:
        how = "modified"
    elif after.kind == "file":
        how = "touched"
    else:
        return None
    return Change(path, how, before, after)


def facts(path: str, folder: int | None = None) -> Facts | None:
    """What stands at a path; None for nothing, and for the overlay's sign that it was deleted."""
    try:
        status = os.stat(path, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return None
    if stat.S_ISCHR(status.st_mode) and status.st_rdev == 0:
        return None
    found = _facts_of(status)
    with contextlib.suppress(OSError):
        if found.kind == "link":
            return msgspec.structs.replace(found, target=shown(os.readlink(path, dir_fd=folder)))
        if found.kind == "file" and found.size <= HASHED:
            return msgspec.structs.replace(found, sha256=_digest(path, folder))
    return found


def _facts_of(status: os.stat_result) -> Facts:
    kind = KINDS.get(stat.S_IFMT(status.st_mode), "other")
    size = status.st_size if kind == "file" else 0
    return Facts(kind, stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid, size)


def _digest(path: str, folder: int | None) -> str:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, dir_fd=folder), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return ""
        return hashlib.sha256(file.read(HASHED + 1)).hexdigest()


def _opaque(folder: int) -> bool:
    """Whether a directory hides what the disk has at its place."""
    try:
        return os.getxattr(folder, "user.overlay.opaque") == b"y"
    except OSError:
        return False


def shown(text: str) -> str:
    """A name of the file system as text that any encoding bears."""
    return os.fsencode(text).decode("utf-8", "backslashreplace")


def as_row(change: Change) -> dict[str, Any]:
    """A change for the record: content by its digest, modes where they differ, owners and times left out."""
    before, after = change.before, change.after
    modes = before is not None and after is not None and before.mode != after.mode
    row: dict[str, Any] = {"path": shown(change.path), "how": change.how}
    for name, side in (("before", before), ("after", after)):
        if side is not None:
            row[name] = {"kind": side.kind}
            row[name] |= {"size": side.size} if side.kind == "file" else {}
            row[name] |= {"mode": oct(side.mode)} if modes else {}
            row[name] |= {"sha256": side.sha256[:16]} if side.sha256 else {}
            row[name] |= {"target": side.target} if side.target else {}
    return row
