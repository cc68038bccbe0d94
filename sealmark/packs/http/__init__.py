"""HTTP: whether a server that is reached by a URL keeps foreign pages, callers and sessions apart."""

from __future__ import annotations

from sealmark.check import Pack, Target
from sealmark.packs.http import auth, bind, cors, origin, protocol_version, sdk_interop, sessions, tls


def applies(target: Target) -> tuple[bool, str]:
    """Whether the server is reached by a URL."""
    if target.gathered.server.transport == "stdio":
        return False, "the server is not reached by a URL (server.url)"
    kind = "the older SSE transport" if target.gathered.server.transport == "sse" else "Streamable HTTP"
    return True, f"the server is reached by a URL, over {kind}"


PACK = Pack(
    id="http",
    title="HTTP",
    question="Does a server with a URL keep foreign pages, callers and sessions apart?",
    applies=applies,
    checks=(
        origin.CHECK,
        auth.CHECK,
        protocol_version.CHECK,
        sessions.CHECK,
        cors.CHECK,
        tls.CHECK,
        bind.CHECK,
        sdk_interop.CHECK,
    ),
)
