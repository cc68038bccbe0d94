"""Start, recognise and kill whole trees of processes; used by the wire and the bench."""

from __future__ import annotations

from sealmark.processes.table import TAG_VARIABLE, ProcessFacts
from sealmark.processes.tree import Ended, Grace, Process, living, shutdown_all, start

__all__ = ["TAG_VARIABLE", "Ended", "Grace", "Process", "ProcessFacts", "living", "shutdown_all", "start"]
