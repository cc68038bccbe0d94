"""Whether a statement can make the engine load a library from disk.

Why: load_extension() runs the machine code of any file that the server's user can read. Who can place a file, or finds
one that fits, then owns the server. SQLite keeps it switched off; drivers offer a switch, and servers that want one
extension turn it on for all.

How: Each tool that takes SQL first answers a control (a read, or for a writer a write that the harness sees in the
file), and the engine is known by sqlite_version(). Then it is asked to load a small text file of the sandbox, in every
form that it may take: a SELECT, a condition, and for writers INSERT, UPDATE and CREATE TABLE. Before each form the
same form is sent with a harmless function. A text file is no library, so nothing is ever run: where loading is on, the
error of the loader comes back, which names what it found in the file, and that fails the check. The answer that
loading is not there or not allowed passes. A refusal that does not speak of loading or of extensions is no denial, as
the tool may have refused for any other reason; SQLite's own answer where loading is off, "not authorized", counts when
the same form with the harmless function was answered.

When it can be wrong: A server that hides every error behind one sentence cannot be judged, and the check says so. A
server that loads only files of a certain name is not seen to load.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Rule, Seen, Target
from sealmark.packs.sql.aims import Aim, aims, probe, reply_of, statement_of
from sealmark.packs.sql.verdicts import NO_CONTROL, SOME_UNJUDGED, settle
from sealmark.packs.sqlite.ground import (
    AFTER,
    OTHER_ENGINE,
    WATCH,
    approved,
    controlled,
    foreign,
    reading,
    unnamed,
    works,
    writing,
)
from sealmark.packs.sqlite.loading import denied, reached
from sealmark.record.model import Probe, Role, Verdict

RULES = (
    Rule(
        "loader-reached",
        "fail",
        "A statement reached the loader of extensions, which would have run the code of a library.",
        "Leave extension loading off; load what the server itself needs through the driver, then switch it off again.",
    ),
    SOME_UNJUDGED,
    Rule(
        "unsaid",
        "inconclusive",
        "Every form was refused, and no refusal spoke of extensions, so nothing tells whether loading is off.",
        "Let the tool pass on the engine's error, or say in the refusal that load_extension is not allowed.",
    ),
    NO_CONTROL,
    OTHER_ENGINE,
    Rule("denied", "pass", "Tools work, and loading an extension was denied in so many words."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each tool its controls, then each form with a harmless function and with the loader."""
    for aim in aims(target):
        before = (*reading(target, aim), *writing(target, aim))
        yield from before
        for case in target.cases if before else ():
            if case["for"] == "any" or aim.writer:
                harmless = case["statement"].replace("load_extension(", "length(")
                yield from _form(target, aim, case.id, harmless, "twin", "the same form, no loading")
                yield from _form(target, aim, case.id, case["statement"], "attack", case.why)


def _form(target: Target, aim: Aim, case: str, statement: str, role: Role, why: str) -> Iterator[Probe]:
    yield from probe(
        target,
        aim,
        case,
        [statement],
        role=role,
        why=why,
        after=AFTER,
        requires=controlled(target, aim),
        resource=WATCH,
        approved=approved(aim),
    )


def judge(seen: Seen) -> Verdict:
    """Pick the rule: the loader was reached, another engine, or which tools said that it cannot be."""
    other = foreign(seen)
    if other is not None:
        return other
    hits = seen.attacks.where(lambda outcome: bool(reached(outcome, seen)))
    if hits:
        said = f"{', '.join(hits.tools)} asked the loader for a file ({', '.join(o.probe.case for o in hits)})."
        return seen.decide("loader-reached", hits, said, line=lambda o: f"{statement_of(o)}: {reached(o, seen)}")
    if (unknown := unnamed(seen)) is not None:
        return unknown
    says_no = seen.attacks.where(lambda outcome: denied(outcome, seen))
    working = {outcome.probe.tool for outcome in seen.controls if works(outcome)}
    silent = [aim for aim in aims(seen.target) if aim.tool.name in working - set(says_no.tools)]
    mute = seen.attacks.answered.where(lambda o: o.probe.tool in {aim.tool.name for aim in silent})
    if mute:
        names = ", ".join(mute.tools)
        if says_no:
            said = f"Denied by {', '.join(says_no.tools)}. {names} refused every form without a word of extensions."
            return seen.decide("some-unjudged", mute, said, line=lambda o: f"{statement_of(o)} {reply_of(o)}")
        return seen.decide("unsaid", mute, line=lambda o: f"{statement_of(o)} {reply_of(o)}")
    return settle(
        seen,
        aims(seen.target),
        works,
        "denied",
        lambda answered, all_: (
            f"{len(says_no)} of {all_} attempts were denied in so many words, and none was carried out."
        ),
        lambda outcome: f"{statement_of(outcome)} {reply_of(outcome)}",
    )


CHECK = Check(
    id="sqlite-extension-load",
    revision=1,
    title="No statement loads an extension",
    question="Can a statement make the engine load a library from disk?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-94", "CWE-426"),
    owasp="MCP05:2025 Command Injection & Execution",
    settings=("sql_tools",),
)
