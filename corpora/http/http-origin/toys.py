"""Servers behind a URL that let foreign pages in, or keep them out, each in its own way."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from httpkit import HTTP, refuse
from toykit import Toys

ONLY = {
    f"checks__http-{name}__enabled": False for name in ("auth", "protocol-version", "sessions", "cors", "tls", "bind")
}
ONLY["checks__sdk-interop__enabled"] = False
toys = Toys(**HTTP, **ONLY)


def nothing(request):
    return None


@toys.toy("fail", "rebound")
def anyone(server):
    """Looks at neither header."""
    server.http.host = server.http.origin = nothing


@toys.toy("fail", "foreign-origin")
def host_only(server):
    """Checks the Host and not the Origin."""
    server.http.origin = nothing


@toys.toy("fail", "lookalike-origin")
def begins_locally(server):
    """Allows every origin that begins with a local name."""

    def origin(request):
        given = request.headers.get("origin", "http://localhost")
        return None if given.startswith(("http://localhost", "http://127.0.0.1")) else refuse(403)

    server.http.origin = origin


@toys.toy("fail", "null-origin")
def allows_null(server):
    """Allows the origin null, for pages that are opened as files."""
    strict = server.http.origin
    server.http.origin = lambda request: None if request.headers.get("origin") == "null" else strict(request)


@toys.toy("part", "host-unchecked")
def origin_only(server):
    """Checks the Origin and not the Host."""
    server.http.host = nothing


@toys.toy("part", "remote-origin", server__url="http://0.0.0.0:{server_port}/mcp")
def elsewhere(server):
    """Is reached by an address that is not loopback, and looks at no header."""
    server.http.address = "0.0.0.0"
    server.http.host = server.http.origin = nothing


@toys.toy("inconclusive", "no-control")
def refuses_a_second_client(server):
    """Serves the first client only."""
    clients = []

    def once(request):
        if request.rpc == "initialize":
            clients.append(1)
        return refuse(503) if len(clients) > 1 and request.rpc == "initialize" else None

    server.http.auth = once


@toys.toy("pass", "guarded", near=True)
def browsers_only(server):
    """Answers 403 to what browsers send, and to nothing else."""


@toys.toy("pass", "guarded", near=True)
def refuses_in_the_message(server):
    """Refuses foreign pages by an error in a message with the status 200."""
    from httpkit import rpc_refusal

    def foreign(request):
        refused = server_host(request) or server_origin(request)
        return rpc_refusal(200, -32000, "Forbidden origin") if refused else None

    server_host, server_origin = server.http.host, server.http.origin
    server.http.host, server.http.origin = nothing, foreign


@toys.toy("pass", "guarded", near=True)
def modern(server):
    """Speaks the era without sessions, and checks both headers."""
    from toykit import RpcError

    server.modern = True

    @server.on("initialize")
    def initialize(params):
        raise RpcError(-32022, "Unsupported protocol version", {"supported": ["2026-07-28"]})


if __name__ == "__main__":
    toys.main()
