"""The database as a part of the bench: started before the server, looked at, put back, gone after it.

Sessions are connected by their name: `role:support` gets the support role's credentials, every other session the
analyst's. The driver is imported when the part starts, so that a run without a database does not need it.
"""

from __future__ import annotations

import importlib.util
import secrets
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from sealmark.bench.part import Part
from sealmark.bench.postgres import seed
from sealmark.errors import HarnessError, MissingExtra
from sealmark.record.marks import Marks

if TYPE_CHECKING:
    from sealmark.bench.postgres.database import Database
    from sealmark.bench.postgres.place import Place, Source
    from sealmark.bench.sandbox import Sandbox

PLACEHOLDERS = frozenset(("dsn", "host", "port", "user", "password", "database", "role"))
"""What stands for something in the configuration when there is a database."""

MAIN = "analyst"
"""The role of a session whose name says none."""


def role_of(session: str) -> str:
    """The role that a session connects as."""
    named = session.removeprefix("role:")
    return named if session.startswith("role:") and named in seed.ROLES else MAIN


def _broken(error: Exception) -> HarnessError:
    says = next(iter(str(error).splitlines()), "")
    return HarnessError(
        f"the harness's Postgres does not do what it should: {says}",
        hint="Run once more; with --pg, look at that server's log.",
        code="NO_POSTGRES",
    )


class PostgresPart(Part):
    """The seeded database of one run.

    Args:
        dsn: a superuser's connection string of the user's own server; None for one of the run's own.
        bin_dir: where the programs lie, when somebody said so.
        embedded: whether those of the extra may be used.
        environ: the user's environment.
    """

    watches = frozenset(("database", "sleeping", "computing"))

    def __init__(
        self, dsn: str | None = None, *, bin_dir: str | None = None, embedded: bool = True, environ: Mapping[str, str]
    ) -> None:
        self._dsn, self._bin_dir, self._embedded, self._environ = dsn, bin_dir, embedded, environ
        self._given = seed.mint(secrets.token_hex(16))
        self._source: Source | None = None
        self._database: Database | None = None
        self._place: Place | None = None
        self._marks = Marks(())
        self._lock = threading.Lock()

    def start(self, sandboxes: Mapping[str, Sandbox]) -> None:
        """Start the server, make the database, connect.

        Raises:
            HarnessError: it cannot be started.
            MissingExtra: the driver or the programs are missing.
        """
        if importlib.util.find_spec("psycopg") is None:
            raise MissingExtra("A server that takes {dsn} needs the database's driver; it", "postgres")
        import psycopg

        from sealmark.bench.postgres.database import Database
        from sealmark.bench.postgres.embedded import Embedded
        from sealmark.bench.postgres.given import Given

        self._source = (
            Given(self._dsn) if self._dsn else Embedded(self._bin_dir, embedded=self._embedded, environ=self._environ)
        )
        try:
            self._place = self._source.start()
            self._database = Database(self._place, self._given)
        except psycopg.Error as error:
            raise _broken(error) from None
        self._marks = Marks(self.marks().items())

    @property
    def place(self) -> Place:
        """Where it is, once it has started."""
        assert self._place is not None
        return self._place

    def _values(self, role: str) -> dict[str, str]:
        place = self.place
        return {
            "dsn": place.dsn(role),
            "host": place.host,
            "port": str(place.port),
            "user": place.users[role],
            "password": place.passwords[role],
            "database": place.database,
            "role": role,
        }

    def values(self, pack: str, session: str) -> Mapping[str, str]:
        """The credentials of the session's role, those of each role by name, and the values of the run."""
        each = {f"{name}:{role}": value for role in seed.ROLES for name, value in self._values(role).items()}
        return {**self._values(role_of(session)), **each, **self._given}

    def marks(self) -> Mapping[str, str]:
        """Every value that differs from run to run."""
        place = self.place
        pairs = {**self._given, "port": str(place.port)}
        for role in seed.ROLES:
            pairs |= {f"dsn:{role}": place.dsn(role), f"password:{role}": place.passwords[role]}
            if not place.whole_server:
                pairs[f"user:{role}"] = place.users[role]
        return pairs if place.whole_server else {**pairs, "database": place.database}

    def owned(self, pack: str) -> Mapping[str, str]:
        """The values of the run, which tell what was read."""
        return self._given if pack == "db" else {}

    def facts(self) -> Mapping[str, Any]:
        """What database it is; nothing that differs from run to run."""
        place = self.place
        about = {"engine": "PostgreSQL", "version": place.version, "source": place.source, "roles": list(seed.ROLES)}
        return {"database": {**about, "large_table_rows": seed.EVENTS}}

    def ports(self) -> tuple[int, ...]:
        """The server's, which is on loopback unless it is the user's own elsewhere."""
        return (self.place.port,) if self.place.host in ("127.0.0.1", "localhost", "::1") else ()

    def look(self, pack: str, what: str) -> dict[str, Any]:
        """What changed in the database, or how many statements still run."""
        found = self._with(lambda database: database.look() if what == "database" else database.running(what))
        marked: dict[str, Any] = self._marks.mark_json(found)
        return marked

    def restore(self, pack: str, what: str) -> None:
        """Put the database back, or end the statements that still run."""
        self._with(lambda database: database.restore() if what == "database" else database.end(what))

    def _with(self, use: Callable[[Database], Any]) -> Any:
        """What `use` makes of the database, one caller at a time.

        Raises:
            HarnessError: the database does not answer as it should.
        """
        import psycopg

        assert self._database is not None
        with self._lock:
            try:
                return use(self._database)
            except psycopg.Error as error:
                raise _broken(error) from None

    def stop(self) -> None:
        """Take it away."""
        database, self._database = self._database, None
        if database is not None:
            database.close()
        source, self._source = self._source, None
        if source is not None:
            source.stop()
