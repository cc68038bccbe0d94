"""The words in braces that the harness fills in configured texts, where each may stand, and what it stands for."""

from __future__ import annotations

from typing import Literal

import msgspec

Where = Literal["launch", "files", "probes", "replies"]
"""How the server is started and reached; content of staged files; a user's probes; scripted replies of the stub."""

PLACES: dict[Where, str] = {
    "launch": "command, args, env, cwd, url and headers of the server",
    "files": "content of server.files",
    "probes": "arguments of probes",
    "replies": "scripted replies of upstream.responses",
}


class Placeholder(msgspec.Struct, frozen=True):
    """One word.

    Attributes:
        name: without braces.
        says: what it stands for.
        where: where it is filled.
        forms: what may follow it after a colon.
        database: it is one server instance's, so it cannot stand in a file that all of them share.
    """

    name: str
    says: str
    where: tuple[Where, ...] = ("launch",)
    forms: tuple[str, ...] = ()
    database: bool = False


_EVERYWHERE: tuple[Where, ...] = ("launch", "files", "probes")
_FILED: tuple[Where, ...] = ("launch", "files")
_ROLES = ("analyst", "support", "admin")

PLACEHOLDERS = (
    Placeholder("sandbox", "The allowed root: a directory of the harness, in which the server starts.", _EVERYWHERE),
    Placeholder("dir", "Another word for {sandbox}.", _EVERYWHERE),
    Placeholder("sandbox_home", "The server's home directory (HOME, USERPROFILE, APPDATA).", _EVERYWHERE),
    Placeholder("sqlite_path", "A seeded SQLite file in the sandbox.", _EVERYWHERE),
    Placeholder("duckdb_path", "A DuckDB file in the sandbox; it is not graded.", ("launch", "files")),
    Placeholder("dsn", "The connection string of a seeded Postgres, for one role.", forms=_ROLES, database=True),
    Placeholder("host", "Host of that Postgres.", database=True),
    Placeholder("port", "Its port.", database=True),
    Placeholder("user", "The role's name at it.", database=True),
    Placeholder("password", "The role's password.", database=True),
    Placeholder("database", "The name of its database.", database=True),
    Placeholder("role", "The role under test: analyst, support or admin.", database=True),
    Placeholder("server_port", "A free port on loopback, for a server that is started behind a URL.", _FILED),
    Placeholder("upstream", "The URL of the stub that stands in for the server's backend.", ("launch", "files")),
    Placeholder("bearer", "A caller's token; in headers.", forms=("a", "b")),
    Placeholder("listener", "The URL of a listener on loopback that sees every request.", _EVERYWHERE),
    Placeholder("canary", "A worthless secret that the server has in its environment.", ("probes",)),
    Placeholder("token", "A random word, another one for each run.", ("probes",)),
    Placeholder("matrix", "A value of the probe's matrix, as {matrix.NAME}.", ("probes",)),
    Placeholder("upstream_token", "A marker that the stub mints for each time it answers.", ("replies",)),
)
"""Every placeholder, in the order of the documentation."""


def names(where: Where) -> frozenset[str]:
    """The placeholders that are filled there."""
    return frozenset(found.name for found in PLACEHOLDERS if where in found.where)


def database() -> frozenset[str]:
    """The placeholders of one server instance's database."""
    return frozenset(found.name for found in PLACEHOLDERS if found.database)


def forms(name: str) -> tuple[str, ...]:
    """What may follow a placeholder after a colon."""
    return next((found.forms for found in PLACEHOLDERS if found.name == name), ())
