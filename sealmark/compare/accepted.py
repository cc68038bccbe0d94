"""Accepted findings: reviewed, with a reason, for a time, and bound to one server and the command that starts it.

An acceptance never hides a finding and never improves a grade; it only keeps the exit code from failing for it. One
that has expired, or that is bound to another server or command, is an error before anything is started.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

import msgspec

from sealmark.errors import ConfigError, UsageError
from sealmark.reading.shown import command_line, line
from sealmark.record.model import RunRecord, ServerFacts, Verdict

FINDINGS = ("fail", "part", "inconclusive")
"""Verdicts that can be accepted."""


class Acceptance(msgspec.Struct, frozen=True, omit_defaults=True):
    """One accepted finding. `expires` is the last day that it holds; without `rule`, whichever rule decided."""

    check: str
    reason: str
    expires: str
    server: str
    command: str = ""
    rule: str = ""


def acceptances(rows: Iterable[Mapping[str, Any]]) -> tuple[Acceptance, ...]:
    """Acceptances from the setting `output.accepted`, whose table has checked their fields already."""
    return tuple(msgspec.convert(dict(row), Acceptance) for row in rows)


def binding(server: ServerFacts) -> str:
    """The command line (or the URL of a server that nobody starts) to which an acceptance is bound, as written."""
    return command_line(server.command) if server.command else server.url


def check(given: Sequence[Acceptance], servers: Mapping[str, str], today: str) -> None:
    """Refuse acceptances that no longer hold.

    Args:
        given: from the configuration.
        servers: name -> command line or URL as written, of every configured server.
        today: ISO date.

    Raises:
        ConfigError: with one line per acceptance that has expired, has no reason, or is bound to something else.
    """
    problems = [problem for one in given if (problem := _problem(one, servers, today))]
    if problems:
        raise ConfigError(
            problems, hint="Review the finding again, then write the entry anew: sealmark baseline --help"
        )


def _problem(one: Acceptance, servers: Mapping[str, str], today: str) -> str:
    what = f"output.accepted: {line(one.check, 80)}"
    try:
        ends = date.fromisoformat(one.expires)
    except ValueError:
        return f"{what}: {line(one.expires, 40)!r} is no date"
    if ends < date.fromisoformat(today):
        return f"{what}: the acceptance expired on {one.expires}"
    if not one.reason.strip():
        return f"{what}: an acceptance needs a reason"
    if one.server not in servers:
        return f"{what}: bound to the server {line(one.server, 80)!r}, which this configuration does not have"
    if not one.command:
        return f"{what}: bound to no command; add command: {line(servers[one.server], 300)!r}"
    if one.command != servers[one.server]:
        was, now = line(one.command, 200), line(servers[one.server], 200)
        return f"{what}: bound to the command {was!r}, which is now {now!r}"
    return ""


def matching(given: Sequence[Acceptance], run: RunRecord) -> tuple[tuple[Acceptance, Verdict], ...]:
    """The findings of a run that are accepted, each with its acceptance."""
    verdicts = run.judgement.verdicts if run.judgement else ()
    bound = binding(run.gathered.server)
    return tuple(
        (one, verdict)
        for verdict in verdicts
        for one in given
        if verdict.tag in FINDINGS
        and one.check == verdict.check
        and one.rule in ("", verdict.rule)
        and (one.server, one.command) == (run.gathered.server.name, bound)
    )


def excused(given: Sequence[Acceptance], runs: Sequence[RunRecord]) -> dict[str, set[tuple[str, str]]]:
    """Server -> accepted findings as (check, rule), for the gate."""
    found: dict[str, set[tuple[str, str]]] = {}
    for run in runs:
        pairs = {(verdict.check, verdict.rule) for _, verdict in matching(given, run)}
        if pairs:
            found[run.gathered.server.name] = pairs
    return found


def words(given: Sequence[Acceptance], runs: Sequence[RunRecord]) -> dict[tuple[str, str], str]:
    """(server, check) -> `reason (until 2030-01-31)`, for the reports."""
    return {
        (run.gathered.server.name, verdict.check): f"{line(one.reason, 300)} (until {one.expires})"
        for run in runs
        for one, verdict in matching(given, run)
    }


def unused(given: Sequence[Acceptance], runs: Sequence[RunRecord]) -> tuple[str, ...]:
    """Notes about acceptances of servers that ran and whose finding is gone: they can be removed."""
    used = {one for run in runs for one, _ in matching(given, run)}
    ran = {run.gathered.server.name for run in runs if run.judgement is not None}
    return tuple(
        f"note: {line(one.check, 80)} is accepted for {line(one.server, 80)} and was not found; remove the entry"
        for one in given
        if one.server in ran and one not in used
    )


def accept(run: RunRecord, check_id: str, *, reason: str, expires: str) -> Acceptance:
    """An acceptance of a finding of a reviewed run, bound to its rule, its server and its command.

    Raises:
        UsageError: the run has no such finding, or the date or the reason cannot be used.
    """
    verdicts = run.judgement.verdicts if run.judgement else ()
    found = [verdict for verdict in verdicts if verdict.tag in FINDINGS]
    verdict = next((verdict for verdict in found if verdict.check == check_id), None)
    if verdict is None:
        known = ", ".join(line(other.check, 80) for other in found) or "none"
        raise UsageError(f"the run has no finding of {check_id!r}", hint=f"Its findings: {known}.")
    try:
        date.fromisoformat(expires)
    except ValueError:
        raise UsageError(f"--expires {expires!r} is no date", hint="Type a date like 2030-01-31.") from None
    if not reason.strip():
        raise UsageError("an acceptance needs a reason", hint='Type: --reason "why"')
    server = run.gathered.server
    return Acceptance(check_id, reason, expires, server.name, binding(server), verdict.rule)


def entries(given: Iterable[Acceptance]) -> list[dict[str, str]]:
    """Acceptances as entries of the setting `output.accepted`."""
    return [{key: value for key, value in msgspec.structs.asdict(one).items() if value} for one in given]
