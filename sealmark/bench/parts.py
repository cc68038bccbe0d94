"""Which parts a run gets: what the placeholders of the launch name, and what the selected packs look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from sealmark.bench import isolation
from sealmark.bench.callers import Callers
from sealmark.bench.git import GitPart
from sealmark.bench.launch import CALLERS, Launch
from sealmark.bench.listener import Listener, loopback_sockets
from sealmark.bench.listening import Bound
from sealmark.bench.part import Part
from sealmark.bench.ports import ServerPort
from sealmark.bench.postgres import PostgresPart
from sealmark.bench.postgres.part import PLACEHOLDERS as DATABASE
from sealmark.bench.snapshots import Snapshots
from sealmark.bench.sqlite import SqliteFile
from sealmark.bench.sqlite_picture import MAX_ROWS
from sealmark.bench.upstream import stub_of
from sealmark.bench.waiting import WaitingPart
from sealmark.record.marks import names_in
from sealmark.settings import Settings
from sealmark.settings.references import resolve

LISTENING = ("net", "effects", "inject")
"""Packs that look at who came to the listener."""


def parts_of(settings: Settings, launch: Launch, packs: Sequence[str], environ: Mapping[str, str]) -> tuple[Part, ...]:
    """What the bench must own besides sandboxes.

    Raises:
        ConfigError: a referenced variable is not set.
    """
    filled = resolve(settings, environ)
    told = launch.placeholders | names_in([file["content"] for file in settings["server.files"]])
    parts = (
        *_listeners(settings, told, packs),
        *_reaching(launch, filled),
        *_databases(settings, launch, environ),
        *([stub_of(settings, filled, packs, single=launch.reach is not None)] if settings["upstream.kind"] else ()),
        *_sqlite_files(settings, launch, told),
        *_fixtures(settings, launch, packs),
    )
    return (*parts, *isolation.chosen(settings["isolation"], parts, behind_url=launch.reach is not None))


def _listeners(settings: Settings, told: frozenset[str], packs: Sequence[str]) -> Iterator[Part]:
    """The listener, with a site for each pack that looks at it; one at least where the server is told of it."""
    looking = [pack for pack in LISTENING if pack in packs] or list(packs[:1] if "listener" in told else ())
    if looking:
        slow_sec = settings["timeouts.probe_sec"] * 1.5 + 2
        yield Listener(loopback_sockets, looking, body_mib=settings["checks.net-caps.body_mib"], slow_sec=slow_sec)


def _reaching(launch: Launch, filled: Mapping[str, Any]) -> Iterator[Part]:
    """What a server behind a URL needs: a port, and tokens of its callers."""
    if "server_port" in launch.placeholders:
        yield ServerPort()
    if launch.reach is not None and not launch.argv:
        found = urlsplit(launch.reach.url)
        yield Bound(found.port or {"https": 443}.get(found.scheme, 80))
    if launch.placeholders & CALLERS:
        yield Callers({name: filled[f"identities.{name}"] for name in ("a", "b")})


def _databases(settings: Settings, launch: Launch, environ: Mapping[str, str]) -> Iterator[Part]:
    """The Postgres that the server is told of."""
    if not launch.placeholders & DATABASE:
        return
    dsn = resolve(settings, environ)["db.pg"]
    yield PostgresPart(dsn, bin_dir=settings["db.bin_dir"], embedded=settings["db.embedded"], environ=environ)


def _sqlite_files(settings: Settings, launch: Launch, told: frozenset[str]) -> Iterator[Part]:
    """The SQLite file where the server is told of it, with more rows in its large table than one reply may hold."""
    if launch.confined and {"sqlite_path", "duckdb_path"} & told:
        rows = min(settings["checks.sqlite-row-cap.max_rows"] + 1000, MAX_ROWS)
        yield SqliteFile(rows=rows, sqlite="sqlite_path" in told, duckdb="duckdb_path" in told)


def _fixtures(settings: Settings, launch: Launch, packs: Sequence[str]) -> Iterator[Part]:
    """What single packs have in their own sandboxes."""
    rooted_here = bool({"sandbox", "dir"} & launch.placeholders) or settings["server.rootless"]
    if launch.confined and "git" in packs and rooted_here:
        yield GitPart()
    if launch.confined and "effects" in packs:
        yield Snapshots(("effects",))
    if launch.confined and "exec" in packs and settings["active"]:
        yield WaitingPart()
