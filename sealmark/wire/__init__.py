"""Talk to a server: every byte recorded, every wait and every size bounded."""

from __future__ import annotations

from sealmark.wire.connection import Connection, Frame, Listener, Sent, WireLimits
from sealmark.wire.replies import Closed, Listing, Opened, Reply, ServerRequest, Stray
from sealmark.wire.session import Session
from sealmark.wire.stdio import StdioConnection
from sealmark.wire.transcript import Event, Transcript, TranscriptLimits

__all__ = [
    "Closed",
    "Connection",
    "Event",
    "Frame",
    "Listener",
    "Listing",
    "Opened",
    "Reply",
    "Sent",
    "ServerRequest",
    "Session",
    "StdioConnection",
    "Stray",
    "Transcript",
    "TranscriptLimits",
    "WireLimits",
]
