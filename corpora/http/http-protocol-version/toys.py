"""Servers that look at the version a request names, or do not."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from httpkit import HTTP, refuse
from toykit import RpcError, Toys

ONLY = {f"checks__http-{name}__enabled": False for name in ("origin", "auth", "sessions", "cors", "tls", "bind")}
ONLY["checks__sdk-interop__enabled"] = False
toys = Toys(**HTTP, **ONLY)


def modern(server):
    server.modern = True

    @server.on("initialize")
    def initialize(params):
        raise RpcError(-32022, "Unsupported protocol version", {"supported": ["2026-07-28"]})


@toys.toy("fail", "unknown-served")
def never_looks(server):
    """Takes no notice of the header."""
    server.http.version = lambda request: None


@toys.toy("fail", "unknown-served")
def any_date(server):
    """Accepts whatever looks like a date."""
    server.http.version = lambda request: (
        None if request.headers.get("mcp-protocol-version", "1-1").count("-") else refuse(400)
    )


@toys.toy("fail", "mismatch-served")
def modern_reads_the_message(server):
    """Speaks the era without sessions, and looks at the message only."""
    from toykit import MODERN, PREFIX

    modern(server)

    def version(request):
        params = request.message.get("params", {}) if isinstance(request.message, dict) else {}
        named = params.get("_meta", {}).get(PREFIX + "protocolVersion", MODERN)
        return None if named == MODERN else refuse(400)

    server.http.version = version


@toys.toy("part", "other-status")
def forbidden(server):
    """Refuses with 403."""
    strict = server.http.version
    server.http.version = lambda request: refuse(403) if strict(request) else None


@toys.toy("inconclusive", "no-control")
def no_ping(server):
    """Answers no ping."""

    @server.on("ping")
    def ping(params):
        raise RpcError(-32601, "Method not found: ping")


@toys.toy("pass", "refused", near=True)
def header_optional(server):
    """Refuses versions that do not exist, and serves requests without the header."""


@toys.toy("pass", "refused", near=True)
def modern_strict(server):
    """Speaks the era without sessions, and compares headers with messages."""
    modern(server)


@toys.toy("pass", "refused", near=True)
def no_session(server):
    """Has no sessions, and refuses versions that do not exist."""
    server.http.sessions = False


if __name__ == "__main__":
    toys.main()
