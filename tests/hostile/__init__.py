"""Sessions with `server.py`, the server that misbehaves on demand."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from sealmark.processes import Grace
from sealmark.wire import Session, StdioConnection, Transcript, TranscriptLimits, WireLimits

SERVER = Path(__file__).with_name("server.py")
QUICK = Grace(eof=0.2, term=0.3, kill=5.0)  # for servers that will not go by themselves
SAFETY = 60.0  # seconds; only there so that a broken test ends
SHORT = 0.4  # seconds for what never comes
GRACE = Grace(eof=2.0, term=0.3, kill=5.0)


def hostile(
    mode: str,
    *,
    grace: Grace = GRACE,
    limits: WireLimits | None = None,
    kept: TranscriptLimits | None = None,
    argv: tuple[str, ...] | None = None,
) -> Session:
    """A session, not yet open, with the server in this mode."""
    argv = argv or (sys.executable, str(SERVER), mode)
    env = {"PATH": os.environ["PATH"]}
    return Session(
        lambda transcript: StdioConnection(argv, env=env, transcript=transcript, limits=limits, grace=grace),
        transcript=Transcript(kept),
        limits=limits,
    )
