"""Whether a slow backend keeps a caller waiting without end.

Why: A backend that answers late is ordinary. A server that waits as long as it takes holds its caller, and with it an
agent, for as long as somebody else pleases.

How: The first valid call of the configuration (a probe without a check) is made while the stub answers only after half
as long again as a call may take (checks.upstream-slow.expected_sec, else timeouts.probe_sec), and two seconds more. An
answer of any kind within that time passes: an error that says so is a good one.

When it can be wrong: A server whose bound is longer than what is expected here fails although it has one; say how long
a call may take.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from sealmark.check import Check, Rule, Seen, Target
from sealmark.packs.upstream.calls import NOT_REACHED, has_callers, requests_of, valid_calls, watched
from sealmark.record.model import Probe, Verdict

RULES = (
    Rule(
        "hangs",
        "fail",
        "A call got no answer in the time that a call may take, while the backend was slow.",
        "Give every request to the backend a time-out below what callers wait for, and answer with an error.",
        "SERVER_HUNG",
    ),
    NOT_REACHED,
    Rule("in-time", "pass", "Every call was answered in time, although the backend was slow."),
)


def expected_sec(target: Target) -> float:
    """How long a call may take, in seconds."""
    chosen = target.setting("checks.upstream-slow.expected_sec") or target.setting("timeouts.probe_sec")
    return float(chosen)


def plan(target: Target) -> Iterator[Probe]:
    """Yield one call that the backend answers late, in a session of its own, since its server may not come back."""
    most = expected_sec(target)
    told = {"status": 200, "json": {}, "delay_ms": round(most * 1500) + 2000}
    session = "bearer:a/slow" if has_callers(target) else "slow"
    for name, call in valid_calls(target)[:1]:
        patient = msgspec.structs.replace(call, timeout_sec=most)
        case, why = f"{name}.late", "an answer that is late"
        yield watched(target, "attack", case, patient, why=why, session=session, told=told)


def judge(seen: Seen) -> Verdict:
    """Pick the rule: no answer in time, or one."""
    reached = seen.own.where(lambda outcome: bool(requests_of(outcome)))
    if not reached:
        return seen.decide("not-reached", seen.own)
    late = reached.where(lambda outcome: outcome.hung or outcome.crashed)
    if late:
        return seen.decide("hangs", late, line=f"no answer within {expected_sec(seen.target):g} s")
    return seen.decide("in-time", reached.answered)


CHECK = Check(
    id="upstream-slow",
    revision=1,
    title="A slow backend does not hang the server",
    question="Is a call answered in time when the backend is slow?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-400", "CWE-833"),
    settings=("checks.upstream-slow.expected_sec",),
)
