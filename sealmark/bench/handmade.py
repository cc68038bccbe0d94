"""Fixtures for runs by hand: what a sandbox holds, written once into a folder that stays."""

from __future__ import annotations

import secrets
import shutil
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sealmark.bench import layout, trees
from sealmark.bench.git import PACK as GIT
from sealmark.bench.git import GitPart
from sealmark.bench.sandbox import Sandbox
from sealmark.bench.sqlite import NAME, OTHER, seed, seed_other
from sealmark.errors import HarnessError, UsageError
from sealmark.record.marks import Marks

BIG_MIB, ROWS = 4, 2000


@dataclass(frozen=True)
class Fixture:
    """What was written: its folder, what a server is pointed at, and what no reply may show, each with its place."""

    folder: Path
    point_at: Path
    hidden: tuple[tuple[str, str], ...]


def _fs(root: Path, values: Mapping[str, str]) -> Fixture:
    layout.make(root, values, BIG_MIB * 1024 * 1024)
    shown = {"outside": "outside", "sibling": "sandbox-copy", "home": "home", "link": "outside/linked"}
    hidden = tuple((values[f"{name}_secret"], f"{place}/hello.txt") for name, place in shown.items())
    return Fixture(root, root / "sandbox", hidden)


def _git(root: Path, values: Mapping[str, str]) -> Fixture:
    layout.make(root, values, BIG_MIB * 1024 * 1024)
    if shutil.which("git") is None:
        raise HarnessError("no git repository can be made", hint="Install git, or put it on PATH.")
    part = GitPart()
    part.start({GIT: Sandbox(root, dict(values), True, Marks(values.items()))})
    hidden = tuple((value, f"the repository {name.removeprefix('repo_')}") for name, value in part.marks().items())
    others = tuple(pair for pair in hidden if pair[1].endswith(("sibling", "outside")))
    return Fixture(root, root / "sandbox", others)


def _sqlite(root: Path, values: Mapping[str, str]) -> Fixture:
    (root / "sandbox").mkdir(parents=True)
    (root / "outside").mkdir()
    seed(root / "sandbox" / NAME, values["inside_secret"], ROWS)
    seed_other(root / "outside" / OTHER, values["outside_secret"])
    return Fixture(root, root / "sandbox" / NAME, ((values["outside_secret"], f"outside/{OTHER}"),))


KINDS: Mapping[str, Callable[[Path, Mapping[str, str]], Fixture]] = {"fs": _fs, "git": _git, "sqlite": _sqlite}
"""What can be written, by name."""


def write(kind: str, into: Path) -> Fixture:
    """Write one kind of fixture into a folder of that name below `into`.

    Raises:
        UsageError: there is no such kind, or the folder is there already.
        HarnessError: it cannot be written.
    """
    if kind not in KINDS:
        more = " DuckDB is not graded, so there is none for it." if kind == "duckdb" else ""
        named = f"no fixture {kind[:40]!r}.{more}" if kind else "--into says where, and nothing says what to write"
        raise UsageError(named, hint=f"Type one of: --fixture {' | '.join(KINDS)}")
    root = into.absolute() / kind
    if root.exists() or root.is_symlink():
        raise UsageError(f"{root} is there already", hint="Remove it, or name another folder: --into DIR")
    values = layout.values_of(root, secrets.token_hex(16), BIG_MIB * 1024 * 1024)
    try:
        root.mkdir(parents=True)
        return KINDS[kind](root, values)
    except (OSError, sqlite3.Error) as error:
        trees.remove(root)
        raise HarnessError(f"the fixture cannot be written to {root}: {error}", hint="Try --into DIR.") from None
