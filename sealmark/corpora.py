"""Finds corpus files, in a checkout (`corpora/` beside the package) and in a wheel, and digests them.

A corpus file is `corpora/<pack>/<check>/cases.yaml`: a list under `cases`, each entry with an `id` and a `why` and
whatever else the check's plan reads. Shared lists stand under `corpora/_shared/`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from sealmark.errors import HarnessError
from sealmark.record.model import Record


class Case(Record, frozen=True):
    """One corpus entry: what a plan sends for it is in `data`."""

    id: str
    why: str
    data: Mapping[str, Any] = {}

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def get(self, key: str, default: Any = None) -> Any:
        """The value under `key`, or `default`."""
        return self.data.get(key, default)


@cache
def root() -> Path:
    """The folder that holds the corpora.

    Raises:
        HarnessError: the installation has none.
    """
    package = Path(__file__).parent
    for candidate in (package / "_data" / "corpora", package.parent / "corpora"):
        if candidate.is_dir():
            return candidate
    raise HarnessError("the corpora are missing from this installation", hint="pip install --force-reinstall sealmark")


@cache
def cases(name: str) -> tuple[Case, ...]:
    """The cases of one corpus (`fs/fs-read-escape`, `_shared/paths`), in file order; empty when it has no file.

    Raises:
        HarnessError: an entry without an id or a reason, or a repeated id.
    """
    path = root() / name / "cases.yaml" if "_shared" not in name else root() / f"{name}.yaml"
    if not path.is_file():
        return ()
    entries = yaml.safe_load(path.read_text("utf-8"))["cases"]
    found: dict[str, Case] = {}
    for entry in entries:
        case_id, why = str(entry.pop("id", "")), str(entry.pop("why", ""))
        if not case_id or not why or case_id in found:
            raise HarnessError(f"corpora/{name}: entry {case_id!r} lacks an id or a reason, or repeats an id")
        found[case_id] = Case(case_id, why, entry)
    return tuple(found.values())


@cache
def digest() -> str:
    """SHA-256 over every corpus file that a plan can read (names and bytes, sorted); toys and records do not count."""
    total = hashlib.sha256()
    for path in sorted(root().rglob("*.yaml")):
        name = path.relative_to(root()).as_posix()
        if name.startswith("servers/"):
            continue
        total.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()
