"""A data directory that is made once and copied for each run: initdb and the fixtures, without this run's values.

It is named after all that it depends on, made beside its place and moved there in one step, under a lock; so two runs
that begin together make one, and nobody ever sees half of it.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from sealmark.bench.postgres.binaries import Binaries
from sealmark.bench.postgres.launcher import SETTINGS, Postmaster, init
from sealmark.bench.postgres.places import Account, cache, locked, passable

SUPERUSER = "sealmark"
_PASSWORD = "password"


@dataclass(frozen=True)
class Template:
    """A data directory to copy, and the password of its superuser, which each run changes at once."""

    data: Path
    password: str

    def copy(self, to: Path, account: Account) -> None:
        """Copy it for one run.

        Raises:
            OSError: it cannot be written.
        """
        shutil.copytree(self.data, to, symlinks=True)
        to.chmod(0o700)
        account.own(to)


def reachable(binaries: Binaries, account: Account, environ: Mapping[str, str]) -> Binaries:
    """The programs where the account can run them: copied into the cache when they lie in somebody's private home."""
    if account.uid is None or binaries.tree is None or passable(binaries.folder):
        return binaries
    name = hashlib.sha256(f"{binaries.tree}:{binaries.version}".encode()).hexdigest()[:16]
    kept = cache(environ) / f"postgres-{binaries.version}-{name}"
    with locked(kept.with_suffix(".lock")):
        if not kept.is_dir():
            _move_in(kept, lambda into: shutil.copytree(binaries.tree or into, into, symlinks=True, dirs_exist_ok=True))
    return replace(binaries, folder=kept / binaries.folder.relative_to(binaries.tree), tree=kept)


def ensure(
    binaries: Binaries, account: Account, environ: Mapping[str, str], seed: str, run: Callable[[int, str], None]
) -> Template:
    """The template of these programs and this seed; made if it is missing.

    Args:
        binaries: the programs.
        account: who runs them.
        environ: the user's environment, which says where the cache is.
        seed: what `run` will make of a fresh server, as text: it names the template.
        run: seeds a server, given its port and the superuser's password.

    Raises:
        HarnessError: a server does not start, or there is no place.
        OSError: it cannot be written.
    """
    parts = (binaries.version, str(binaries.folder), seed, repr(SETTINGS))
    name = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    kept = cache(environ) / f"postgres-{binaries.version}-{name}.data"
    with locked(kept.with_suffix(".lock")):
        if not kept.is_dir():
            _move_in(kept, lambda into: _make(binaries, account, into, run))
    return Template(kept / "data", (kept / _PASSWORD).read_text("utf-8"))


def _move_in(kept: Path, make: Callable[[Path], object]) -> None:
    """Make a directory beside its place and move it there."""
    beside = Path(tempfile.mkdtemp(prefix="new-", dir=kept.parent))
    try:
        beside.chmod(0o755)
        make(beside)
        beside.rename(kept)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise


def _make(binaries: Binaries, account: Account, into: Path, run: Callable[[int, str], None]) -> None:
    data, password, given = into / "data", secrets.token_hex(16), into / "given"
    data.mkdir(mode=0o700)
    given.write_text(password, "utf-8")
    given.chmod(0o600)
    account.own(into / "data")
    if account.uid is not None and account.gid is not None:
        os.chown(given, account.uid, account.gid)
    init(binaries, account, data, SUPERUSER, given)
    given.unlink()
    postmaster = Postmaster(binaries, account, data)
    try:
        run(postmaster.port, password)
    finally:
        postmaster.close()
    for name in ("postmaster.opts", "postmaster.pid"):
        with suppress(OSError):
            (data / name).unlink()
    if account.uid is not None:
        _take_back(data)
    kept = into / _PASSWORD
    kept.touch(mode=0o600)
    kept.write_text(password, "utf-8")


def _take_back(data: Path) -> None:
    """Give the tree to root, so that nobody else who runs as the account can change what later runs start from."""
    Account(os.getuid(), os.getgid()).own(data)
