"""Whether each caller's calls reach the backend with that caller's own token.

Why: A server that answers several callers acts for whoever asks. If it keeps the token of the first caller, or asks its
backend with one token for all, everybody gets what one of them may see, and the backend's own access rules no longer
count.

How: The server is given a token for each of two callers where its configuration says {bearer}; both are minted for the
run. The valid calls of the configuration (probes without a check) are made as the first caller, as the second, as the
first again, and as nobody. What the stub that stands in for the backend was sent with each decides, by the header
upstream.credential_header: the second caller's call with the first one's token fails, whatever came back.

When it can be wrong: A server that exchanges a caller's token for another one, as the protocol's security guide asks of
servers that call other services, passes when the two callers' calls carry different credentials; that the exchanged one
stands for the right caller cannot be seen. A server that is started for each caller with that caller's token, as over
stdio, has little chance to mix them up.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.upstream.calls import (
    NO_CALLERS,
    NOT_REACHED,
    has_callers,
    requests_of,
    shown,
    valid_calls,
    watched,
)
from sealmark.record.model import Probe, Verdict

ASKING = (
    ("control", "a", "bearer:a", "the first caller's own call"),
    ("attack", "b", "bearer:b", "the second caller's call, after the first one's"),
    ("attack", "a-again", "bearer:a", "the first caller's call, after the second one's"),
    ("attack", "nobody", "anonymous", "a call without any token, after both"),
)

RULES = (
    Rule(
        "other-caller",
        "fail",
        "A call reached the backend with the token of another caller, or nobody's call with anybody's.",
        "Take the token from the request that is being answered; keep none between calls, in memory or on disk.",
    ),
    Rule(
        "one-credential",
        "fail",
        "The calls of both callers reached the backend with one and the same credential.",
        "Ask the backend as the caller who asks, with the caller's token or one that it was exchanged for.",
    ),
    Rule(
        "no-credential",
        "fail",
        "A caller's call reached the backend without any credential.",
        "Send the caller's token, or name the header that carries it: upstream.credential_header.",
    ),
    NOT_REACHED,
    NO_CALLERS,
    Rule("each-own", "pass", "Every call reached the backend with a credential of its own caller."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each valid call the two callers' and nobody's, one after another."""
    for name, call in valid_calls(target) if has_callers(target) else ():
        before = ""
        for role, who, session, why in ASKING:
            probe = watched(target, role, f"{name}.{who}", call, why=why, session=session, requires=before)  # type: ignore[arg-type]
            if role == "control":
                before = probe.id
            yield probe


def _credentials(outcome: Outcome, header: str) -> list[str]:
    """The credentials with which a probe's requests came, empty texts for those without."""
    return [str(request.get("headers", {}).get(header, "")) for request in requests_of(outcome)]


def _owner(outcome: Outcome) -> str:
    """The mark of the token that belongs to a probe's session; nobody has one."""
    return {"bearer:a": "{bearer_a}", "bearer:b": "{bearer_b}"}.get(outcome.probe.session, "")


def judge(seen: Seen) -> Verdict:
    """Pick the rule: another's token, one for all, none, or each its own."""
    if not has_callers(seen.target):
        return seen.decide("no-callers")
    header = str(seen.target.setting("upstream.credential_header", "authorization")).lower()
    reached = seen.own.where(lambda outcome: bool(requests_of(outcome)))
    callers = reached.where(lambda outcome: bool(_owner(outcome)))
    tokens = ("{bearer_a}", "{bearer_b}")

    def line(outcome: Outcome) -> str:
        carried = _credentials(outcome, header)[0]
        return f"as {outcome.probe.session}: {shown(requests_of(outcome)[0], 100)} carried {carried!r}"

    wrong = reached.where(
        lambda o: any(token in value and token != _owner(o) for value in _credentials(o, header) for token in tokens)
    )
    if wrong:
        return seen.decide("other-caller", wrong, line=line)
    if not callers.role("control") or not callers.role("attack"):
        return seen.decide("not-reached", seen.own)
    bare = callers.where(lambda o: "" in _credentials(o, header))
    if bare:
        return seen.decide("no-credential", bare, line=line)
    of_a = {value for o in callers if o.probe.session == "bearer:a" for value in _credentials(o, header)}
    of_b = {value for o in callers if o.probe.session == "bearer:b" for value in _credentials(o, header)}
    if of_a & of_b:
        return seen.decide("one-credential", callers, line=line)
    return seen.decide("each-own", callers, line=line)


CHECK = Check(
    id="upstream-identity",
    revision=1,
    title="Each caller's own token",
    question="Does each caller's call reach the backend as that caller?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-441", "CWE-287"),
    owasp="MCP01",
)
