"""What the checks of this pack share: that the engine is SQLite, that a tool works, and what a statement changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from sealmark.check import Outcome, Rule, Seen, Target
from sealmark.packs.sql.aims import Aim, control_id, probe, readers, reply_of, statement_of
from sealmark.packs.sql.verdicts import settle
from sealmark.record.model import Look, Probe, Restore, Verdict

READ = "SELECT id, body FROM notes ORDER BY id"
"""Its first row holds `{inside_secret}`."""

ENGINE = "SELECT CASE WHEN sqlite_version() LIKE '3.%' THEN 'sqlite' || ' answers' END AS engine"
ANSWERS = "sqlite answers"
"""What only an engine that has computed the statement before can say; it does not occur in the statement."""

VERSION = "SELECT version() AS version"
"""SQLite has no such function; the engines that have one say who they are."""

INSERT = "INSERT INTO notes (body) VALUES ('sqlite' || CASE WHEN sqlite_version() LIKE '3.%' THEN ' answers' END)"
CREATE = "CREATE TABLE made (x)"

ENGINES = (
    ("DuckDB", re.compile(r"(?<![\w.])v\d+\.\d+\.\d+|\bCatalog Error: |\bDuckDB\b")),
    ("PostgreSQL", re.compile(r"PostgreSQL \d")),
    ("MariaDB", re.compile(r"\d-MariaDB")),
    ("MySQL", re.compile(r"(?<![\w.])[5-9]\.\d+\.\d+(?![\w.])")),
)
"""Engine -> what it says when it is asked for its version, or for SQLite's."""

WATCH = "sqlite"
AFTER = (Look(WATCH), Restore(WATCH))
"""What follows a statement that may change the database: look, then put everything back."""

OTHER_ENGINE = Rule(
    "other-engine",
    "inconclusive",
    "Another engine than SQLite answered, or none that says that it is SQLite, and this pack grades SQLite only.",
    "Point the server at {sqlite_path}. Servers of other engines are not graded by this pack.",
)


def reading(target: Target, aim: Aim) -> Iterator[Probe]:
    """The controls of a tool: read a row, and say which engine answers."""
    yield from probe(target, aim, "read", [READ], role="control", why="an ordinary read")
    yield from probe(target, aim, "engine", [ENGINE], role="control", why="a function of SQLite alone")
    yield from probe(target, aim, "version", [VERSION], role="control", why="a function of other engines")


def writing(target: Target, aim: Aim) -> Iterator[Probe]:
    """More controls of a tool that is there to write: one row, one table; judged by the file."""
    for case, statement in (("insert", INSERT), ("create", CREATE)) if aim.writer else ():
        why = "what the tool is there for"
        yield from probe(
            target,
            aim,
            case,
            [statement],
            role="control",
            why=why,
            after=AFTER,
            resource=WATCH,
            approved=approved(aim),
        )


def approved(aim: Aim) -> bool | None:
    """Whether a statement is sent as approved: to a writer yes, since approval of a row is none of a file."""
    return True if aim.writer else None


def controlled(target: Target, aim: Aim) -> str:
    """What an attack on this tool requires: one of the tool's controls must have worked."""
    cases = ("read", "insert", "create") if aim.writer else ("read",)
    return "|".join(control_id(target, aim, case) for case in cases)


def changes(outcome: Outcome) -> list[dict[str, Any]]:
    """What the probe changed in the database; files beside it are another matter."""
    return [change for look in outcome.looked(WATCH) for change in look["changes"] if "file" not in change]


def works(outcome: Outcome) -> bool:
    """Whether a control shows that its tool reads our database, or writes to it."""
    return outcome.answered and bool(outcome.sightings("inside_secret") or changes(outcome))


def engine(seen: Seen) -> str:
    """The engine that answered the controls: SQLite, the name of another, or nothing when none says."""
    for outcome in seen.controls:
        if ANSWERS in said(outcome, seen) or (outcome.probe.case in ("insert", "create") and changes(outcome)):
            return "SQLite"
    asked = [said(outcome, seen) for outcome in seen.controls.case("engine", "version")]
    return next((name for name, pattern in ENGINES if any(map(pattern.search, asked))), "")


def said(outcome: Outcome, seen: Seen) -> str:
    """What the last reply says, as far as it is kept: its text, then the whole of it as it came."""
    last = outcome.last
    if last is None:
        return ""
    body, read = seen.gathered.bodies.get(last.body), last.readings
    return f"{read.text if read is not None else ''}\n{body.head + body.tail if body is not None else ''}"


def foreign(seen: Seen) -> Verdict | None:
    """The verdict when another engine answered: no statement of ours says anything about it."""
    name = engine(seen)
    if name in ("SQLite", ""):
        return None
    return _not_ours(seen, f"{name} answered, and this pack grades SQLite only.")


def unnamed(seen: Seen) -> Verdict | None:
    """The verdict when our rows were read, or written, and nothing says by which engine."""
    named = engine(seen) or not seen.controls.where(works)
    return None if named else _not_ours(seen, "Our rows came back, and the engine does not say that it is SQLite.")


def _not_ours(seen: Seen, summary: str) -> Verdict:
    asked = seen.controls.case("engine", "version").answered or seen.controls.where(works)
    return seen.decide("other-engine", asked, summary, line=lambda o: f"{statement_of(o)} {reply_of(o)}")


def told(change: dict[str, Any]) -> str:
    """One change in words."""
    if "table" in change:
        rows = f"{change['table']} {change['before']} → {change['after']} rows"
        added, removed = change.get("added"), change.get("removed")
        shown = f", now {_row(added[0])}" if added else f", without {_row(removed[0])}" if removed else ""
        return rows + shown
    if "object" in change:
        return f"{change['kind']} {change['object']} {change['change']}"
    if "pragma" in change:
        return f"{change['pragma']} {change['before']} → {change['after']}"
    return f"the database file is {change['change']}"


def _row(row: Sequence[Any]) -> str:
    return "(" + ", ".join(map(str, row[:6])) + ")"


def wrote(outcome: Outcome) -> str:
    """The evidence line of a statement that changed the database."""
    return f"{statement_of(outcome)} changed {'; '.join(map(told, changes(outcome)[:3]))}: {outcome.probe.why}"


def unchanged(seen: Seen, noun: str) -> Verdict:
    """The verdict when no statement changed the database; `noun` is what they are called in the summary."""
    return unnamed(seen) or settle(
        seen,
        readers(seen.target),
        works,
        "unchanged",
        lambda answered, all_: f"{answered} of {all_} {noun} were answered, and none changed the database.",
        lambda outcome: f"{statement_of(outcome)} {reply_of(outcome, 100)}; nothing changed",
    )
