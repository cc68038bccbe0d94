"""Where the database of a run is, and how each role gets in."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import quote, urlsplit

OURS = "sealmark-harness"
"""Application name of the harness's own connections."""

PREFIX = "sealmark_"
"""How the names begin of what is made in a server of the user's."""


@dataclass(frozen=True)
class Place:
    """A database with its roles.

    Attributes:
        host: of the server.
        port: of the server.
        database: name of the run's database.
        superuser: connection parameters of the harness's own connection to that database.
        users: role -> its name at the server.
        passwords: role -> its password.
        version: of the server.
        source: where it comes from: embedded, directory, PATH, given.
        whole_server: whether the whole server is the run's own, roles included.
    """

    host: str
    port: int
    database: str
    superuser: Mapping[str, str]
    users: Mapping[str, str]
    passwords: Mapping[str, str]
    version: str
    source: str
    whole_server: bool

    def dsn(self, role: str) -> str:
        """The connection string of one role."""
        return f"postgresql://{quote(self.users[role])}:{self.passwords[role]}@{self.where}/{self.database}"

    @property
    def where(self) -> str:
        """Host and port as they stand in an address."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Source(Protocol):
    """What makes a place and takes it away."""

    def start(self) -> Place:
        """Make it.

        Raises:
            HarnessError: it cannot be made.
        """
        ...

    def stop(self) -> None:
        """Take it away; may be called twice, and when it never started."""
        ...


def address(dsn: str) -> str:
    """Host and port of a connection string, in words when it does not hold them plainly."""
    with suppress(ValueError):
        if "://" in dsn:
            return urlsplit(dsn).netloc.rpartition("@")[2] or "the local server"
    return "the given server"
