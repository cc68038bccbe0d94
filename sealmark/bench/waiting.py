"""Something to wait for, in the sandbox of the pack exec: a pipe that nobody writes to."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from sealmark.bench.part import Part
from sealmark.bench.sandbox import Sandbox

PACK = "exec"
NAME = "waits.fifo"
"""Name of the pipe in the allowed root: whoever opens it for reading waits for ever."""


class WaitingPart(Part):
    """Lays the pipe, where the system has such files; so that a server that lists `cat` can be made to wait, too."""

    def __init__(self) -> None:
        self._there = False

    def start(self, sandboxes: Mapping[str, Sandbox]) -> None:
        """Lay the pipe; it belongs to the baseline."""
        sandbox = sandboxes.get(PACK)
        if sandbox is None or not hasattr(os, "mkfifo"):
            return
        try:
            os.mkfifo(sandbox.cwd / NAME)
        except OSError:
            return
        self._there = True
        sandbox.baseline()

    def facts(self) -> Mapping[str, Any]:
        """Whether the pipe is there."""
        return {"waits": self._there}
