"""The packs of this build: one explicit tuple, in the order in which they are run and shown."""

from __future__ import annotations

from sealmark.check import Pack

PACKS: tuple[Pack, ...] = ()
