"""Whether a value that a tool takes as text becomes part of a SQL statement.

Why: A search word, a name, a number: tools that keep their data in a database put such values into statements. Where
they are pasted in, the value can end the quoted text and go on as SQL, and then shows or changes whatever the
database holds.

How: Only with --active. Of each tool at most two arguments for text are tried that no other pack owns, those first
that are required or named like what ends in conditions (id, name, filter, sort …). Tools whose name or annotations
speak of writing are left alone, as a condition that is always true would change every row; at most twelve tools are
tried. An ordinary value goes first, twice: when its two answers differ, the argument cannot be judged. Then go pairs of
conditions, one true and one false, in the places of the corpus: between quotes, in a number, behind a comment. A true
and a false condition hold the same characters in another order, so that a search for words finds the same for both.
The check fails only when both true conditions are answered alike, both false ones like the ordinary value, and the
true ones differently. What was sent is taken out of the answers before they are compared. A quote that brings the
error of a SQL engine, where the ordinary value brings none, makes it part: it is a strong sign and no proof.

When it can be wrong: A statement in which a condition makes no visible difference is not seen, nor one in which the
value stands for the name of a table or a column, unless a quote brings an error. Answers are compared by their first
characters, their length and their number of rows.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.inject.answers import Answer, answers, complains
from sealmark.packs.inject.values import Aim, asked, ranked, trying
from sealmark.packs.inject.verdicts import NO_CONTROL, SOME_UNJUDGED, of, settle
from sealmark.reading.words import table
from sealmark.record.model import Probe, Verdict
from sealmark.surface import consent
from sealmark.surface.uses import verb

TELLING = table("""
    id, ids, key, name, username, user, email, title, search, query, q, term, keyword, filter, where, order,
    sort, column, field, table, category, tag, status, type, code, customer, account, product, author, city,
    country, date, from, to, value
""")
READING = ("read", "list", "search", "stat")

RULES = (
    Rule(
        "condition-decides",
        "fail",
        "A condition inside a value decided what came back: the value became part of a SQL statement.",
        "Pass values as bound parameters, never inside the text of a statement.",
    ),
    Rule(
        "sql-error",
        "part",
        "A quote inside a value brought the error of a SQL engine, so the value may become part of a statement.",
        "Pass values as bound parameters; take names of tables and columns from a list only.",
    ),
    SOME_UNJUDGED,
    NO_CONTROL,
    Rule("no-difference", "pass", "Ordinary values were used, and no condition inside a value made a difference."),
)


def aims(target: Target) -> tuple[list[Aim], list[Aim]]:
    """The arguments to try and those left out; of tools that read."""
    chosen, left = ranked(target, TELLING)
    reading = [aim for aim in chosen if consent.read_only(aim.tool) or verb(aim.tool) in READING]
    return reading, [*(aim for aim in chosen if aim not in reading), *left]


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each argument the ordinary value twice, then quotes, then the pairs of conditions."""
    chosen, _ = aims(target)
    for aim in chosen:
        control = tuple(trying(target, aim, "control", "plain", [aim.plain] * 2, "an ordinary value, twice"))
        yield from control
        for case in target.cases if control else ():
            values = [value.replace("VALUE", aim.plain) for value in case["values"]]
            yield from trying(target, aim, "attack", case.id, values, case.why)


def _plain(seen: Seen, aim: Aim) -> tuple[Answer, ...]:
    control = next(iter(seen.controls.where(of(aim))), None)
    return answers(control, seen) if control is not None else ()


def _decides(outcome: Outcome, seen: Seen, aim: Aim) -> bool:
    """Whether the true conditions are answered alike, the false ones like the ordinary value, and both differ."""
    plain, found = _plain(seen, aim), answers(outcome, seen)
    if len(found) != 4 or len(plain) != 2 or not plain[0].like(plain[1]) or any(one.error for one in found):
        return False
    true, false, true_again, false_again = found
    alike = true.same(true_again) and false.same(false_again)
    return alike and false.like(plain[0]) and not true.same(false) and not true.like(plain[0])


def judge(seen: Seen) -> Verdict:
    """Pick the rule: a condition decides, a quote brings an error, or how much could be judged."""
    chosen, left = aims(seen.target)
    pairs = [(aim, outcome) for aim in chosen for outcome in seen.attacks.where(of(aim))]
    found = [(aim, outcome) for aim, outcome in pairs if _decides(outcome, seen, aim)]
    if found:
        hits, names = [outcome for _, outcome in found], ", ".join(dict.fromkeys(aim.name for aim, _ in found))
        summary = f"True and false conditions inside a value bring different answers: {names}."
        return seen.decide("condition-decides", hits, summary, line=lambda o: f"{asked(o)}: {o.probe.why}")
    errors = [o for aim, o in pairs if complains(o, seen) and not any(one.complaint for one in _plain(seen, aim))]
    if errors:
        names = ", ".join(dict.fromkeys(outcome.probe.tool for outcome in errors))
        summary = f"{names}: a quote inside a value brings the error of a SQL engine."
        return seen.decide("sql-error", errors, summary, line=lambda o: f"{asked(o)} brought “{complains(o, seen)}”")
    return settle(seen, chosen, left, "no-difference", lambda aim: _steady(seen, aim))


def _steady(seen: Seen, aim: Aim) -> bool:
    plain = _plain(seen, aim)
    return len(plain) == 2 and plain[0].like(plain[1])


CHECK = Check(
    id="inject-sql",
    revision=1,
    title="Values do not become SQL",
    question="Does a condition inside a value decide what comes back?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-89",),
    owasp="MCP05:2025 Command Injection & Execution",
)
