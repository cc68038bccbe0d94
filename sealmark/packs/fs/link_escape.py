"""Whether a tool follows a link that leads out of the directory that the server was given.

Why: A link is inside the root by name and outside by content. A repository that somebody cloned, an archive that was
unpacked, or a tool that may itself make links can put one there, and then a check of the name alone is no check.

How: Links lie inside the root before the server starts: to a file outside, to a folder outside, to the sibling
folder, through another link, relative and absolute, and one to a file that does not exist yet. After a tool has shown
that it works inside the root, it is aimed at a path through a link: reads by the link to a file and through the links
to folders, listings and searches also at the root itself, in case they walk into a linked folder, writes at the link
to a file, at the dangling link, and at new files behind the folder links, moves and copies to and from behind a link.
What was read is seen in the reply by the secret that only the linked file holds; what was written is seen on the
disk. After each call all is put back. A tool that replaces a link by a file of its own, or that shows where a link
points, has not followed it. A hard link cannot be told from the file itself, so reading through one is noted and
never held against a server.

When it can be wrong: Links that are made while a call is under way (a race between check and use) are not tried. A
tool that resolves links and allows their targets on purpose fails by design. Where the file system has no links,
there is nothing to ask.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.fs.aims import READS, WRITES, Aim, aimed, aims, calling, first
from sealmark.packs.fs.changes import (
    REMOVED,
    SECRETS_OUTSIDE,
    WRITTEN,
    brought,
    changed_inside,
    changed_outside,
    telling,
)
from sealmark.packs.fs.probes import attack, controls, once
from sealmark.packs.fs.read_escape import works
from sealmark.packs.fs.verdicts import NO_CONTROL, SOME_UNJUDGED, Finding, found, settle, showed
from sealmark.record.model import Probe, Verdict

LISTED = ("link_name", "sibling_name", "outside_name", "link_size", "sibling_size", "outside_size")

_HINT = (
    "Resolve links in every part of the path before the check, and open without following the last one (O_NOFOLLOW)."
)

RULES = (
    Rule(
        "link-read", "fail", "A reply held the content of a file outside, read through a link inside the root.", _HINT
    ),
    Rule("link-written", "fail", "A call changed something outside, through a link inside the root.", _HINT),
    Rule("link-copied", "fail", "A call copied the content of a file outside into the root, through a link.", _HINT),
    Rule(
        "link-listed",
        "fail",
        "A reply named a file, or told the size of a file, outside, through a link inside the root.",
        "Do not walk into linked folders, or check where each leads before its names are shown.",
    ),
    SOME_UNJUDGED,
    NO_CONTROL,
    Rule("not-followed", "pass", "Tools work inside the root, and none followed a link out of it."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each path argument a control, then the paths through links that its use calls for."""
    if not target.facts.get("fixtures", {}).get("links"):
        return
    reading, writing = aims(target, READS), aims(target, WRITES)
    mains = (first(reading, "read"), first(writing, "write"))
    yield from once(probe for aim in (*reading, *writing) for probe in _probes(target, aim, every=aim in mains))
    if mains[0] is not None and target.facts["fixtures"].get("hard_link"):
        step = calling(target, mains[0], "{sandbox}/hardlink.txt")
        if step is not None:
            yield target.probe("fact", "hard-link", step, tool=mains[0].tool.name, why="a hard link", resource="fs")


def _probes(target: Target, aim: Aim, *, every: bool) -> Iterator[Probe]:
    before = controls(target, aim, suffix="@write" if aim.use in WRITES else "")
    yield from before
    link = f"link.{'bin' if aim.use == 'stat' else aim.file.rsplit('.', 1)[-1]}"
    for case in target.cases if before else ():
        if aim.use in case["uses"] and (every or case.get("always")):
            path = aimed(aim, ("{sandbox}/" + case["path"].replace("link.txt", link)).rstrip("/"))
            step = calling(target, aim, path)
            if step is not None:
                yield attack(target, aim, case.id, step, case.why, before)


def judge(seen: Seen) -> Verdict:
    """Pick the rule: written, read, copied or listed through a link, or how much could be judged."""
    escaped = found(
        seen,
        Finding(
            "link-written",
            seen.attacks.where(lambda outcome: bool(changed_outside(outcome, *WRITTEN, *REMOVED))),
            "changed files outside through a link",
            telling(*WRITTEN, *REMOVED),
        ),
        Finding(
            "link-read",
            seen.attacks.sighting(*SECRETS_OUTSIDE),
            "read files outside through a link",
            showed(*SECRETS_OUTSIDE),
        ),
        Finding(
            "link-copied",
            seen.attacks.where(lambda outcome: bool(brought(outcome))),
            "copied files from outside through a link",
            lambda outcome: "; ".join(brought(outcome)[:3]),
        ),
        Finding("link-listed", seen.attacks.sighting(*LISTED), "named files outside through a link", showed(*LISTED)),
    )
    target = seen.target
    expected = [aim.tool.name for aim in aims(target, (*READS, *WRITES)) if aim.use != "stat"] if seen.own else []
    return escaped or settle(seen, expected, _works, "not-followed", "paths through a link")


def _works(outcome: Outcome) -> bool:
    return works(outcome) or changed_inside(outcome)


CHECK = Check(
    id="fs-link-escape",
    revision=1,
    title="Links do not lead out of the root",
    question="Does a tool follow a link inside the root to a file outside it?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-59", "CWE-61"),
    owasp="MCP02:2025 Privilege Escalation via Scope Creep",
)
