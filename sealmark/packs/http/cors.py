"""Looks which web pages may read what the server answers.

Why: A browser sends a page's request and then asks the server's headers whether the page may read the answer. A server
that says yes to every page hands its tools to all of them; with credentials allowed it does so in the user's name.

How: The request by which any client begins is sent with a foreign Origin, and before it the question that a browser
would ask (OPTIONS, for POST with the headers of a client). A server that allows any origin and credentials fails. So
does one on loopback that asks for no credentials, serves the request, and lets any page read the answer. A server that
lets any page read and wants a token that no page has passes, and so does one that allows nothing.

When it can be wrong: Only one foreign origin is tried: a list of origins with a mistake in it is not seen here (see
http-origin for some). Headers that are only sent to a browser, by its other headers, are not seen.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.http.asking import FOREIGN, case, facts, got, header, opening, served
from sealmark.record.model import Http, Probe, Verdict

WANTED = "content-type, authorization, mcp-session-id, mcp-protocol-version"
ALLOW, CREDENTIALS = "access-control-allow-origin", "access-control-allow-credentials"

RULES = (
    Rule(
        "with-credentials",
        "fail",
        "Every page may read answers, and credentials are allowed.",
        "Name the origins that are meant, and allow credentials to those only.",
    ),
    Rule(
        "open-to-pages",
        "fail",
        "A server on loopback that asks for no credentials lets every page read its answers.",
        "Send no Access-Control-Allow-Origin, or name the origins that are meant; and refuse other origins.",
    ),
    Rule(
        "no-control",
        "inconclusive",
        "The request without an Origin was not served, so nothing shows what a page could read.",
        "Pass the server's credentials with --bearer-env, or look at its log.",
    ),
    Rule("token-needed", "pass", "Every page may read answers, and gets none without a token of its own."),
    Rule("closed", "pass", "No foreign page may read an answer."),
)


def plan(target: Target) -> Iterator[Probe]:
    """The plain request, the browser's question, and the page's request."""
    yield target.probe("control", "plain", opening(target), why="What any client sends first.")
    asked = {"Origin": FOREIGN, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": WANTED}
    preflight = Http(method="OPTIONS", headers=asked, credentials=False)
    yield target.probe("attack", "preflight", preflight, why="What a browser asks before it sends a page's request.")
    page = opening(target, {"Origin": FOREIGN}, credentials=False)
    yield target.probe("attack", "page", page, why="What a foreign page would send.")


def judge(seen: Seen) -> Verdict:
    """Who may read, with what, and whether there is anything to read."""
    control, page = case(seen.controls, "plain"), case(seen.attacks, "page")
    if control is not None and control.answered and not served(control):
        return seen.decide("no-control", [control], line=got)
    allowing = seen.attacks.where(_allows)
    with_credentials = allowing.where(lambda outcome: header(outcome, CREDENTIALS).lower() == "true")
    if with_credentials:
        return seen.decide("with-credentials", with_credentials, line=_headers)
    answered = seen.attacks.answered if served(control) else ()
    if not allowing:
        return seen.decide("closed", answered, line=got)
    if page in allowing and served(page) and facts(seen.target).get("loopback", True):
        return seen.decide("open-to-pages", allowing, line=_headers)
    return seen.decide("token-needed", answered, line=_headers)


def _allows(outcome: Outcome) -> bool:
    return header(outcome, ALLOW).strip() in ("*", FOREIGN)


def _headers(outcome: Outcome) -> str:
    named = [f"{name}: {header(outcome, name)}" for name in (ALLOW, CREDENTIALS) if header(outcome, name)]
    return f"{got(outcome)}; {', '.join(named) or 'no permission'}"


CHECK = Check(
    id="http-cors",
    revision=1,
    title="Answers are not for every page",
    question="Which web pages may read what the server answers?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-942",),
)
