"""Looks whether a server that wants credentials refuses who has none, and says how to get them.

Why: A server that is reached by a URL is reached by everybody who knows it. What protects it is that each request is
checked: one path on which the token is not looked at, or a session id that stands in for it, opens all tools.

How: The check applies when credentials are configured, or when server.auth_policy demands them. The request by which
any client begins is sent without credentials, and with a token that was made up; both must get 401 with a
WWW-Authenticate header (RFC 6750, RFC 9110). The configured bearer token is sent in the query, where it must not count
(2025-11-25, basic/authorization: access tokens must not be in the query string). In a session that was opened with
credentials a request without them follows: a session id is no authentication (security best practices, session
hijacking). The metadata of the protected resource must be named in the challenge or lie below /.well-known (RFC 9728).
Serving any of these fails; a refusal without the status, the challenge or the metadata makes part.

When it can be wrong: A server with keys of its own need not have OAuth metadata; it is part all the same, since no
client can find out what it wants. What a valid token of too small a scope may do is not asked: the harness has none. A
server without configured credentials is not applicable, however much it should have some; say so with
--auth-policy required.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Group, Outcome, Rule, Seen, Target
from sealmark.packs.http.asking import (
    begun,
    case,
    facts,
    got,
    header,
    in_session,
    modern,
    older,
    opening,
    served,
    status,
)
from sealmark.record.model import Http, Probe, Verdict

WRONG = "Bearer sealmark-made-up-token"
METADATA = "/.well-known/oauth-protected-resource"
REFUSE = "Check the credentials of every request before anything else, and answer 401."

RULES = (
    Rule("anonymous-served", "fail", "A request without credentials was served.", REFUSE),
    Rule(
        "wrong-token-served",
        "fail",
        "A request with a token that was made up was served.",
        "Validate the token, not only that there is one.",
    ),
    Rule(
        "session-is-enough",
        "fail",
        "A request with a session id and without credentials was served.",
        "Check the credentials of every request; a session id authenticates nobody.",
    ),
    Rule(
        "query-token-served",
        "fail",
        "A token in the query of the URL was accepted.",
        "Take tokens from the Authorization header only: URLs end up in logs and histories.",
    ),
    Rule(
        "not-401",
        "part",
        "A request without valid credentials was refused with another status than 401.",
        "Answer 401, which tells a client to authenticate; 403 is for a token that may not do this.",
    ),
    Rule(
        "no-challenge",
        "part",
        "The refusal has no WWW-Authenticate header.",
        'Send WWW-Authenticate: Bearer resource_metadata="…" with every 401.',
    ),
    Rule(
        "no-metadata",
        "part",
        "Neither the challenge nor /.well-known names the metadata of the resource.",
        "Serve /.well-known/oauth-protected-resource (RFC 9728), or name its URL in the challenge.",
    ),
    Rule("public", "na", "The configuration says that anybody may use the server."),
    Rule("no-auth", "na", "No credentials are configured, and the server asks for none."),
    Rule("guarded", "pass", "Requests without valid credentials get 401 and learn where to authenticate."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Without credentials, with wrong ones, with the right ones in the wrong place."""
    if target.setting("server.auth_policy") == "public":
        return
    yield target.probe("attack", "anonymous", opening(target, credentials=False), why="Nobody is somebody.")
    if not facts(target).get("credentials"):
        return
    yield target.probe("control", "own", opening(target), why="With credentials the server works.")
    wrong = opening(target, {"Authorization": WRONG}, credentials=False)
    yield target.probe("attack", "wrong-token", wrong, why="A token that nobody gave out.")
    if facts(target).get("bearer"):
        query = opening(target, path="?access_token={bearer}", credentials=False)
        yield target.probe("attack", "token-in-query", query, why="A token in a URL is written into logs.")
    if not modern(target) and not older(target):
        steps = (*begun(target), in_session(target, "tools/list", credentials=False))
        yield target.probe("attack", "session-only", *steps, why="A session id is no credential.")
    places = [Http(method="GET", path=path, credentials=False) for path in (f"{METADATA}/mcp", METADATA)]
    yield target.probe("coverage", "metadata", *places, why="Where a client looks for how to authenticate.")


def judge(seen: Seen) -> Verdict:
    """Served, then refused in the wrong way, then guarded."""
    if seen.target.setting("server.auth_policy") == "public":
        return seen.decide("public")
    anonymous = case(seen.attacks, "anonymous")
    wanted = bool(facts(seen.target).get("credentials")) or seen.target.setting("server.auth_policy") == "required"
    if served(anonymous) and not wanted:
        return seen.decide("no-auth", [anonymous] if anonymous else (), line=got)
    for name, rule in (
        ("anonymous", "anonymous-served"),
        ("wrong-token", "wrong-token-served"),
        ("session-only", "session-is-enough"),
        ("token-in-query", "query-token-served"),
    ):
        outcome = case(seen.attacks, name)
        if outcome is not None and served(outcome):
            return seen.decide(rule, [outcome], line=got)
    refused = seen.attacks.case("anonymous", "wrong-token").answered
    if not served(case(seen.controls, "own")):
        return seen.decide("none-answered", seen.own, line=got)
    return _how(seen, refused)


def _how(seen: Seen, refused: Group) -> Verdict:
    """What is missing in the refusals."""
    others = refused.where(lambda outcome: status(outcome) != 401)
    if others:
        return seen.decide("not-401", others, line=got)
    bare = refused.where(lambda outcome: not header(outcome, "www-authenticate"))
    if bare:
        return seen.decide("no-challenge", bare, line=got)
    named = refused.where(lambda outcome: "resource_metadata=" in header(outcome, "www-authenticate"))
    if refused and not named and not _has_metadata(case(seen.own, "metadata")):
        return seen.decide("no-metadata", refused, line=got)
    return seen.decide("guarded", refused, line=got)


def _has_metadata(outcome: Outcome | None) -> bool:
    replies = outcome.replies if outcome is not None else ()
    return any(
        reply.facts["status"] == 200 and "json" in reply.facts["headers"].get("content-type", "") for reply in replies
    )


CHECK = Check(
    id="http-auth",
    revision=1,
    title="Credentials are asked for on every request",
    question="Is anybody served without valid credentials?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-306", "CWE-287", "CWE-598"),
    owasp="MCP07:2025 Insufficient Authentication & Authorization",
    settings=("server.auth_policy",),
)
