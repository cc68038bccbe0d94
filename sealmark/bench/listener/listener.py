"""The listener of a run: a site for each pack that looks at it, all of them served by one thread.

A site has a port of its own, so that a visit that names no token (a robots.txt, another protocol) still belongs to one
pack; within a pack, probes that share the resource `listener` run one after another.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from sealmark.bench.listener.site import MIB, Site
from sealmark.bench.listener.sockets import Sockets
from sealmark.bench.part import Part
from sealmark.bench.sandbox import Sandbox
from sealmark.bench.serving import Serving


class Listener(Part):
    """The listener.

    Args:
        sockets: opens those of one site.
        packs: the packs that have one.
        body_mib: length of the large body, in MiB.
        slow_sec: how long the slow body lasts.
    """

    watches = frozenset({"listener"})

    def __init__(self, sockets: Sockets, packs: Sequence[str], *, body_mib: int, slow_sec: float) -> None:
        self._sockets, self._packs, self._body_mib, self._slow_sec = sockets, tuple(packs), body_mib, slow_sec
        self._sites: dict[str, Site] = {}
        self._serving = Serving("listener")

    def start(self, sandboxes: Mapping[str, Sandbox]) -> None:
        """Open a site for each pack and begin to serve.

        Raises:
            HarnessError: a port cannot be opened, or the thread does not begin.
        """
        for pack in self._packs:
            self._sites[pack] = Site(
                self._sockets(),
                f"sm-{secrets.token_hex(8)}",
                f"sm-page-{secrets.token_hex(8)}",
                self._body_mib * MIB,
                self._slow_sec,
                beside=sandboxes[pack].values if pack in sandboxes else {},
            )
        self._serving.start([*self._sites.values()], hint="Try again; if it stays so, leave out --pack net.")

    def values(self, pack: str, session: str) -> Mapping[str, str]:
        """The pack's own site; those of other packs get the first one, for `{listener}` in a command line."""
        site = self._sites.get(pack) or next(iter(self._sites.values()), None)
        return site.values if site is not None else {}

    def marks_of(self, pack: str) -> Mapping[str, str]:
        """What differs from run to run of the pack's own site."""
        return self._sites[pack].values if pack in self._sites else {}

    def ports(self) -> tuple[int, ...]:
        """The ports of all sites."""
        return tuple(site.address[1] for site in self._sites.values())

    def everywhere(self, port: int) -> dict[str, Site]:
        """The site of each pack once more, to stand at a port of every address of a network of its own."""
        return {
            pack: Site((), site.token, site.secret, site.body_bytes, site.slow_sec, port)
            for pack, site in self._sites.items()
        }

    def owned(self, pack: str) -> Mapping[str, str]:
        """What every page of the pack's site holds."""
        return {"listener_secret": self._sites[pack].secret} if pack in self._sites else {}

    def facts(self) -> Mapping[str, Any]:
        """What there is to reach."""
        first = next(iter(self._sites.values()), None)
        return {"listener": {"ipv4": True, "ipv6": first is not None and len(first.sockets) > 1}}

    def look(self, pack: str, what: str) -> dict[str, Any]:
        """The hits of the pack's site since its last look (`Site.look`)."""
        return self._sites[pack].look() if pack in self._sites else {"hits": []}

    def restore(self, pack: str, what: str) -> None:
        """Forget the hits so far."""
        self.look(pack, what)

    def stop(self) -> None:
        """Close every port and end the thread."""
        self._serving.stop()
