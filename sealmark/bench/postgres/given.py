"""A Postgres of the user's: a database and roles of the run's own are made in it, and dropped at the end.

The harness holds an advisory lock while the run lives. What a run left that did not live to its end is dropped when the
next one starts: its lock is free then.
"""

from __future__ import annotations

import re
import secrets
from contextlib import suppress
from typing import Any

import psycopg
from psycopg import conninfo

from sealmark.bench.postgres import seed
from sealmark.bench.postgres.place import OURS, PREFIX, Place, address
from sealmark.errors import HarnessError

_RUN = re.compile(PREFIX + r"([0-9a-f]{8})")
_HELD = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = 0 AND objid::bigint = %s AND granted"
"""Whether a run lives. A lock belongs to the database in which it was taken; this view shows those of all."""


class Given:
    """Uses a server by a superuser's connection string."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._connection: psycopg.Connection[Any] | None = None
        self._run = ""

    def start(self) -> Place:
        """Make the database and the roles.

        Raises:
            HarnessError: the server cannot be reached, or the user is no superuser.
        """
        try:
            parameters = {**conninfo.conninfo_to_dict(self._dsn), "application_name": OURS}
            self._connection = connection = psycopg.connect(**parameters, autocommit=True)  # type: ignore[arg-type]
            return self._make(connection, parameters)
        except psycopg.Error as error:
            says = str(error).splitlines()[0]
            raise HarnessError(
                f"the Postgres at {address(self._dsn)} cannot be used: {says}",
                hint="--pg takes a superuser's connection string: postgresql://USER:PASSWORD@HOST:PORT/DATABASE.",
                code="NO_POSTGRES",
            ) from None

    def _make(self, connection: psycopg.Connection[Any], parameters: dict[str, Any]) -> Place:
        if connection.info.parameter_status("is_superuser") != "on":
            raise HarnessError(
                f"the user {connection.info.user!r} of --pg is no superuser",
                hint="The harness creates a database and roles, and looks at everything in it: give a superuser's.",
                code="NO_POSTGRES",
            )
        self._sweep(connection)
        run = secrets.token_hex(4)
        connection.execute("SELECT pg_advisory_lock(%s)", [int(run, 16)])
        self._run = run
        database = PREFIX + run
        users = {role: f"{PREFIX}{run}_{role}" for role in seed.ROLES}
        passwords = {role: secrets.token_hex(12) for role in seed.ROLES}
        connection.execute(f"CREATE DATABASE {database} TEMPLATE template0".encode())
        connection.execute((seed.roles(users) + seed.logins(users, passwords)).encode())
        inside = {**parameters, "dbname": database}
        with psycopg.connect(**inside, autocommit=True) as seeding:
            seeding.execute(seed.content(users).encode())
        info = connection.info
        version = info.server_version
        return Place(
            host=info.host if info.host and not info.host.startswith("/") else "127.0.0.1",
            port=info.port,
            database=database,
            superuser={name: str(value) for name, value in inside.items()},
            users=users,
            passwords=passwords,
            version=f"{version // 10000}.{version % 10000}",
            source="given",
            whole_server=False,
        )

    def _sweep(self, connection: psycopg.Connection[Any]) -> None:
        """Drop what runs left that no longer hold their lock."""
        names = [
            row[0] for row in connection.execute("SELECT datname FROM pg_database UNION SELECT rolname FROM pg_roles")
        ]
        runs = sorted({match[1] for name in names if (match := _RUN.match(name))})
        for run in runs:
            if connection.execute(_HELD, [int(run, 16)]).fetchone() is None:
                _drop(connection, run)

    def stop(self) -> None:
        """Drop what was made."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        with suppress(psycopg.Error):
            if self._run:
                _drop(connection, self._run)
        connection.close()


def _drop(connection: psycopg.Connection[Any], run: str) -> None:
    connection.execute(f"DROP DATABASE IF EXISTS {PREFIX}{run} WITH (FORCE)".encode())
    for role in seed.ROLES:
        connection.execute(f"DROP ROLE IF EXISTS {PREFIX}{run}_{role}".encode())
