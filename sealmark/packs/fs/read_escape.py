"""Whether a tool shows what lies outside the directory that the server was given.

Why: A server that is told "this directory" is trusted with this directory. If a path can be spelled so that another
file comes back, whoever talks to the agent can read keys, mail and source code of the person who runs it.

How: The sandbox lies in a private directory with other things around it: a folder beside it whose name begins with
the root's name, an unrelated folder, a home. Each of their files holds a secret of its own, each folder a file with a
secret name, and one file an unmistakable size. First every tool must work inside the root, by an absolute or a
relative path: its reply must hold the secret of a file there (for a listing the secret name, for a search a hit).
Then it is asked for what lies outside. The primary reading tool gets every spelling of the corpus: relative,
absolute, with dots and doubled separators, percent-encoded once and twice, as a file URL, with backslashes, with a
NUL, with characters that look like dots and slashes, with `~`. The other tools get the two that decide between no
check, a check of the text, and a check of where the path leads. Tools that take several paths also get an inside path
first and an outside path second. Resources with file URLs are read in the same spellings. Only a secret in a reply
fails the check, wherever it stands: in text, in structured content, in an error, or behind base64. What a refusal
says is never held against a server.

When it can be wrong: A server may keep a second allowed directory of its own, which the sandbox does not know; then a
reply from there shows no secret and is not seen. A tool that reads a file without showing any of it (a validator, a
counter) cannot be judged, and the check says so. Tools that tell a file's size, time or kind are judged where the
size is told, and do not count as unjudged where it is not. Times, and whether a file exists, are not measured. Device
files and other users' directories are not asked for.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.fs.aims import READS, Aim, aimed, aims, calling, first, inside
from sealmark.packs.fs.probes import attack, controls, once
from sealmark.packs.fs.resources import resources
from sealmark.packs.fs.verdicts import NO_CONTROL, SOME_UNJUDGED, Finding, found, settle, showed
from sealmark.record.model import Probe, Verdict

CONTENTS = ("outside_secret", "sibling_secret", "home_secret")
LISTED = ("outside_name", "sibling_name", "home_name", "outside_size", "sibling_size")
SHOWN_INSIDE = ("inside_secret", "inside_name", "inside_size")

RULES = (
    Rule(
        "outside-read",
        "fail",
        "A reply held the content of a file outside the allowed root.",
        "Resolve the path fully (links, dots, encodings), then compare it with the resolved root by path components.",
    ),
    Rule(
        "outside-listed",
        "fail",
        "A reply named a file, or told the size of a file, outside the allowed root.",
        "Check the directory of a listing, a search or a look-up in the same way as the path of a read.",
    ),
    SOME_UNJUDGED,
    NO_CONTROL,
    Rule("contained", "pass", "Tools work inside the allowed root, and no spelling of a path showed anything outside."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each path argument the controls, then the spellings; then the resources."""
    every = aims(target, READS)
    main = first(every, "read", "search", "list", "stat")
    yield from once(probe for aim in every for probe in _probes(target, aim, every=aim is main))
    yield from resources(target)


def _probes(target: Target, aim: Aim, *, every: bool) -> Iterator[Probe]:
    before = controls(target, aim)
    yield from before
    for case in target.cases if before else ():
        path = aimed(aim, case["path"])
        step = None
        if case.get("item"):
            step = calling(target, aim, path, before=inside(aim)) if _of_array(aim) else None
        elif not case.get("uri") and (every or case.get("always")):
            step = calling(target, aim, path)
        if step is not None:
            yield attack(target, aim, case.id, step, case.why, before)


def _of_array(aim: Aim) -> bool:
    return "0" in aim.pointer.split("/")


def works(outcome: Outcome) -> bool:
    """Whether a control shows what lies inside the root."""
    return outcome.answered and bool(outcome.sightings(*SHOWN_INSIDE))


def judge(seen: Seen) -> Verdict:
    """Pick the rule: content seen, names seen, or how much could be judged."""
    escaped = found(
        seen,
        Finding(
            "outside-read", seen.attacks.sighting(*CONTENTS), "showed content from outside the root", showed(*CONTENTS)
        ),
        Finding(
            "outside-listed",
            seen.attacks.sighting(*LISTED),
            "showed names or sizes from outside the root",
            showed(*LISTED),
        ),
    )
    expected = [aim.tool.name for aim in aims(seen.target, READS) if aim.use != "stat"]
    return escaped or settle(seen, expected, works, "contained", "probes with paths to the outside")


CHECK = Check(
    id="fs-read-escape",
    revision=1,
    title="Reads stay inside the root",
    question="Can a tool show a file outside the directory that the server was given?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-22", "CWE-200"),
    owasp="MCP02:2025 Privilege Escalation via Scope Creep",
)
