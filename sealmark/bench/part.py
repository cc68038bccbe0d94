"""What a run can own besides its sandboxes: a database, a listener, a stub. One class for each, all of this shape."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from sealmark.bench.sandbox import Sandbox
from sealmark.processes import Process
from sealmark.record.marks import Marks

Starter = Callable[..., Awaitable[Process]]
"""Starts a server as `processes.start` does: from its command line, with `env` and `cwd`."""


class Part:
    """Something of the run's own, started before the server and gone after it. What a part does not need, it leaves.

    Attributes:
        watches: the names that `look` and `restore` know; no two parts share one.
    """

    watches: frozenset[str] = frozenset()

    def start(self, sandboxes: Mapping[str, Sandbox]) -> None:
        """Start it; `sandboxes` are those of the packs, in which it may lay files (they belong to the baseline).

        Raises:
            HarnessError: it cannot be started.
        """

    def values(self, pack: str, session: str) -> Mapping[str, str]:
        """What its placeholders stand for in one session of one pack."""
        return {}

    def marks(self) -> Mapping[str, str]:
        """Every value that differs from run to run, by mark name (one of `record.marks.NAMES`)."""
        return {}

    def marks_of(self, pack: str) -> Mapping[str, str]:
        """The same for what one pack has to itself."""
        return {}

    def owned(self, pack: str) -> Mapping[str, str]:
        """Values, by mark name, to look for in what the server answers."""
        return {}

    def facts(self) -> Mapping[str, Any]:
        """Plain facts for the record, marked."""
        return {}

    def ports(self) -> tuple[int, ...]:
        """Ports of loopback at which servers must reach it."""
        return ()

    def starter(self, pack: str, sandbox: Sandbox | None) -> Starter | None:
        """What starts the servers of one pack, if this part does."""
        return None

    def take(self, marks: Marks) -> None:
        """Take the marks of the run, once every value is known."""

    def look(self, pack: str, what: str) -> dict[str, Any]:
        """What changed since the last look or restore, as plain JSON with marks."""
        return {}

    def restore(self, pack: str, what: str) -> None:
        """Put it back as it was at the start."""

    def tell(self, pack: str, what: str, how: Any) -> None:
        """Behave in this way until it is restored."""

    def stop(self) -> None:
        """Take it away; may be called twice, and when it never started."""
