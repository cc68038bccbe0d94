"""A listing reduced to names and hashes, so that two listings can be compared and neither need be kept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from itertools import islice

from sealmark.reading.walk import mapping, text_of
from sealmark.record.model import Json
from sealmark.surface.surface import canonical

MAX_ITEMS = 1_000
MAX_NAME = 128
LENGTH = 16
"""Hexadecimal digits of SHA-256 that are kept of each item."""


def digests(items: Iterable[Json]) -> list[list[str]]:
    """Return [name or URI, hash of the whole item] for each of the first items of a listing, in its order."""
    return [[_name(item)[:MAX_NAME], _hash(item)] for item in islice(items, MAX_ITEMS)]


def _name(item: Json) -> str:
    known = mapping(item)
    return text_of(known.get("name")) or text_of(known.get("uri")) or text_of(known.get("uriTemplate"))


def _hash(item: Json) -> str:
    return hashlib.sha256(canonical(item)).hexdigest()[:LENGTH]
