"""A listing reduced to names and hashes, so that two listings can be compared and neither need be kept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from sealmark.reading.walk import mapping, text_of
from sealmark.record.model import Json
from sealmark.surface.surface import canonical

MAX_ITEMS = 500
"""Items with a hash of their own; what follows them has one hash together."""
MAX_NAME = 128
LENGTH = 16
"""Hexadecimal digits of SHA-256 that are kept of each item."""


def digests(items: Iterable[Json]) -> list[list[str]]:
    """Return [name or URI, hash of the whole item] for each item of a listing, in its order; the last ones together."""
    every = [[_name(item)[:MAX_NAME], _hash(item)] for item in items]
    rest = every[MAX_ITEMS:]
    return [*every[:MAX_ITEMS], [f"the other {len(rest)}", _hash(rest)]] if rest else every


def _name(item: Json) -> str:
    known = mapping(item)
    return text_of(known.get("name")) or text_of(known.get("uri")) or text_of(known.get("uriTemplate"))


def _hash(item: Json) -> str:
    return hashlib.sha256(canonical(item)).hexdigest()[:LENGTH]
