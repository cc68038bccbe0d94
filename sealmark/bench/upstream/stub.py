"""The stub of a run: one for each pack that looks at it, one for all where a single server serves every pack."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sealmark.bench.listener.sockets import Sockets
from sealmark.bench.part import Part
from sealmark.bench.sandbox import Sandbox
from sealmark.bench.serving import Serving
from sealmark.bench.upstream.site import Kept, Site
from sealmark.record.marks import Marks

SHOWN = 2048
"""Characters of a path or a body that a look shows."""
MAX_SHOWN = 20
"""Requests that a look shows; the others are counted."""


class Upstream(Part):
    """The stub.

    Args:
        sockets: opens those of one stub.
        packs: the packs that look at one; the first stub serves all others.
        responses, default, credential, keep_bytes: as `Site` has them.
        patterns: regular expressions that a look tells of each request.
        headers: names of headers that a look shows, beside the credential's.
        single: one stub for all packs.
    """

    watches = frozenset({"upstream"})

    def __init__(
        self,
        sockets: Sockets,
        packs: Sequence[str],
        *,
        responses: Sequence[Mapping[str, Any]] = (),
        default: Mapping[str, Any] | None = None,
        credential: str = "authorization",
        keep_bytes: int = 1024 * 1024,
        patterns: Sequence[str] = (),
        headers: Sequence[str] = (),
        single: bool = False,
    ) -> None:
        self._sockets, self._packs = sockets, tuple(packs[:1] if single else packs)
        self._script = (tuple(responses), default or {"status": 200, "json": {}}, credential.lower(), keep_bytes)
        self._patterns = {pattern: re.compile(pattern) for pattern in patterns}
        self._headers = tuple(dict.fromkeys([credential.lower(), *(name.lower() for name in headers)]))
        self._sites: dict[str, Site] = {}
        self._marks = Marks(())
        self._serving = Serving("upstream stub")

    def start(self, sandboxes: Mapping[str, Sandbox]) -> None:
        """Open the stubs and begin to serve.

        Raises:
            HarnessError: a port cannot be opened, or the thread does not begin.
        """
        for pack in self._packs:
            self._sites[pack] = Site(self._sockets(), *self._script)
        self._serving.start([*self._sites.values()], hint="Try again; if it stays so, run --upstream off.")

    def _site(self, pack: str) -> Site:
        return self._sites.get(pack) or next(iter(self._sites.values()))

    def values(self, pack: str, session: str) -> Mapping[str, str]:
        """Where the pack's stub is."""
        return self._site(pack).values

    def marks_of(self, pack: str) -> Mapping[str, str]:
        """What differs from run to run of the pack's stub."""
        site = self._site(pack)
        return {**site.values, **site.owned}

    def take(self, marks: Marks) -> None:
        """Mark what is looked at with these."""
        self._marks = marks

    def owned(self, pack: str) -> Mapping[str, str]:
        """What the backend's replies hold."""
        return self._site(pack).owned

    def ports(self) -> tuple[int, ...]:
        """The port of every stub."""
        return tuple(site.port for site in self._sites.values())

    def facts(self) -> Mapping[str, Any]:
        """That there is a stub."""
        return {"upstream": {"kind": "http"}}

    def look(self, pack: str, what: str) -> dict[str, Any]:
        """The requests since the last look: `{"requests": [{"method", "path", "headers", …}], "more"?: n}`.

        `words` are the probes' own words in a request, `matches` the patterns that it fits, `reply` which scripted
        reply it got, `minted` the markers in it; `cut` stands where more of the body came than is shown.
        """
        kept, more = self._site(pack).take()
        shown: dict[str, Any] = {"requests": [self._shown(one) for one in kept[:MAX_SHOWN]]}
        more += max(0, len(kept) - MAX_SHOWN)
        return {**shown, **({"more": more} if more else {})}

    def _shown(self, kept: Kept) -> dict[str, Any]:
        request = kept.request
        body = self._marks.mark(request.text)
        headers = {name: request.headers[name] for name in self._headers if name in request.headers}
        words, found = list(request.words), [p for p, rule in self._patterns.items() if rule.search(request.whole)]
        return {
            "method": request.method,
            "path": self._marks.mark(request.path)[:SHOWN],
            "headers": self._marks.mark_json(headers),
            "reply": kept.reply,
            **({"body": body[:SHOWN]} if body else {}),
            **({"cut": True} if len(body) > SHOWN or request.length > len(request.body) else {}),
            **({"words": words} if words else {}),
            **({"matches": found} if found else {}),
            **({"minted": self._marks.mark_json(kept.minted)} if kept.minted else {}),
        }

    def restore(self, pack: str, what: str) -> None:
        """Forget the requests so far, and answer by the script again."""
        self._site(pack).reset()

    def tell(self, pack: str, what: str, how: Any) -> None:
        """Answer every request with this reply."""
        self._site(pack).told = how

    def stop(self) -> None:
        """Close every port and end the thread."""
        self._serving.stop()
