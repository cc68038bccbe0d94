"""A server of the run's own: a copy of the template, its own port, passwords of its own."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

import psycopg

from sealmark.bench.postgres import binaries, places, seed, template
from sealmark.bench.postgres.launcher import Postmaster
from sealmark.bench.postgres.place import OURS, Place
from sealmark.errors import HarnessError

DATABASE = "shop"
USERS = {role: role for role in seed.ROLES}


class Embedded:
    """Starts the programs that a run may use.

    Args:
        bin_dir: where they lie, when somebody said so.
        embedded: whether those of the extra may be used.
        environ: the user's environment.
    """

    def __init__(self, bin_dir: str | None, *, embedded: bool, environ: Mapping[str, str]) -> None:
        self._bin_dir, self._embedded, self._environ = bin_dir, embedded, environ
        self._postmaster: Postmaster | None = None
        self._directory: places.RunDirectory | None = None

    def start(self) -> Place:
        """Start a server on a fresh copy of the template.

        Raises:
            HarnessError: it does not start, or its directory cannot be made.
            MissingExtra: there are no programs to start.
        """
        found = binaries.find(self._bin_dir, embedded=self._embedded, environ=self._environ)
        who = places.account()
        try:
            found = template.reachable(found, who, self._environ)
            model = template.ensure(found, who, self._environ, seed.roles(USERS) + seed.content(USERS), _seed)
            self._directory = places.RunDirectory()
            data = self._directory.path / "data"
            model.copy(data, who)
        except OSError as error:
            raise HarnessError(f"cannot prepare a Postgres: {error}", code="NO_POSTGRES") from None
        self._postmaster = Postmaster(found, who, data)
        passwords = {role: secrets.token_hex(12) for role in ("superuser", *seed.ROLES)}
        _let_in(_parameters(self._postmaster.port, model.password), passwords)
        return Place(
            host="127.0.0.1",
            port=self._postmaster.port,
            database=DATABASE,
            superuser=_parameters(self._postmaster.port, passwords["superuser"]),
            users=USERS,
            passwords=passwords,
            version=found.version,
            source=found.source,
            whole_server=True,
        )

    def stop(self) -> None:
        """End the server and remove its directory."""
        if self._postmaster is not None:
            self._postmaster.stop()
            self._postmaster = None
        if self._directory is not None:
            self._directory.remove()
            self._directory = None


def _parameters(port: int, password: str, database: str = DATABASE) -> dict[str, str]:
    return {
        "host": "127.0.0.1",
        "port": str(port),
        "user": template.SUPERUSER,
        "password": password,
        "dbname": database,
        "application_name": OURS,
        "connect_timeout": "10",
        "sslmode": "disable",
        "gssencmode": "disable",
    }


def _let_in(parameters: Mapping[str, Any], passwords: Mapping[str, str]) -> None:
    """Give the superuser and the roles this run's passwords, so that the template's is worth nothing."""
    with psycopg.connect(**parameters, autocommit=True) as connection:
        connection.execute(f"ALTER ROLE {template.SUPERUSER} PASSWORD '{passwords['superuser']}'".encode())
        connection.execute(seed.logins(USERS, passwords).encode())


def _seed(port: int, password: str) -> None:
    """Make the roles and the database of the template, and drop the others: each would be 300 files more to copy."""
    with psycopg.connect(**_parameters(port, password, "template1"), autocommit=True) as connection:  # type: ignore[arg-type]
        connection.execute(f"CREATE DATABASE {DATABASE} TEMPLATE template0".encode())
        connection.execute(seed.roles(USERS).encode())
    with psycopg.connect(**_parameters(port, password), autocommit=True) as connection:  # type: ignore[arg-type]
        connection.execute(seed.content(USERS).encode())
        connection.execute(b"UPDATE pg_database SET datistemplate = false")
        for spare in ("template0", "template1", "postgres"):
            connection.execute(f"DROP DATABASE {spare} WITH (FORCE)".encode())
