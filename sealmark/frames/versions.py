"""The order of versions as people read them: `0.6.2` before `0.6.10`, a release after its candidates."""

from __future__ import annotations

import re

_PART = re.compile(r"\d+|[A-Za-z]+")

Order = tuple[tuple[int, int, str], ...]


def version_key(version: str) -> Order:
    """A sort key. Numbers compare as numbers; a word (`rc`, `beta`) comes before the end of the version.

    Build metadata after `+` counts last. Anything is accepted; an empty version comes first.
    """
    main, _, build = version.partition("+")
    parts: list[tuple[int, int, str]] = []
    for part in _PART.findall(main.removeprefix("v")):
        parts.append((2, int(part[:18]), "") if part.isdigit() else (0, 0, part.lower()))
    parts.append((1, 0, build))
    return tuple(parts)
