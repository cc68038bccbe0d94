"""A world of its own for each server: network, file system and processes belong to the harness. Linux only."""

from sealmark.bench.isolation.isolation import Isolation, chosen
from sealmark.bench.isolation.level import Level, level

__all__ = ["Isolation", "Level", "chosen", "level"]
