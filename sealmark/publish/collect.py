"""Stored runs, less what may not be published, by server and version. Their frames are the site's numbers."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sealmark.errors import RecordError
from sealmark.frames.columns import Grain
from sealmark.frames.files import Stored
from sealmark.frames.keys import Key, Only
from sealmark.frames.run import Run
from sealmark.frames.runs import Problem, Runs
from sealmark.frames.versions import version_key
from sealmark.publish import policy as policies
from sealmark.reading.shown import line
from sealmark.record.model import RunRecord, Setting

if TYPE_CHECKING:
    import pandas as pd

GRADED = ("A", "B", "C", "D", "F")
"""Letters, best first."""


@dataclass(frozen=True, slots=True)
class Letter:
    """One pack of one run: the letter, or the status that it has instead."""

    pack: str
    grade: str
    status: str
    provisional: bool
    capped: bool
    custom: bool
    hygiene: bool

    @property
    def mark(self) -> str:
        """The letter with its star; empty without one."""
        return self.grade + "*" * self.provisional if self.grade else ""


@dataclass(frozen=True, slots=True)
class Version:
    """One run of a server, the one that stands for its version. `position` is its place among the runs."""

    position: int
    run_id: str
    raw_version: str
    version: str
    started: str
    letters: Mapping[str, Letter]
    standard: bool
    judged: bool
    invented: bool
    transport: str
    package: str

    @property
    def worst(self) -> str:
        """The worst letter of any pack; empty without one. No verdict on the server as a whole."""
        return max((letter.grade for letter in self.letters.values() if letter.grade), default="")

    @property
    def day(self) -> str:
        """The day of the run, ISO."""
        return self.started[:10]


@dataclass(frozen=True, slots=True)
class Change:
    """The letters of one pack that differ between a version and the one before it (`before` empty: none before)."""

    pack: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Server:
    """One server: its versions in order, one run each, and every run that there is of it."""

    name: str
    slug: str
    versions: tuple[Version, ...]
    runs: tuple[Version, ...]

    @property
    def latest(self) -> Version:
        """The newest version."""
        return self.versions[-1]

    @property
    def shown(self) -> str:
        """The name as pages show it."""
        return line(self.name, 80) or "unnamed server"

    @property
    def ecosystem(self) -> str:
        """The registry of its package: npm, pypi, or `other` when it names none."""
        kind = self.latest.package.partition(":")[0]
        return kind if kind in ("npm", "pypi") else "other"

    def changes(self) -> Iterator[tuple[Version, Version, tuple[Change, ...]]]:
        """Consecutive versions whose letters differ, oldest first."""
        for before, after in zip(self.versions, self.versions[1:], strict=False):
            if found := changed(before, after):
                yield before, after, found

    @property
    def changed_on(self) -> str:
        """The day of the run that last changed a letter; of a server that never changed, that of its first run."""
        return next((after.day for _, after, _ in reversed(list(self.changes()))), self.versions[0].day)


def changed(before: Version, after: Version) -> tuple[Change, ...]:
    """Packs with another letter, in the order of the later version. Only packs that have a letter in both count."""
    both = [pack for pack in after.letters if pack in before.letters]
    pairs = [(pack, before.letters[pack].mark, after.letters[pack].mark) for pack in both]
    return tuple(Change(pack, old, new) for pack, old, new in pairs if old and new and old != new)


class Published:
    """A source of runs in which nothing is left of servers that may not be published, nor of paths on this machine."""

    def __init__(self, source: Stored, positions: Sequence[int], names: Sequence[str]) -> None:
        self._source = source
        self._positions = positions
        self.names = names
        self.keys = [source.keys[position] for position in positions]

    @property
    def problems(self) -> Sequence[Problem]:
        """What could not be read so far."""
        return self._source.problems

    def run(self, position: int) -> Run:
        """One run, read whole."""
        return Run(self._source.run(self._positions[position]).record, self.names[position])

    def parts(self, positions: Sequence[int], reads: Collection[str]) -> Iterator[RunRecord]:
        """Parts of runs."""
        return self._source.parts([self._positions[at] for at in positions], reads)

    def frame(
        self, grain: Grain, positions: Sequence[int], only: Only, columns: Collection[str] | None = None
    ) -> pd.DataFrame:
        """The rows of these runs; `file` is the name under which the site offers the run."""
        made = self._source.frame(grain, [self._positions[at] for at in positions], only, columns)
        if grain.name == "runs" and "file" in made.columns:
            files = {self.keys[at].id: self.names[at] for at in positions}
            key = (
                made["run_id"] if "run_id" in made.columns else self.frame(grain, positions, only, ["run_id"])["run_id"]
            )
            made["file"] = key.map(files).astype("string")
        return made


@dataclass(frozen=True, slots=True)
class Store:
    """What is published: the runs with their frames, the servers, and notes for whoever publishes."""

    runs: Runs
    source: Published
    servers: tuple[Server, ...]
    notes: tuple[str, ...]
    kept_back: int

    def run(self, version: Version) -> RunRecord:
        """The whole record behind a version."""
        return self.source.run(version.position).record

    def file(self, version: Version) -> str:
        """The name of its download."""
        return self.source.names[version.position]

    @property
    def newest_day(self) -> str:
        """The day of the newest run; empty without one."""
        return max((version.day for server in self.servers for version in server.runs), default="")


def collect(paths: Iterable[Path], today: date) -> Store:
    """Every published server in these files and folders.

    Raises:
        RecordError: a path that does not exist, or no run that could be read.
        ConfigError: a `publish.yaml` that cannot be followed.
    """
    paths = list(paths)
    stored = Stored()
    for path in paths:
        stored.add(path)
    if not stored.keys:
        why = stored.problems[0].problem if stored.problems else "no run in it"
        where = stored.problems[0].file if stored.problems else ", ".join(map(str, paths))
        raise RecordError(f"{where}: {why}", hint="Runs are written by `sealmark run --format json --out FILE`.")
    policy = policies.load(paths)
    names = {key.server for key in stored.keys}
    notes = policies.check(policy, names)
    open_names = policies.both(policy, policies.recorded(_own_words(stored))).published(names, today)
    positions = [at for at, key in enumerate(stored.keys) if key.server in open_names]
    source = Published(stored, positions, [file_name(stored.keys[at]) for at in positions])
    runs = Runs(source)
    problems = tuple(f"{line(p.file, 300)}: {line(p.problem, 300)}" for p in stored.problems)
    return Store(runs, source, tuple(_servers(runs, source.keys)), (*notes, *problems), len(names - open_names))


def _own_words(stored: Stored) -> Iterator[tuple[str, tuple[Setting, ...]]]:
    """Server and settings of the runs that say something of publishing; few do, so the others are not decoded."""
    for position, entry in enumerate(stored.entries):
        if b'"publish.' in entry.path.read_bytes():
            for part in stored.parts([position], ["gathered.settings"]):
                yield entry.key.server, part.gathered.settings


def file_name(key: Key) -> str:
    """The name of a run's download: server, version and run id, in characters that any file system takes."""
    version = re.sub(r"[^0-9A-Za-z.]+", "-", key.server_version)[:30].strip("-.")
    return "-".join(part for part in (slug(key.server), version, key.id) if part) + ".json.gz"


def slug(name: str) -> str:
    """A server's name as part of an address: itself when it is plain, else what is plain of it and a hash.

    It depends on nothing but the name, so that an address stays when other servers come and go.
    """
    if re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) and len(name) <= 60:
        return name
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower())[:40].strip("-")
    return f"{plain or 'server'}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def _servers(runs: Runs, keys: Sequence[Key]) -> Iterator[Server]:
    """Servers by name; for a version stands its newest judged STANDARD run, else its newest judged, else its newest."""
    letters = _letters(runs)
    columns = ["run_id", "standard", "invented", "transport", "package"]
    rows = {row["run_id"]: row for row in _records(runs.frame("runs", columns))}
    ordered = sorted(
        range(len(keys)), key=lambda at: (keys[at].server, version_key(keys[at].server_version), keys[at].started)
    )
    for name, places in groupby(ordered, key=lambda at: keys[at].server):
        known = [at for at in places if keys[at].id in rows]
        every = [_version(at, keys[at], rows[keys[at].id], letters.get(keys[at].id, {})) for at in known]
        if not every:
            continue
        best = []
        for _, same in groupby(every, key=lambda version: version.raw_version):
            best.append(max(same, key=lambda version: (version.judged, version.standard, version.started)))
        yield Server(name, slug(name), tuple(best), tuple(every))


def _version(position: int, key: Key, row: Mapping[str, Any], letters: Mapping[str, Letter]) -> Version:
    return Version(
        position,
        key.id,
        key.server_version,
        line(key.server_version, 40),
        line(key.started, 40),
        letters,
        standard=row["standard"] is True,
        judged=row["standard"] is not None,
        invented=row["invented"] is True,
        transport=row["transport"] or "",
        package=row["package"] or "",
    )


def _letters(runs: Runs) -> dict[str, dict[str, Letter]]:
    columns = ["run_id", "pack", "grade", "status", "provisional", "capped_by", "standard", "hygiene_only"]
    found: dict[str, dict[str, Letter]] = {}
    for row in _records(runs.frame("packs", columns)):
        found.setdefault(row["run_id"], {})[row["pack"]] = Letter(
            row["pack"] or "",
            row["grade"] or "",
            row["status"] or "",
            provisional=row["provisional"] is True,
            capped=bool(row["capped_by"]),
            custom=row["standard"] is False,
            hygiene=row["hygiene_only"] is True,
        )
    return found


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as plain values, with None for what is missing."""
    plain = frame.astype(object)
    return cast("list[dict[str, Any]]", plain.where(plain.notna(), None).to_dict("records"))
