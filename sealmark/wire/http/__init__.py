"""HTTP transports: Streamable HTTP in both eras, the older SSE endpoint, and single requests beside any session."""

from __future__ import annotations

from sealmark.wire.http.client import Answer, Client, Endpoint
from sealmark.wire.http.knock import Knocked, knock
from sealmark.wire.http.sse import SseConnection
from sealmark.wire.http.streamable import StreamableConnection

__all__ = ["Answer", "Client", "Endpoint", "Knocked", "SseConnection", "StreamableConnection", "knock"]
