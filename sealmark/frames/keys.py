"""What every row begins with, and what a frame can be limited to."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from sealmark.record.model import Judgement, RunRecord

ID_LENGTH = 12
"""Hexadecimal digits of a run id."""


def run_id(run: RunRecord) -> str:
    """The short name of a run: a hash over the server, the configuration's hash and the start.

    The server is its name, version, command and URL. The configuration's hash is that of the newest judgement, or empty
    when nothing was judged.
    """
    server = run.gathered.server
    judgement = newest(run)
    config = judgement.integrity.hash if judgement is not None else ""
    key = msgspec.json.encode([server.name, server.version, server.command, server.url, config, run.started_at])
    return hashlib.sha256(key).hexdigest()[:ID_LENGTH]


def newest(run: RunRecord) -> Judgement | None:
    """The newest judgement of a run (also of one that was read in part)."""
    return run.judgements[-1] if run.judgements else None


@dataclass(frozen=True, slots=True)
class Only:
    """What a frame is limited to; None means everything."""

    servers: frozenset[str] | None = None
    packs: frozenset[str] | None = None
    checks: frozenset[str] | None = None

    @classmethod
    def of(
        cls,
        servers: str | Collection[str] | None = None,
        packs: str | Collection[str] | None = None,
        checks: str | Collection[str] | None = None,
    ) -> Only:
        """A limit from names as a caller writes them: one name, several, or None."""
        return cls(_names(servers), _names(packs), _names(checks))

    def within(self, other: Only) -> Only:
        """Both limits at once."""
        return Only(
            _both(self.servers, other.servers), _both(self.packs, other.packs), _both(self.checks, other.checks)
        )

    def server(self, name: str) -> bool:
        """Whether runs of this server are wanted."""
        return self.servers is None or name in self.servers

    def check(self, pack: str, check: str) -> bool:
        """Whether rows of this check of this pack are wanted."""
        return (self.packs is None or pack in self.packs) and (self.checks is None or check in self.checks)


ALL = Only()
"""No limit."""


def _names(given: str | Collection[str] | None) -> frozenset[str] | None:
    return None if given is None else frozenset([given]) if isinstance(given, str) else frozenset(given)


def _both(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    return one if other is None else other if one is None else one & other


class Key(NamedTuple):
    """What every row of a run begins with, and when the run began (as recorded)."""

    id: str
    server: str
    server_version: str
    started: str


def key_of(run: RunRecord) -> Key:
    """The key of a run."""
    server = run.gathered.server
    return Key(run_id(run), server.name, server.version, run.started_at)
