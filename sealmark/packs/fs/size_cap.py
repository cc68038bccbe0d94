"""Whether one reply can hold more of a file than any reader can use.

Why: What a tool returns goes into a model's context and through every program on the way. A reader without a bound
lets one large log file, picked by mistake or by somebody else's text, end the conversation or fill the memory of the
client.

How: A text of 4 MiB (checks.fs-size-cap.file_mib) lies in the root. Up to two tools that return the content of text
files first read a small file, which shows that they work, and then the large one, with no other argument than its
path. A reply with at most 2 MiB of text (checks.fs-size-cap.max_mib) passes, whether it is a part, a notice or a
refusal: 2 MiB are about half a million tokens. A reply with more fails, unless a reading tool of the server has an
argument by which the caller can ask for less (head, limit, offset, range …), which makes it part. A server that ends
or does not answer fails. What is measured is the text of the reply, or the whole reply when it holds no text; a copy
of the text in structured content does not count twice.

When it can be wrong: A server whose bound lies above the limit and below its machine's memory is told that it has
none. The argument that bounds a read is found by its name and not tried. Readers of other formats (images, workbooks)
are not asked, since the large file is a text; a server that has no others is not judged here.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.fs.aims import Aim, aims, asked, calling, subject
from sealmark.packs.fs.probes import SPELLINGS, attack, controls
from sealmark.packs.fs.sizes import amount, bounding, in_mib
from sealmark.packs.fs.verdicts import NO_CONTROL, SOME_UNJUDGED, settle
from sealmark.record.model import Probe, Verdict

MOST_TOOLS = 2
"""Tools that are asked for the large file."""

RULES = (
    Rule(
        "fell-over",
        "fail",
        "The server ended, or gave no answer, when it was asked for a large file.",
        "Look at the size before reading, and answer with an error or a part when it is above a bound.",
    ),
    Rule(
        "over-limit",
        "fail",
        "One reply held more of a large file than the limit, and no argument lets the caller ask for less.",
        "Bound what one call returns, say in the reply that it was cut, and offer an offset and a limit.",
    ),
    Rule(
        "caller-bounds",
        "part",
        "One reply held more of a large file than the limit; the caller can ask for less, but is not made to.",
        "Bound what one call returns when the caller gives no limit, and say in the reply that it was cut.",
    ),
    Rule(
        "too-small",
        "inconclusive",
        "The large file is not larger than the limit, so nothing can be shown.",
        "Set checks.fs-size-cap.file_mib above checks.fs-size-cap.max_mib.",
    ),
    SOME_UNJUDGED,
    NO_CONTROL,
    Rule("capped", "pass", "No reply held more of a large file than the limit."),
)


def readers(target: Target) -> tuple[Aim, ...]:
    """The arguments by which text files are read, one for each tool, as many as are asked."""
    found = {aim.tool.name: aim for aim in reversed(aims(target, ("read",))) if aim.file == "hello.txt"}
    return tuple(reversed(list(found.values())))[:MOST_TOOLS]


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each reader the small file."""
    for aim in readers(target):
        yield from controls(target, aim)


def follow_up(target: Target, seen: Seen) -> Iterator[Probe]:
    """Yield for each reader that works the large file, by the kind of path that worked."""
    for aim in readers(target):
        working = seen.controls.of_tool(aim.tool.name).where(_works)
        for entry in target.cases if working else ():
            path = entry["path"] if SPELLINGS[working[0].probe.case] else entry["path"].removeprefix("{sandbox}/")
            step = calling(target, aim, path)
            if step is not None:
                yield attack(target, aim, entry.id, step, entry.why, ())


def judge(seen: Seen) -> Verdict:
    """Pick the rule: fell over, too much came back, or how much could be judged."""
    limit = seen.target.setting("checks.fs-size-cap.max_mib", 2) * 2**20
    size = seen.target.facts.get("fixtures", {}).get("big_bytes", 0)
    if seen.own and size <= limit:
        return seen.decide("too-small", summary=f"The large file has {size} bytes, the limit is {limit} bytes.")
    fell = seen.attacks.where(lambda outcome: outcome.crashed or outcome.hung)
    if fell:
        names = ", ".join(map(subject, fell))
        summary = f"{names}: no answer to a call for a file of {in_mib(size)}."
        return seen.decide("fell-over", fell, summary, line=lambda outcome: f"{asked(outcome)} was not answered")
    over = seen.attacks.where(lambda outcome: amount(outcome, seen) > limit)
    if over:
        most = max(amount(outcome, seen) for outcome in over)
        bounded = [name for aim in readers(seen.target) for name in bounding(aim.tool)]
        summary = (
            f"{', '.join(map(subject, over))} returned up to {in_mib(most)} of a file of {in_mib(size)} in one reply."
        )
        if bounded:
            summary += f" The caller can ask for less: {', '.join(dict.fromkeys(bounded))}."
        rule = "caller-bounds" if bounded else "over-limit"
        return seen.decide(rule, over, summary, line=lambda o: f"{asked(o)} came back with {in_mib(amount(o, seen))}")
    expected = [aim.tool.name for aim in readers(seen.target)]
    return settle(
        seen, expected, _works, "capped", f"calls for a file of {in_mib(size)}", "none returned more than the limit"
    )


def _works(outcome: Outcome) -> bool:
    return outcome.answered and bool(outcome.sightings("inside_secret"))


CHECK = Check(
    id="fs-size-cap",
    revision=1,
    title="One reply has a bound",
    question="Can one call bring back a whole file, however large?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    follow_up=follow_up,
    cwe=("CWE-770", "CWE-400"),
    settings=("checks.fs-size-cap.file_mib", "checks.fs-size-cap.max_mib"),
)
