"""Progress on stderr: a live line for a person, one line every 15 seconds in a pipe."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

import click

EVERY_SEC = 15.0


class Progress:
    """Shows what is running. Use it as a context manager; call `show` as often as you like.

    Args:
        quiet: show nothing.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._live = not quiet and sys.stderr.isatty()
        self._started = self._last = time.monotonic()
        self._status: Any = None
        self.name = ""

    def __enter__(self) -> Progress:
        if self._live:
            from rich.console import Console

            self._status = Console(stderr=True).status("starting")
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def show(self, what: str, done: int, planned: int) -> None:
        """Show what is running, how many probes are done, and the time since the start."""
        if self._quiet:
            return
        now = time.monotonic()
        text = self._text(what, done, planned, now - self._started)
        if self._status is not None:
            from rich.text import Text

            self._status.update(Text(text))
        elif now - self._last >= EVERY_SEC:
            self._last = now
            click.echo(text, err=True)

    def _text(self, what: str, done: int, planned: int, seconds: float) -> str:
        counts = f" · {done} of {planned} probes" if planned else ""
        return f"{self.name + ' · ' if self.name else ''}{what}{counts} · {seconds:.0f} s"
