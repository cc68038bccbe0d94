"""What can be wrong with `probes:` before any server is met: names, matrices, identities, and what is expected."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sealmark.settings.layers import Line
from sealmark.settings.methodology import current
from sealmark.settings.references import texts
from sealmark.settings.types import did_you_mean
from sealmark.settings.values import Settings

_WORD = re.compile(r"(?<!\$)\{([A-Za-z_][\w-]*)(?:([:.])([\w-]+))?\}")
MOST_CALLS = 500
"""Calls that one probe may make."""


def problems(settings: Settings, launch: Iterable[str]) -> Iterator[Line]:
    """Mistakes in the user's own probes, each at its probe.

    Args:
        settings: with the probes.
        launch: every text that starts or reaches the server, for the placeholders in them.
    """
    bearers = {match[0] for text in launch for match in re.finditer(r"\{bearer(?::[ab])?\}", text)}
    probes = settings["probes"]
    ids = Counter(probe["id"] for probe in probes if probe.get("id"))
    for at, probe in enumerate(probes):
        origin = settings.origin_of_item("probes", at)
        found = [*_named(probe, ids), *_called(probe), *_identity(probe, bearers), *_patterns(probe)]
        found += _stubbed(settings, probe)
        for says in found:
            yield origin, f"probes[{at}]{says}"


def _named(probe: Mapping[str, Any], ids: Mapping[str, int]) -> Iterator[str]:
    name, check = probe.get("id"), probe.get("check")
    if name and ids[name] > 1:
        yield f".id: {name!r} is the id of {ids[name]} probes; give each its own"
    known = {row.id for pack in current().packs for row in pack.checks} | {"surface", "probes"}
    if check in known:
        yield f".check: {check!r} is a check of this build; give yours another name"
    for key in ("title", "severity") if not check else ():
        if probe.get(key):
            yield f".{key} needs `check:`; without one a probe adds coverage and decides nothing"


def _called(probe: Mapping[str, Any]) -> Iterator[str]:
    """Placeholders and matrices that do not fit together."""
    matrix = probe.get("matrix") or {}
    used: set[str] = set()
    for _, text in texts({key: probe.get(key) for key in ("args", "cases")}):
        if re.search(r"\$\{\w+", text):
            yield " cannot hold ${…}: arguments of probes stand in every record; write the value itself"
        for match in _WORD.finditer(text):
            word, inner = match[1], match[3] or ""
            if word in ("upstream", "bearer"):
                yield f" cannot hold {{{word}}}; `identity:` picks the caller"
            elif word == "matrix":
                used.add(inner)
                if inner not in matrix:
                    yield f" has no matrix value {inner!r}{did_you_mean(inner, matrix)}"
    calls = 1
    for name, values in matrix.items():
        calls *= max(1, len(values))
        if not values:
            yield f".matrix.{name} holds no value; write a list of them"
        elif name not in used:
            yield f".matrix.{name} is not used; write {{matrix.{name}}} into args"
    calls *= max(1, len(probe.get("cases") or ()))
    if calls > MOST_CALLS:
        yield f" makes {calls} calls, at most {MOST_CALLS} are sent; write a smaller matrix"


def _identity(probe: Mapping[str, Any], bearers: set[str]) -> Iterator[str]:
    identity = probe.get("identity")
    if not identity:
        return
    own = {"{bearer}", f"{{bearer:{identity}}}"} & bearers if identity != "none" else bearers
    if not own:
        where = "server.headers (or in env or args of a server that sealmark starts)"
        yield f".identity: {identity!r} is nobody here: write {{bearer}} into {where}"


def _patterns(probe: Mapping[str, Any]) -> Iterator[str]:
    wanted = (probe.get("expect") or {}).get("upstream") or {}
    for key in ("none_matching", "all_matching"):
        if problem := bad_pattern(wanted.get(key)):
            yield f".expect.upstream.{key} is no regular expression: {problem}"


def bad_pattern(pattern: str | None) -> str:
    """What is wrong with a regular expression, or nothing."""
    try:
        re.compile(pattern or "")
    except (re.error, RecursionError) as error:
        return str(error)
    return ""


def _stubbed(settings: Settings, probe: Mapping[str, Any]) -> Iterator[str]:
    """What is said of the backend although no stub stands in for it."""
    wanted = (probe.get("expect") or {}).get("upstream") or {}
    scripted = (probe.get("upstream") or {}).get("reply")
    if (wanted or scripted is not None) and not settings["upstream.kind"]:
        yield f".{'expect.' if wanted else ''}upstream needs the stub; add `upstream: {{kind: http}}` (or --upstream)"
    if wanted.get("token_echoed"):
        replies = [scripted, settings["upstream.default_reply"], *(r["reply"] for r in settings["upstream.responses"])]
        if not any("{upstream_token}" in text for reply in replies for _, text in texts(reply)):
            yield ".expect.upstream.token_echoed needs a reply that holds {upstream_token}"
