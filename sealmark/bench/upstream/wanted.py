"""The stub that a configuration asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sealmark.bench.listener import loopback_sockets
from sealmark.bench.upstream.stub import Upstream
from sealmark.settings import Settings

LOOKING = ("scope", "sql-guard", "upstream", "custom")
"""Packs that look at what reached the backend."""


def stub_of(settings: Settings, filled: Mapping[str, Any], packs: Sequence[str], *, single: bool) -> Upstream:
    """The stub, with a site for each pack that looks at it and one for all others.

    Args:
        settings: as configured.
        filled: the same with variables filled.
        packs: the packs of the run.
        single: one server serves all packs, so there is one site.
    """
    others = [pack for pack in packs if pack not in LOOKING]
    expected = list(_expected(settings))
    patterns = [wanted[key] for wanted in expected for key in ("none_matching", "all_matching") if wanted.get(key)]
    headers = [name for wanted in expected for name in wanted.get("header") or ()]
    return Upstream(
        loopback_sockets,
        [*others[:1], *(pack for pack in packs if pack in LOOKING)],
        responses=filled["upstream.responses"],
        default=filled["upstream.default_reply"],
        credential=settings["upstream.credential_header"],
        keep_bytes=settings["upstream.max_body_kib"] * 1024,
        patterns=list(dict.fromkeys(patterns)),
        headers=headers,
        single=single,
    )


def _expected(settings: Settings) -> Iterator[Mapping[str, Any]]:
    for probe in settings["probes"]:
        yield (probe.get("expect") or {}).get("upstream") or {}
