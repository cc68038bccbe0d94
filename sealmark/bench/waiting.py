"""What the pack exec has in its own sandbox: a pipe that nobody writes to, and programs with well-known names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from sealmark.bench.part import Part
from sealmark.bench.sandbox import Sandbox

PACK = "exec"
NAME = "waits.fifo"
"""Name of the pipe in the allowed root: whoever opens it for reading waits for ever."""

OWN = "own"
PROGRAMS = ("cat", "ls", "echo", "git")
"""Names of scripts in the folder `own` of the allowed root, which leave the file `was-run-same-name` behind."""


class WaitingPart(Part):
    """Lays the pipe, so that a server that allows `cat` alone can be made to wait, too, and the scripts."""

    def __init__(self) -> None:
        self._there = False

    def start(self, sandboxes: Mapping[str, Sandbox]) -> None:
        """Lay the pipe; it belongs to the baseline."""
        sandbox = sandboxes.get(PACK)
        if sandbox is None:
            return
        for name in PROGRAMS:
            script = sandbox.cwd / OWN / name
            script.parent.mkdir(exist_ok=True)
            script.write_text(f"#!/bin/sh\n: > '{sandbox.cwd}/was-run-same-name'\n")
            script.chmod(0o755)
        with suppress(OSError, AttributeError):
            os.mkfifo(sandbox.cwd / NAME)
            self._there = True
        sandbox.baseline()

    def facts(self) -> Mapping[str, Any]:
        """Whether the pipe is there."""
        return {"waits": self._there}
