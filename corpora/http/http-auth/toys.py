"""Servers that want a token, or say so, and let somebody in without one."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from httpkit import HTTP, refuse
from toykit import Toys

TOKEN = "toy-token-0123456789"
ONLY = {
    f"checks__http-{name}__enabled": False for name in ("origin", "protocol-version", "sessions", "cors", "tls", "bind")
}
ONLY["checks__sdk-interop__enabled"] = False
toys = Toys(**HTTP, **ONLY, server__headers={"Authorization": f"Bearer {TOKEN}"})


@toys.toy("fail", "anonymous-served")
def takes_no_notice(server):
    """Takes no notice of the token that its client sends."""


@toys.toy("fail", "anonymous-served", server__headers={}, server__auth_policy="required")
def declared_and_open(server):
    """Is said to require credentials, and asks for none."""


@toys.toy("fail", "wrong-token-served")
def any_token(server):
    """Wants a token and takes any."""
    server.http.auth = lambda request: None if "authorization" in request.headers else refuse(401)


@toys.toy("fail", "session-is-enough")
def session_instead(server):
    """Asks for the token once, and for the session id from then on."""
    server.http.token = TOKEN
    strict = server.http.auth
    server.http.auth = lambda request: (
        None if request.headers.get("mcp-session-id") in server.http.live else strict(request)
    )


@toys.toy("fail", "query-token-served")
def token_in_url(server):
    """Takes the token from the query, too."""
    server.http.token = TOKEN
    strict = server.http.auth
    server.http.auth = lambda request: None if f"access_token={TOKEN}" in request.query else strict(request)


@toys.toy("part", "not-401")
def forbidden(server):
    """Refuses with 403."""
    server.http.auth = lambda request: (
        None if request.headers.get("authorization") == f"Bearer {TOKEN}" else refuse(403, "Forbidden")
    )


@toys.toy("part", "no-challenge")
def bare(server):
    """Refuses with 401 and says nothing of how to authenticate."""
    server.http.auth = lambda request: (
        None if request.headers.get("authorization") == f"Bearer {TOKEN}" else refuse(401, "Unauthorized")
    )


@toys.toy("part", "no-metadata")
def basic_challenge(server):
    """Says Bearer, and nothing of where to get one."""
    server.http.auth = lambda request: (
        None if request.headers.get("authorization") == f"Bearer {TOKEN}" else refuse(401, www_authenticate="Bearer")
    )


@toys.toy("na", "public", server__headers={}, server__auth_policy="public")
def for_everybody(server):
    """Is meant for everybody, and said to be."""


@toys.toy("na", "no-auth", server__headers={})
def asks_for_nothing(server):
    """Asks for nothing, and nothing is configured."""


@toys.toy("pass", "guarded", near=True)
def guarded(server):
    """Wants the token on every request."""
    server.http.token = TOKEN


@toys.toy("pass", "guarded", near=True)
def metadata_by_path(server):
    """Names no metadata in its challenge, and serves it where clients look."""
    server.http.token = TOKEN
    strict = server.http.auth

    def auth(request):
        refused = strict(request)
        return refuse(401, "Unauthorized", www_authenticate="Bearer") if refused else None

    server.http.auth = auth


if __name__ == "__main__":
    toys.main()
