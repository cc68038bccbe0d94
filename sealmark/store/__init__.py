"""Stored runs: one JSON file each, and a columnar cache beside them."""

from sealmark.store.check import migrate, stale, verify
from sealmark.store.export import export
from sealmark.store.store import Store

__all__ = ["Store", "export", "migrate", "stale", "verify"]
