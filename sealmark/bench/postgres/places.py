"""Where files of the database lie: a cache that outlives runs, and a directory of each run, swept when its run died.

As root every program of Postgres runs as another account, which must be able to reach both; so the cache of root lies
where that account may pass. A run holds a lock on its directory. The kernel lets go of it when the run dies, however it
dies, and whoever starts next removes what nobody holds.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import shutil
import signal
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sealmark.errors import HarnessError

PREFIX = "sealmark-pg-"
LOCK = "lock"
ACCOUNT = "nobody"
"""Whom root becomes for Postgres, which refuses to run as root."""
FRESH_SEC = 60
"""A directory without a lock file is left alone for so long: its run may be about to make one."""


@dataclass(frozen=True)
class Account:
    """Who runs the programs; None where it is the user who runs the harness."""

    uid: int | None = None
    gid: int | None = None

    def spawn(self) -> dict[str, Any]:
        """Arguments of `subprocess.Popen`."""
        return {} if self.uid is None else {"user": self.uid, "group": self.gid, "extra_groups": []}

    def own(self, path: Path) -> None:
        """Give a path, and all that lies below it, to the account."""
        if self.uid is None or self.gid is None:
            return
        for folder, _, files in os.walk(path):
            os.chown(folder, self.uid, self.gid, follow_symlinks=False)
            for name in files:
                os.chown(os.path.join(folder, name), self.uid, self.gid, follow_symlinks=False)


def account() -> Account:
    """Who runs the programs of Postgres.

    Raises:
        HarnessError: the harness runs as root, and there is no account to become.
    """
    if os.geteuid() != 0:
        return Account()
    try:
        found = pwd.getpwnam(ACCOUNT)
    except KeyError:
        raise HarnessError(
            f"Postgres does not run as root, and there is no account {ACCOUNT!r} to run it as",
            hint="Run sealmark as an ordinary user, or use a Postgres of yours: --pg DSN --yes.",
            code="NO_POSTGRES",
        ) from None
    return Account(found.pw_uid, found.pw_gid)


def passable(path: Path) -> bool:
    """Whether every account may pass through a directory and those above it."""
    return all(stat.S_IMODE(os.stat(folder).st_mode) & stat.S_IXOTH for folder in (path, *path.parents))


def cache(environ: Mapping[str, str]) -> Path:
    """The directory for what is made once and used by every run; made if it is missing.

    Raises:
        HarnessError: there is no place for it.
    """
    home, wanted = environ.get("HOME", ""), environ.get("XDG_CACHE_HOME", "")
    places = [Path(wanted)] if wanted else []
    places += [Path(home, ".cache")] if home else []
    if os.geteuid() == 0:
        places = [*places, Path("/var/cache"), Path("/var/tmp")]
    places.append(Path(tempfile.gettempdir()))
    for place in places:
        folder = place / f"sealmark-{os.geteuid()}"
        with suppress(OSError):
            folder.mkdir(mode=0o755, parents=True, exist_ok=True)
            if _ours(folder) and (os.geteuid() != 0 or passable(folder)):
                return folder
    raise HarnessError(
        "there is no directory for a Postgres to be kept in", hint="Set XDG_CACHE_HOME to one.", code="NO_POSTGRES"
    )


def _ours(folder: Path) -> bool:
    """Whether a directory is the user's own and nobody else may write to it."""
    seen = os.lstat(folder)
    return stat.S_ISDIR(seen.st_mode) and seen.st_uid == os.geteuid() and not seen.st_mode & 0o022


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock on a file, waiting for whoever holds it."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class RunDirectory:
    """The directory of one run, held until `remove` or the end of the process."""

    def __init__(self, above: Path | None = None) -> None:
        """Make and lock it.

        Raises:
            HarnessError: there is no place for it.
        """
        try:
            self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=above or _temporary()))
            self._lock = (self.path / LOCK).open("w")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.path.chmod(0o711)
        except OSError as error:
            raise HarnessError(
                f"cannot make a directory for Postgres: {error.strerror}",
                hint="Point TMPDIR at a directory that you can write to.",
                code="NO_POSTGRES",
            ) from None

    def remove(self) -> None:
        """Remove it."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()


def _temporary() -> Path:
    """The first temporary directory that the account can reach."""
    usual = Path(os.path.realpath(tempfile.gettempdir()))
    places = (usual, Path("/tmp"), Path("/var/tmp"))
    return next((place for place in places if os.geteuid() != 0 or (place.is_dir() and passable(place))), usual)


def sweep(above: Path | None = None) -> tuple[Path, ...]:
    """Stop and remove what runs left that no longer live; returns the directories that were removed."""
    removed: list[Path] = []
    for path in sorted((above or _temporary()).glob(PREFIX + "*")):
        with suppress(OSError):
            if _ours(path) and _abandoned(path):
                _kill(path)
                shutil.rmtree(path, ignore_errors=True)
                removed.append(path)
    return tuple(removed)


def _abandoned(path: Path) -> bool:
    try:
        with (path / LOCK).open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    except BlockingIOError:
        return False
    except FileNotFoundError:
        return time.time() - path.stat().st_mtime > FRESH_SEC


def _kill(path: Path) -> None:
    """End the postmaster of a directory, if it is one's still: its command line names the directory."""
    for pid in _postmasters(path):
        with suppress(OSError):
            os.kill(pid, signal.SIGQUIT)
            for _ in range(50):
                os.kill(pid, 0)
                time.sleep(0.02)
            os.kill(pid, signal.SIGKILL)


def _postmasters(path: Path) -> Iterable[int]:
    with suppress(OSError, ValueError, IndexError):
        pid = int((path / "data" / "postmaster.pid").read_text().split()[0])
        if str(path).encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
            yield pid
