"""What was expected of one call, held against what was observed: a sentence for each expectation that did not hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec

from sealmark.check import Outcome, Seen
from sealmark.check.seen import succeeded
from sealmark.packs.custom.own import expected, log_texts, tolerated
from sealmark.record.model import Call, Close, Observation

Status = Literal["pass", "fail", "warn"]

Kind = Literal["met", "contract", "call-failed", "needs-auth", "cannot-tell", "crashed", "hung", "not-sent"]


class Found(msgspec.Struct, frozen=True):
    """What became of one call: which kind of result, and the sentences that show it."""

    kind: Kind
    lines: tuple[str, ...] = ()


def judge_call(outcome: Outcome, expect: Mapping[str, Any], seen: Seen) -> Found:
    """Whether a call was as expected. An unanswered call never is; one that needs a login says nothing."""
    answer = next((o for o in outcome.replies if isinstance(outcome.probe.steps[o.step], Call)), None)
    if answer is None:
        kind: Kind = "crashed" if outcome.crashed else "hung" if outcome.hung else "not-sent"
        return Found(kind, ("no answer came",))
    actual, wanted = actual_status(answer, expect), wanted_status(expect)
    if actual == "warn" and wanted != "warn":
        return Found("needs-auth", (f"the call reached authentication or permission handling: {said(answer)}",))
    lines = list(_of_reply(answer, expect, seen)) + list(_of_upstream(outcome, answer, expect, seen))
    if actual != wanted:
        says = f"expected the call to {_WORDS[wanted]}, and it {_DID[actual]}: {said(answer)}"
        kind = "call-failed" if wanted == "pass" and not lines else "contract"
        return Found(kind, (says, *lines))
    lines += _of_log(outcome, expect)
    if lines:
        return Found("contract", tuple(lines))
    unknown = tuple(_unseen(outcome, expect))
    return Found("cannot-tell", unknown) if unknown else Found("met")


_WORDS: Mapping[Status, str] = {"pass": "succeed", "fail": "be refused", "warn": "reach authentication"}
_DID: Mapping[Status, str] = {"pass": "succeeded", "fail": "failed", "warn": "reached authentication"}


def actual_status(answer: Observation, expect: Mapping[str, Any]) -> Status:
    """`pass` for a call that worked, `warn` for one that hit a tolerated code or a login, `fail` for any other."""
    if succeeded(answer):
        return "pass"
    facts = answer.facts or {}
    codes = list(facts.get("codes", ()))[1 if "error_code" in expect else 0 :]
    if any(codes) or answer.error_code in tolerated(expect):
        return "warn"
    login = answer.readings is not None and answer.readings.failure == "auth"
    if login and "tolerate" not in expect and expect.get("status") != "fail":
        return "warn"
    return "fail"


def wanted_status(expect: Mapping[str, Any]) -> Status:
    """What a call is expected to do: what is said, else to fail where an error code is expected, else to succeed."""
    if "status" in expect:
        status: Status = expect["status"]
        return status
    return "fail" if "error_code" in expect else "pass"


def said(answer: Observation, limit: int = 160) -> str:
    """What a reply says, in one line."""
    text = " ".join((answer.readings.text if answer.readings is not None else "").split())[:limit]
    return text or "no text"


def _of_reply(answer: Observation, expect: Mapping[str, Any], seen: Seen) -> Iterator[str]:
    facts = answer.facts or {}
    for name, found in zip(expect.get("required_fields") or (), facts.get("fields", ()), strict=False):
        if not found:
            yield f"the result has no field {name!r}"
    if "max_rows" in expect:
        rows = facts.get("rows")
        if rows is None:
            yield "nothing in the result tells how many rows it holds"
        elif rows > expect["max_rows"]:
            yield f"the result holds {rows} rows, at most {expect['max_rows']} are expected"
    if "error_code" in expect:
        held = (facts.get("codes") or [False])[0] or answer.error_code == expect["error_code"]
        if not held:
            yield f"the reply lacks the error code {expect['error_code']!r}"
    for text, found in zip(expect.get("contains") or (), facts.get("contains", ()), strict=False):
        if not found:
            yield f"the reply does not contain {text!r}"
    for text, found in zip(expect.get("not_contains") or (), facts.get("not_contains", ()), strict=False):
        if found:
            yield f"the reply contains {text!r}"
    most = (expect.get("response") or {}).get("max_bytes")
    length = seen.gathered.bodies[answer.body].length if answer.body in seen.gathered.bodies else 0
    if most is not None and length > most:
        yield f"the reply has {length} bytes, at most {most} are expected"


def _of_upstream(outcome: Outcome, answer: Observation, expect: Mapping[str, Any], seen: Seen) -> Iterator[str]:
    wanted = expect.get("upstream") or {}
    looks = outcome.looked("upstream")
    if not wanted or not looks:
        return
    requests = [request for look in looks for request in look.get("requests", ())]
    count = len(requests) + sum(look.get("more", 0) for look in looks)
    if wanted.get("requests") == "none" and count:
        yield f"{count} requests reached the backend, none is expected ({shown(requests[0])})"
    if wanted.get("requests") == "any" and not count:
        yield "no request reached the backend"
    matching = wanted.get("none_matching")
    for request in requests:
        if matching and matching in request.get("matches", ()):
            yield f"a request that must not occur reached the backend: {shown(request)}"
        if wanted.get("all_matching") and wanted["all_matching"] not in request.get("matches", ()):
            yield f"a request that does not match reached the backend: {shown(request)}"
        for name, value in (wanted.get("header") or {}).items():
            carried = request.get("headers", {}).get(name.lower())
            if carried != expected(value):
                yield f"a request carried the header {name} with {carried!r}, expected is {value!r}"
    if "token_echoed" in wanted:
        echoed = bool([s for s in answer.sightings if s.name == "upstream_token"])
        if echoed != wanted["token_echoed"]:
            yield f"the reply {'holds' if echoed else 'lacks'} the marker of the backend's answer"


def shown(request: Mapping[str, Any]) -> str:
    """A request to the backend in one line."""
    body = " ".join(str(request.get("body", "")).split())[:120]
    return f"{request.get('method')} {request.get('path')}" + (f" {body}" if body else "")


def _of_log(outcome: Outcome, expect: Mapping[str, Any]) -> Iterator[str]:
    facts = _logged(outcome)
    if facts is None:
        return
    log = expect.get("log") or {}
    required = len(log.get("contains") or ())
    texts = [*(log.get("contains") or ()), *(log.get("not_contains") or ())]
    for number, (text, held) in enumerate(zip(texts, facts["log"], strict=False)):
        if number < required and not held and facts["whole"]:
            yield f"no log line contains {text!r}"
        if number >= required and held:
            yield f"a log line contains {text!r}"


def _logged(outcome: Outcome) -> dict[str, Any] | None:
    return next(
        (o.facts for o in outcome.observations if isinstance(outcome.probe.steps[o.step], Close) and o.facts), None
    )


def _unseen(outcome: Outcome, expect: Mapping[str, Any]) -> Iterator[str]:
    """What could not be looked at, although something was expected of it."""
    if log_texts(expect):
        facts = _logged(outcome)
        if facts is None or not facts["whole"]:
            yield "not all log lines of the server could be seen"
    looks = outcome.looked("upstream")
    wanted = expect.get("upstream") or {}
    if wanted and not looks:
        yield "the stub that stands in for the backend was not looked at"
    if {"none_matching", "all_matching", "header"} & set(wanted) and any(look.get("more") for look in looks):
        yield "more requests reached the backend than could be looked at"
