"""Servers that let pages read their answers, with and without credentials."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from httpkit import HTTP, refuse
from toykit import Toys

ONLY = {
    f"checks__http-{name}__enabled": False for name in ("origin", "auth", "protocol-version", "sessions", "tls", "bind")
}
TOKEN = "toy-token-0123456789"
ONLY["checks__sdk-interop__enabled"] = False
toys = Toys(**HTTP, **ONLY)


def allows(server, origin, **more):
    """Answer every browser that asks."""
    named = {name.replace("_", "-"): value for name, value in more.items()}

    def cors(request):
        given = request.headers.get("origin")
        if given is None:
            return {}
        return {"access-control-allow-origin": given if origin == "reflect" else origin, **named}

    server.http.cors = cors
    server.http.preflight = lambda request: refuse(204)


@toys.toy("fail", "with-credentials")
def reflects(server):
    """Repeats whatever origin asks, and allows credentials."""
    server.http.origin = lambda request: None
    allows(server, "reflect", access_control_allow_credentials="true")


@toys.toy("fail", "with-credentials")
def wildcard(server):
    """Allows every origin and credentials, which a browser refuses and another client may not."""
    allows(server, "*", access_control_allow_credentials="true")


@toys.toy("fail", "open-to-pages")
def open_to_all(server):
    """Serves every page and lets it read."""
    server.http.origin = lambda request: None
    allows(server, "*")


@toys.toy("inconclusive", "no-control")
def refuses_a_second_client(server):
    """Serves the first client only."""
    clients = []

    def once(request):
        if request.rpc == "initialize":
            clients.append(1)
        return refuse(503) if len(clients) > 1 and request.rpc == "initialize" else None

    server.http.auth = once


@toys.toy("pass", "token-needed", near=True, server__headers={"Authorization": f"Bearer {TOKEN}"})
def token_needed(server):
    """Lets every page read, and wants a token that no page has."""
    server.http.token = TOKEN
    server.http.origin = lambda request: None
    allows(server, "*")


@toys.toy("pass", "token-needed", near=True)
def refuses_the_page(server):
    """Allows every page to read, and serves none."""
    allows(server, "*")


@toys.toy("pass", "closed", near=True)
def one_origin(server):
    """Allows one origin, with credentials."""
    server.http.origin = lambda request: None
    allows(server, "http://localhost:6274", access_control_allow_credentials="true")


@toys.toy("pass", "closed", near=True)
def silent(server):
    """Says nothing to browsers."""
    server.http.origin = lambda request: None


if __name__ == "__main__":
    toys.main()
