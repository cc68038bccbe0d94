"""Servers whose sessions can be guessed, made up or kept, and some whose cannot."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

import itertools
import secrets
import uuid

from httpkit import HTTP, refuse
from toykit import RpcError, Toys

ONLY = {
    f"checks__http-{name}__enabled": False for name in ("origin", "auth", "protocol-version", "cors", "tls", "bind")
}
ONLY["checks__sdk-interop__enabled"] = False
toys = Toys(**HTTP, **ONLY)


@toys.toy("fail", "guessable")
def counts(server):
    """Counts its sessions."""
    number = itertools.count(1)
    server.http.new_id = lambda: f"session-{next(number)}"


@toys.toy("fail", "guessable")
def short(server):
    """Makes ids of four random bytes."""
    server.http.new_id = lambda: secrets.token_hex(4)


@toys.toy("fail", "guessable")
def time_based(server):
    """Makes UUIDs of the first version, which hold the time and the machine."""
    server.http.new_id = lambda: str(uuid.uuid1(node=0x123456789ABC, clock_seq=1))


@toys.toy("fail", "guessable")
def shared(server):
    """Gives every client the same id."""
    server.http.new_id = lambda: "the-one-and-only-session-of-this-server"


@toys.toy("fail", "invisible")
def spaces(server):
    """Puts a space into its ids."""
    server.http.new_id = lambda: f"{secrets.token_hex(16)} {secrets.token_hex(16)}"


@toys.toy("fail", "made-up-served")
def adopts(server):
    """Takes any id for a session."""
    strict = server.http.session

    def session(request):
        server.http.live.add(request.headers.get("mcp-session-id", "none"))
        return strict(request)

    server.http.session = session


@toys.toy("fail", "survives-end")
def never_forgets(server):
    """Says that it ended a session and keeps it."""
    server.http.end = lambda request: refuse(200)


@toys.toy("part", "not-required")
def optional(server):
    """Serves requests without an id, although it gives ids out."""
    strict = server.http.session
    server.http.session = lambda request: strict(request) if "mcp-session-id" in request.headers else None


@toys.toy("inconclusive", "no-control")
def no_ping(server):
    """Answers no ping."""

    @server.on("ping")
    def ping(params):
        raise RpcError(-32601, "Method not found: ping")


@toys.toy("na", "no-sessions")
def stateless(server):
    """Gives out no ids."""
    server.http.sessions = False


@toys.toy("pass", "kept", near=True)
def random_uuids(server):
    """Makes random UUIDs."""
    server.http.new_id = lambda: str(uuid.uuid4())


@toys.toy("pass", "kept", near=True)
def will_not_end(server):
    """Does not let clients end sessions, and says so."""
    server.http.end = lambda request: refuse(405)


@toys.toy("pass", "kept", near=True)
def prefixed(server):
    """Puts a word before each random id, and refuses unknown ones with 400."""
    server.http.new_id = lambda: f"session-{secrets.token_urlsafe(24)}"
    strict = server.http.session
    server.http.session = lambda request: refuse(400) if strict(request) else None


if __name__ == "__main__":
    toys.main()
