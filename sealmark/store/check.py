"""Looks after a store: finds what is wrong in it, and brings records of older versions up to date."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from sealmark.atomic import write_atomic
from sealmark.compare.fingerprint import stamp
from sealmark.compare.fingerprint import verify as edits
from sealmark.errors import RecordError
from sealmark.frames.cache import FOLDER, parts, places
from sealmark.frames.keys import run_id
from sealmark.frames.runs import Problem
from sealmark.record import codec
from sealmark.store.cache import identities
from sealmark.store.store import Store


def verify(store: Store) -> Iterator[Problem]:
    """Everything that is wrong with the files of a store, each file read whole.

    Unreadable records, names that are not those of their run, fingerprints that do not fit, a run that is there twice,
    what a crash left behind.
    """
    holders: dict[str, Path] = {}
    for path in store.paths():
        try:
            run = codec.load(path.read_bytes(), path.name)
        except (OSError, RecordError) as error:
            text = error.message if isinstance(error, RecordError) else f"{path.name}: {error.strerror}"
            yield Problem(str(path), "RECORD_UNREADABLE", text.removeprefix(f"{path.name}: "), _hint(error))
            continue
        name = run_id(run)
        if f".{name}." not in path.name and f".{name}-" not in path.name:
            text = f"the content is run {name}, which the file's name does not say: renamed, or edited"
            yield Problem(str(path), "NAME_MISMATCH", text, "Restore the file, or run the server again.")
        for edit in edits(run):
            text = f"{edit.part}: {edit.line}"
            yield Problem(str(path), "RECORD_EDITED", text, "Restore the file, or run the server again.")
        if name in holders:
            text = f"holds the same run as {holders[name].name} ({name})"
            yield Problem(str(path), "RUN_REPEATED", text, "Delete one of the two files.")
        holders.setdefault(name, path)
    for path in sorted(store.folder.glob(".*.tmp")):
        yield Problem(str(path), "LEFT_BEHIND", "a write that was stopped half way", "Delete it.")


def _hint(error: Exception) -> str:
    return error.hint if isinstance(error, RecordError) else "Look at the file's owner and permissions."


def stale(store: Store) -> int:
    """How many runs the cache does not hold as they are now; every run when there is no cache."""
    held = places(parts(store.folder)) if (store.folder / FOLDER).is_dir() else {}
    return sum(identity not in held for identity in identities(store.folder))


def migrate(store: Store) -> list[Path]:
    """Rewrite records of older versions in the current schema; each original is kept beside it as `NAME.bak`.

    Records that are current are not touched, those that cannot be read are left to `verify`. The fingerprints are made
    anew, since they are over the document as it now stands.

    Returns:
        the files that were rewritten.
    """
    changed = []
    for path in store.paths():
        data = path.read_bytes()
        try:
            version: Any = msgspec.json.decode(data, type=_Header).schema
            if codec.is_current(version):
                continue
            run = codec.load(data, path.name)
        except (msgspec.DecodeError, RecordError):
            continue
        write_atomic(path.with_name(path.name + ".bak"), data)
        write_atomic(path, codec.dump(stamp(run)))
        changed.append(path)
    return changed


class _Header(msgspec.Struct):
    schema: Any = None
