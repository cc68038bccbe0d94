"""A seeded Postgres of the run's own: found, started as an ordinary user, looked at, put back, and gone at the end."""

from sealmark.bench.postgres.part import PostgresPart

__all__ = ["PostgresPart"]
