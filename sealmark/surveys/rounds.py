"""A round of a survey: when it began and what belongs to it, so that a stopped one can be taken up again.

What is done is read off the store itself: a run of a job that began in the round and came to its end. There is no
second book to keep, so that a crash at any moment can neither lose a stored run nor have one done twice.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from sealmark.atomic import write_atomic
from sealmark.errors import RecordError, UsageError
from sealmark.record.model import RunRecord
from sealmark.record.partial import Reader
from sealmark.store import Store
from sealmark.surveys.jobs import LOST, Identity, Job

FOLDER = ".survey"


class Round(msgspec.Struct, frozen=True):
    """When a survey was begun, and what it was to run."""

    began: str
    jobs: tuple[Identity, ...]


def begin(store: Store, name: str, jobs: Sequence[Job], *, resume: bool) -> Round:
    """A new round, or with `resume` the last one of this survey; servers that were added since belong to it too.

    Raises:
        UsageError: two jobs cannot be told apart, or there is no round to resume.
    """
    identities = [job.identity for job in jobs]
    for at, identity in enumerate(identities):
        if identity in identities[:at]:
            first = jobs[identities.index(identity)].entry
            raise UsageError(
                f"{first!r} and {jobs[at].entry!r} are the same server with the same configuration",
                hint="Remove one, or give them different names.",
            )
    path = store.folder / FOLDER / f"{_plain(name)}.json"
    if resume:
        return msgspec.structs.replace(_read(path), jobs=tuple(identities))
    round_ = Round(now(), tuple(identities))
    path.parent.mkdir(exist_ok=True)
    write_atomic(path, msgspec.json.encode(round_))
    return round_


def now() -> str:
    """The present moment, as records have it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _read(path: Path) -> Round:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Round)
    except (OSError, msgspec.DecodeError):
        raise UsageError(
            f"{path.parent.parent} holds no survey of that name to resume", hint="Start it without --resume."
        ) from None


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name)[:80].strip("-") or "survey"


_READER = Reader(("started_at", "status", "failure", "gathered.server"))


def done(store: Store, round_: Round) -> Mapping[Identity, Path]:
    """The file of every run of this round that came to its end, by the identity of its job; the newest of each."""
    wanted = set(round_.jobs)
    configs = {config for _, _, config in wanted}
    found: dict[Identity, tuple[str, Path]] = {}
    for path in store.paths():
        config = next((part for part in path.name.split(".") if part in configs), None)
        run = _header(path) if config is not None else None
        if run is None or config is None or not _counts(run, round_):
            continue
        server = run.gathered.server
        for identity in ((server.name, server.version, config), (server.name, "", config)):
            if identity in wanted and run.started_at >= found.get(identity, ("",))[0]:
                found[identity] = (run.started_at, path)
    return {identity: path for identity, (_, path) in found.items()}


def _header(path: Path) -> RunRecord | None:
    try:
        return _READER.read(path.read_bytes(), path.name)
    except (OSError, RecordError):
        return None


def _counts(run: RunRecord, round_: Round) -> bool:
    """Whether a run is one of this round and need not be done again."""
    lost = run.failure is not None and run.failure.code == LOST
    return _moment(run.started_at) >= _moment(round_.began) and run.status != "interrupted" and not lost


def _moment(text: str) -> datetime:
    """A time of a record; one without a fraction may lie anywhere in its second, so its end counts."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return moment if "." in text else moment.replace(microsecond=999_999)
