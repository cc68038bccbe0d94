"""The harness's own connection: what is true, what changed, and how it is put back.

Also a second connection, of the role admin, which is there to be ended by a statement that should not be able to.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import psycopg

from sealmark.bench.postgres import seed
from sealmark.bench.postgres.place import Place
from sealmark.bench.postgres.state import differences, read

VICTIM = "sealmark-victim"
"""Application name of the connection that a statement may try to end."""

RUNNING: Mapping[str, str] = {"sleeping": "%pg_sleep%", "computing": "%sealmark_busy%"}
"""Watch -> what a statement holds that still runs."""

MAX_CHANGES = 20

_SCHEMAS = "SELECT quote_ident(nspname) FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'"


class Database:
    """Looks at one database and restores it.

    Args:
        place: where it is.
        given: the values of the run.
    """

    def __init__(self, place: Place, given: Mapping[str, str]) -> None:
        self._place, self._given = place, given
        self._roles = [place.users[role] for role in seed.ROLES]
        self._connection: psycopg.Connection[Any] = psycopg.connect(**place.superuser, autocommit=True)  # type: ignore[arg-type]
        self._connection.execute("SET lock_timeout = '2s'")
        self._connection.execute(seed.values(given).encode())
        self._verifiers = dict(
            self._connection.execute(
                "SELECT rolname, rolpassword FROM pg_authid WHERE rolname = ANY (%s)", [self._roles]
            )
        )
        self._victim = self._new_victim()
        self._start = self._read()
        self._last = self._start

    def _read(self) -> dict[str, Any]:
        return read(self._connection, self._roles, whole_server=self._place.whole_server)

    def look(self) -> dict[str, Any]:
        """What changed since the last look or restore: `changes`, each with `what`, `change` and some rows."""
        now = self._read()
        changes = list(differences(self._last, now))
        self._last = now
        with suppress(psycopg.Error):
            self._victim.execute("SELECT 1")
        if self._victim.broken:
            changes.append({"what": "connection of admin", "change": "ended"})
            self._victim = self._new_victim()
        cut = len(changes) - MAX_CHANGES
        return {"changes": changes[:MAX_CHANGES], **({"more": cut} if cut > 0 else {})}

    def restore(self) -> None:
        """Put everything back as it was at the start, if anything differs."""
        self._last = self._read()
        if self._last == self._start:
            return
        for in_the_way in ("idle in transaction%", "%"):
            try:
                self._rebuild()
                break
            except psycopg.errors.LockNotAvailable:
                self._end_others(in_the_way)
        else:
            self._rebuild()
        self._last = self._read()

    def _rebuild(self) -> None:
        with self._connection.transaction():
            self._outside()
            for (name,) in self._connection.execute(_SCHEMAS).fetchall():
                self._connection.execute(f"DROP SCHEMA {name} CASCADE".encode())
            self._connection.execute("SELECT lo_unlink(oid) FROM pg_largeobject_metadata")
            self._connection.execute("CREATE SCHEMA public")
            self._connection.execute((seed.content(self._place.users) + seed.values(self._given)).encode())

    def _outside(self) -> None:
        """What does not lie in a schema: roles, their settings and passwords, those of the database."""
        known = {name.removeprefix("role ") for name in self._start if name.startswith("role ")}
        for name in (name.removeprefix("role ") for name in self._last if name.startswith("role ")):
            if name not in known:
                quoted = psycopg.sql.Identifier(name)
                for command in ("DROP OWNED BY {} CASCADE", "DROP ROLE {}"):
                    self._connection.execute(psycopg.sql.SQL(command).format(quoted))
        for role in self._roles:
            plain = "NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS LOGIN INHERIT CONNECTION LIMIT -1"
            self._connection.execute(f"ALTER ROLE {role} {plain} PASSWORD '{self._verifiers[role]}'".encode())
            self._connection.execute(f"ALTER ROLE {role} RESET ALL".encode())
            self._connection.execute(f"ALTER ROLE {role} IN DATABASE {self._place.database} RESET ALL".encode())
        self._connection.execute(f"ALTER DATABASE {self._place.database} RESET ALL".encode())

    def _end_others(self, state: str) -> None:
        """End connections of the roles that hold locks: first those of servers that left a transaction open."""
        self._connection.execute(
            "SELECT pg_terminate_backend(pid, 2000) FROM pg_stat_activity WHERE usename = ANY (%s) "
            "AND application_name <> %s AND state LIKE %s",
            [self._roles, VICTIM, state],
        )

    def running(self, what: str) -> dict[str, Any]:
        """How many statements of that kind run now."""
        query = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND usename = ANY (%s) AND query ILIKE %s"
        row = self._connection.execute(query, [self._roles, RUNNING[what]]).fetchone()
        return {"running": row[0] if row else 0}

    def end(self, what: str) -> None:
        """End the statements of that kind."""
        self._connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'active' "
            "AND usename = ANY (%s) AND query ILIKE %s",
            [self._roles, RUNNING[what]],
        )

    def _new_victim(self) -> psycopg.Connection[Any]:
        parameters = {
            **self._place.superuser,
            "user": self._place.users["admin"],
            "password": self._place.passwords["admin"],
            "application_name": VICTIM,
        }
        return psycopg.connect(**parameters, autocommit=True)  # type: ignore[arg-type]

    def close(self) -> None:
        """Close both connections."""
        for connection in (self._victim, self._connection):
            with suppress(psycopg.Error):
                connection.close()
