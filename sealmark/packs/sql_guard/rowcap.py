"""Whether every read that is sent on to the backend has a bound on its rows.

Why: A read without a bound makes the engine do all of the work and the server hold all of the rows, whatever it passes
on in the end. What counts is the bound that the engine is told.

How: Reads without a bound, with one ten times above the cap (checks.sql-guard-rowcap.row_cap) and with one that bounds
only a part go through each reading tool. What reached the stub that stands in for the engine decides: a LIMIT, FETCH
FIRST or TOP at the end of the statement or around it, or a number beside it in the request (limit, maxRows, page size).
A read that is refused instead passes.

When it can be wrong: A server that reads a stream of rows and stops at its cap does not tell the engine; it fails here
although it returns few rows. A bound that is named in another way is not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.sql.aims import statement_of
from sealmark.packs.sql_guard.guarded import NO_CONTROL, allowed, controlled, filled, probes, sent_on
from sealmark.packs.upstream.calls import requests_of, shown
from sealmark.record.model import Probe, Verdict

RULES = (
    Rule(
        "unbounded",
        "fail",
        "A read was sent on to the backend without a bound on its rows.",
        "Wrap each read in one of your own with a LIMIT, or tell the engine how many rows it may return.",
    ),
    Rule(
        "over-cap",
        "fail",
        "A read was sent on with a bound above the cap.",
        "Lower the caller's bound to your own when it is higher, or refuse it.",
    ),
    NO_CONTROL,
    Rule("capped", "pass", "Every read was refused, or sent on with a bound within the cap."),
)

_AROUND = re.compile(
    r"(?:limit|fetch (?:first|next))\s+(\d{1,12})(?:\s+rows? only)?(?:\s+offset\s+\d+)?[\s;\"'\\}]*(?:$|[,\"}])", re.I
)
_TOP = re.compile(r"^\W*(?:[\w\"]+\W+){0,4}?select\s+top\s*\(?\s*(\d{1,12})", re.I)
_BESIDE = re.compile(
    r"[\"'?&](?:row_?)?(?:limit|max_?rows|max_?results|page_?size|fetch_?size|row_?count)[\"']?\s*[:=]\s*\"?(\d{1,12})",
    re.I,
)


def bound(request: Mapping[str, Any]) -> int | None:
    """The smallest bound on rows that a request tells the backend, None when it tells none."""
    body, path = " ".join(str(request.get("body", "")).split()), str(request.get("path", ""))
    found = [int(number) for text in (body, path) for rule in (_AROUND, _TOP, _BESIDE) for number in rule.findall(text)]
    return min(found) if found else None


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each reading tool an ordinary read, then those that need a bound."""
    values = {"allowed": allowed(target), "huge": str(cap(target) * 10)}
    yield from probes(target, {case.id: (filled(case["sql"], values), case.why) for case in target.cases})


def cap(target: Target) -> int:
    """The largest bound that may reach the backend."""
    return int(target.setting("checks.sql-guard-rowcap.row_cap"))


def judge(seen: Seen) -> Verdict:
    """Pick the rule: no bound, one too high, or within the cap."""
    attacks = controlled(seen)
    if not attacks:
        return seen.decide(
            "no-control" if seen.controls.answered else "none-answered", seen.controls, line=statement_of
        )
    most = cap(seen.target)
    bounds = {o.probe.id: [bound(request) for request in requests_of(o)] for o in attacks if sent_on(o)}

    def line(outcome: Outcome) -> str:
        return f"sent on: {shown(requests_of(outcome)[0])}"

    free = attacks.where(lambda outcome: None in bounds.get(outcome.probe.id, ()))
    if free:
        return seen.decide("unbounded", free, line=line)
    high = attacks.where(lambda outcome: any((found or 0) > most for found in bounds.get(outcome.probe.id, ())))
    if high:
        return seen.decide("over-cap", high, f"Bounds above {most} rows reached the backend.", line=line)
    return seen.decide("capped", attacks.answered)


CHECK = Check(
    id="sql-guard-rowcap",
    revision=1,
    title="Reads are sent on with a bound",
    question="Does a read without a bound reach the backend?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-770",),
    settings=("checks.sql-guard-rowcap.row_cap",),
)
