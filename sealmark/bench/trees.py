"""Directory trees without following a link: take a picture, compare two, remove one however hostile it is."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

MAX_ENTRIES = 20_000
"""Most entries in one picture; a tree with more is cut, and the picture says so."""

MAX_DEPTH = 64
"""Levels below the top that a picture enters."""

MAX_HASHED = 1024 * 1024
"""Bytes of a file that is hashed; a larger one counts as modified whenever its times or its size changed."""

MAX_NOT_REMOVED = 20
"""Paths that a removal names when it could not remove them."""

_KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "link"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One name of a tree. `stamp` tells whether the content must be hashed again; directories have no size."""

    kind: str
    mode: int
    size: int
    modified_ns: int
    links: int
    target: str
    sha256: str
    stamp: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A tree at one moment: relative path -> entry, and whether something was left out."""

    entries: Mapping[str, Entry]
    cut: bool = False


def picture(
    top: Path,
    *,
    skip: Callable[[str], bool],
    before: Picture | None = None,
    timed: Callable[[str], bool] = lambda path: False,
) -> Picture:
    """The tree below `top`, without `top` itself.

    Args:
        top: an existing directory.
        skip: says of a relative path (with `/`) that it, and all below it, is left out.
        before: an earlier picture; hashes of files whose inode, size and times are unchanged are taken from it.
        timed: says of a directory that its time of writing counts, which tells that a name in it came and went.
    """
    known = before.entries if before is not None else {}
    entries: dict[str, Entry] = {}
    waiting = [("", 0)]
    cut = False
    while waiting:
        folder, depth = waiting.pop()
        for name, found in _scan(os.path.join(top, folder)):
            path = f"{folder}/{name}" if folder else name
            if skip(path):
                continue
            if len(entries) >= MAX_ENTRIES:
                return Picture(entries, cut=True)
            entry = _entry(os.path.join(top, path), found, known.get(path))
            entries[path] = entry
            if entry.kind == "directory":
                if timed(path):
                    entries[path] = replace(entry, modified_ns=found.st_mtime_ns)
                if depth < MAX_DEPTH:
                    waiting.append((path, depth + 1))
                else:
                    cut = True
    return Picture(entries, cut)


def again(taken: Picture, top: Path, path: str) -> Picture:
    """The same picture with the entry at one path taken anew."""
    try:
        found = os.lstat(os.path.join(top, path))
    except OSError:
        return taken
    return Picture({**taken.entries, path: _entry(os.path.join(top, path), found, None)}, taken.cut)


def _scan(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """Names and their own (never their target's) status; nothing when the folder cannot be read."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return
    try:
        for name in sorted(os.listdir(descriptor)):
            with suppress(OSError):
                yield name, os.stat(name, dir_fd=descriptor, follow_symlinks=False)
    finally:
        os.close(descriptor)


def _entry(path: str, found: os.stat_result, known: Entry | None) -> Entry:
    kind = _KINDS.get(stat.S_IFMT(found.st_mode), "special")
    if kind == "directory":
        return Entry(kind, stat.S_IMODE(found.st_mode), 0, 0, 0, "", "", ())
    stamp = (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    same = known is not None and known.kind == kind and known.stamp == stamp
    target = sha256 = ""
    if kind == "link":
        target = _target(path)
    elif kind == "file":
        sha256 = known.sha256 if same and known is not None else _digest(path, stamp)
    mode = stat.S_IMODE(found.st_mode)
    return Entry(kind, mode, found.st_size, found.st_mtime_ns, found.st_nlink, target, sha256, stamp)


def _target(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


def open_file(path: str) -> int:
    """A descriptor of a regular file for reading; a link in the last place is refused, and a pipe does not block.

    Raises:
        OSError: there is no such file, or it is a link.
    """
    return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)


def _digest(path: str, stamp: tuple[int, ...]) -> str:
    """SHA-256 of a file, or its stamp in words when it is too large to hash or cannot be read."""
    content = read(path, MAX_HASHED + 1)
    if content is None or len(content) > MAX_HASHED:
        return f"not hashed: {stamp}"
    return hashlib.sha256(content).hexdigest()


def read(path: str, limit: int) -> bytes | None:
    """The first `limit` bytes of a file; None when it is not a readable regular file."""
    try:
        with open(open_file(path), "rb") as file:
            return file.read(limit) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except OSError:
        return None


def difference(before: Picture, after: Picture) -> Iterator[tuple[str, str]]:
    """(path, change) for everything that differs, in path order; change is created, modified, deleted or touched.

    Touched: same content, but another mode, another time of writing, or another number of hard links. The times of
    directories do not count unless the pictures were told so, since the names in them tell nearly the same.
    """
    for path in sorted(before.entries.keys() | after.entries.keys()):
        old, new = before.entries.get(path), after.entries.get(path)
        if old is None:
            yield path, "created"
        elif new is None:
            yield path, "deleted"
        elif (old.kind, old.size, old.sha256, old.target) != (new.kind, new.size, new.sha256, new.target):
            yield path, "modified"
        elif (old.mode, old.modified_ns, old.links) != (new.mode, new.modified_ns, new.links):
            yield path, "touched"


def remove(top: Path) -> tuple[str, ...]:
    """Remove a tree and return the paths (at most MAX_NOT_REMOVED) that could not be removed.

    Directories are moved to the top before they are emptied, so that no path grows: depth is no obstacle, nor is a
    directory without permissions. A link is removed, never entered.
    """
    try:
        if not stat.S_ISDIR(os.lstat(top).st_mode):
            os.unlink(top)
            return ()
    except FileNotFoundError:
        return ()
    except OSError:
        return (str(top),)
    left: list[str] = []
    trash = str(top)
    _open_up(trash)
    waiting, count = [trash], 0
    while waiting:
        folder = waiting.pop()
        if folder != trash:
            _open_up(folder)
        for path, is_directory in _children(folder):
            try:
                if is_directory:
                    _open_up(path)
                    count += 1
                    moved = os.path.join(trash, f".removing-{os.getpid()}-{count}")
                    os.rename(path, moved)
                    waiting.append(moved)
                else:
                    os.unlink(path)
            except OSError:
                left.append(path)
        if folder != trash:
            _rmdir(folder, left)
    _rmdir(trash, left)
    return tuple(left[:MAX_NOT_REMOVED])


def _children(folder: str) -> list[tuple[str, bool]]:
    try:
        with os.scandir(folder) as found:
            return [(item.path, item.is_dir(follow_symlinks=False)) for item in found]
    except OSError:
        return []


def _open_up(folder: str) -> None:
    """Give the owner full access to a directory. The caller has seen that it is one; a link put there since fails."""
    flags = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(folder, flags)
    except OSError:
        return
    try:
        name = f"/proc/self/fd/{descriptor}"
        os.chmod(name if os.path.exists(name) else folder, 0o700)
    except OSError:
        return
    finally:
        os.close(descriptor)


def _rmdir(folder: str, left: list[str]) -> None:
    try:
        os.rmdir(folder)
    except OSError:
        left.append(folder)
