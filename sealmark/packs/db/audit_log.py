"""Whether what was asked of the database is noted somewhere, what failed included.

Why: When something went wrong, the first question is what was asked and for whom. A trail that holds only what
succeeded is missing exactly what an attacker tried first.

How: Each tool is sent two statements that hold a word made for the run: one that reads, and one that fails. The harness
then looks for the words where a server can leave them within its reach: in the table audit_log of the database, to
which every role may add, and on the server's stderr. Both words found is a trail; one of them is a trail with gaps.

When it can be wrong: A trail in another place (a file elsewhere, a service) is not seen; then the check says that it
saw none, and draws no conclusion. The check is advisory.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.sql.aims import aims, probe, reply_of, statement_of
from sealmark.record.model import Look, Probe, Verdict

RULES = (
    Rule(
        "gaps",
        "fail",
        "Some statements were noted and others were not.",
        "Note every statement before it is run, with who asked, and its outcome after.",
    ),
    Rule(
        "no-trail",
        "inconclusive",
        "No statement was seen to be noted, in the table audit_log or on stderr.",
        "Note statements on stderr or in the table audit_log, or take the check for what it is: advisory.",
    ),
    Rule("noted", "pass", "The statement that read and the one that failed were both noted."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each tool the two statements, and a look after each."""
    for aim in aims(target):
        for case in target.cases:
            steps = (Look("database"),)
            yield from probe(target, aim, case.id, [case["statement"]], why=case.why, after=steps, resource="database")


def _noted(outcome: Outcome, seen: Seen) -> list[str]:
    """Where the statement of a probe was noted."""
    word = f"audited_{outcome.probe.case}"
    tables = [change for look in outcome.looked("database") for change in look["changes"]]
    found = [change["what"] for change in tables if any(f"{{{word}" in row for row in change.get("added", ()))]
    sessions = [one for one in seen.gathered.sessions if (one.pack, one.name) == ("db", outcome.probe.session)]
    if any(sighting.name == word for one in sessions for sighting in one.stderr_sightings):
        found.append("stderr")
    return found


def judge(seen: Seen) -> Verdict:
    """Pick the rule: all noted, some, or none."""
    if not seen.own:
        return seen.decide("no-target")
    answered = seen.attacks.answered
    if not answered:
        return seen.decide("none-answered", seen.own)
    noted = answered.where(lambda outcome: bool(_noted(outcome, seen)))

    def says(outcome: Outcome) -> str:
        places = " and ".join(_noted(outcome, seen))
        return f"{statement_of(outcome)} was noted in {places}" if places else f"{statement_of(outcome)} was not noted"

    if not noted:
        return seen.decide("no-trail", answered, line=lambda o: f"{statement_of(o)} {reply_of(o)}; not noted")
    if len(noted) < len(answered):
        missed = [outcome for outcome in answered if outcome not in noted]
        cases = ", ".join(dict.fromkeys(outcome.probe.case for outcome in missed))
        return seen.decide("gaps", [*missed, *noted], f"Not noted: {cases}.", line=says)
    return seen.decide("noted", noted, line=says)


CHECK = Check(
    id="db-audit-log",
    revision=1,
    title="Statements are noted",
    question="Is what was asked of the database noted somewhere, what failed included?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-778",),
    owasp="MCP08:2025 Lack of Audit and Telemetry",
    settings=("sql_tools",),
)
