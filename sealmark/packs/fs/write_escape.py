"""Whether a tool changes what lies outside the directory that the server was given.

Why: A write outside the root is how a helpful file tool becomes a way to run code: a line in a shell profile, a key
in a list of allowed keys, a hook in another repository. A move or a deletion outside destroys what nobody offered.

How: Every tool that writes, edits, creates, deletes, moves or copies must first work inside the root; that it did is
seen on the disk, not in the reply. Then it is aimed outside. The primary writing tool gets every spelling of the
corpus, which mirrors the spellings of fs-read-escape; the others get the two that decide between no check, a check of
the text, and a check of where the path leads. Edit tools are aimed at existing files with a text that occurs in them.
Move and copy tools are aimed with their destination outside, and with their source outside. After each call the
harness compares everything around the root with what was there before: names, content, modes, times of writing,
number of hard links. What changed decides, whatever the reply says; then all is put back. A copy that brings an
outside file into the root is found by the secret that the new file holds.

When it can be wrong: Only the private directory around the root is watched. A write to a place elsewhere on the
machine is not seen, nor one that was undone before the look. Caches of common runtimes in the server's home are not
watched, and other changes in its home or temporary directory count only when they are what the tool was asked to
write, by their name or by their whole content. A tool that works only on files of a format the sandbox does not hold
is not judged, and the check says so.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Group, Rule, Seen, Target
from sealmark.packs.fs.aims import WRITES, Aim, aimed, aims, calling, first, inside
from sealmark.packs.fs.changes import REMOVED, WRITTEN, brought, changed_inside, changed_outside, telling
from sealmark.packs.fs.probes import attack, controls, once
from sealmark.packs.fs.verdicts import NO_CONTROL, SOME_UNJUDGED, Finding, found, settle
from sealmark.record.model import Call, Probe, Verdict

RULES = (
    Rule(
        "outside-written",
        "fail",
        "A call created or changed something outside the allowed root.",
        "Resolve the parent directory of the target fully, then compare it with the resolved root by path components.",
    ),
    Rule(
        "outside-removed",
        "fail",
        "A call removed something outside the allowed root.",
        "Check the source of a move and the target of a deletion in the same way as the path of a write.",
    ),
    Rule(
        "brought-inside",
        "fail",
        "A call copied the content of a file outside into the allowed root.",
        "Check the source of a copy in the same way as the path of a read.",
    ),
    SOME_UNJUDGED,
    NO_CONTROL,
    Rule(
        "contained", "pass", "Tools write inside the allowed root, and no spelling of a path changed anything outside."
    ),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each path argument the controls, then the spellings."""
    every = aims(target, WRITES)
    main = first(every, "write", "create", "destination", "edit", "delete", "source")
    yield from once(probe for aim in every for probe in _probes(target, aim, every=aim is main))


def _probes(target: Target, aim: Aim, *, every: bool) -> Iterator[Probe]:
    before = controls(target, aim)
    yield from before
    for case in target.cases if before else ():
        wanted = aim.use in case["uses"] if case.get("uses") else every or case.get("always")
        step = _step(target, aim, aimed(aim, case["path"]), item=bool(case.get("item"))) if wanted else None
        if step is not None:
            yield attack(target, aim, case.id, step, case.why, before)


def _step(target: Target, aim: Aim, path: str, *, item: bool) -> Call | None:
    if not item:
        return calling(target, aim, path)
    return calling(target, aim, path, before=inside(aim)) if "0" in aim.pointer.split("/") else None


def judge(seen: Seen) -> Verdict:
    """Pick the rule: removed, written, brought inside, or how much could be judged."""
    escaped = found(
        seen,
        Finding("outside-removed", _did(seen, *REMOVED), "removed files outside the root", telling(*REMOVED)),
        Finding("outside-written", _did(seen, *WRITTEN), "changed files outside the root", telling(*WRITTEN)),
        Finding(
            "brought-inside",
            seen.attacks.where(lambda outcome: bool(brought(outcome))),
            "copied files from outside into the root",
            lambda outcome: "; ".join(brought(outcome)[:3]),
        ),
    )
    expected = [aim.tool.name for aim in aims(seen.target, WRITES)]
    return escaped or settle(seen, expected, changed_inside, "contained", "probes with paths to the outside")


def _did(seen: Seen, *kinds: str) -> Group:
    return seen.attacks.where(lambda outcome: bool(changed_outside(outcome, *kinds)))


CHECK = Check(
    id="fs-write-escape",
    revision=1,
    title="Writes stay inside the root",
    question="Can a tool change a file outside the directory that the server was given?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-22", "CWE-73"),
    owasp="MCP02:2025 Privilege Escalation via Scope Creep",
)
