"""Whether a value that a tool takes as text is opened as a file outside.

Why: A template by its name, a report by its number, a language: tools join such values to a folder and open what comes
out. Two dots in the value, and it is another folder.

How: Only with --active. Of each tool at most two arguments for text are tried that no other pack owns, those first
that are required or named like what ends in file names (name, template, id, lang …); tools that say that they destroy
are left alone, and at most twelve tools are tried. Ordinary values go first, the name of a file that is there among
them; one of them must work. Then the value names files outside
the allowed root, whose content nobody can guess, in the spellings of the corpus: absolute, up from any depth, as a
file URL, encoded, and without a suffix, for tools that add one. A secret in a reply fails the check, and so does a
file that is made outside. A reply that repeats what was sent is no evidence.

When it can be wrong: Only the sandbox's surroundings are looked at. A tool that adds an unusual suffix, or that opens
a file and shows nothing of it, is not seen.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.fs.changes import changed_outside
from sealmark.packs.fs.verdicts import showed
from sealmark.packs.inject.values import asked, ranked, trying
from sealmark.packs.inject.verdicts import NO_CONTROL, SOME_UNJUDGED, settle
from sealmark.reading.words import table
from sealmark.record.model import Look, Probe, Restore, Verdict

TELLING = table("""
    name, file, filename, template, document, doc, page, report, id, key, slug, lang, language, locale,
    theme, view, resource, asset, module, plugin, config, profile, note, title, log, folder, dir, image,
    source
""")
SECRETS = ("outside_secret", "sibling_secret", "home_secret")
AFTER = (Look("outside"), Restore("outside"), Restore("sandbox"))

RULES = (
    Rule(
        "outside-read",
        "fail",
        "A value was opened as a file outside, and the reply held its content.",
        "Take only names from a list, or resolve the joined path and compare it with the folder by path components.",
    ),
    Rule(
        "outside-written",
        "fail",
        "A value was used as the name of a file, and changed something outside.",
        "Take only names from a list, or resolve the joined path and compare it with the folder by path components.",
    ),
    SOME_UNJUDGED,
    NO_CONTROL,
    Rule("contained", "pass", "Ordinary values were used, and no value opened a file outside."),
)


THERE = (
    ("file", "hello.txt", "the name of a file that is there"),
    ("stem", "hello", "the same without its suffix, for tools that add one"),
)
"""Ordinary values for tools that open what they are given."""


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each argument the ordinary value, then every spelling."""
    chosen, _ = ranked(target, TELLING)
    for aim in chosen:
        control = tuple(
            probe
            for name, value, why in (("plain", aim.plain, "an ordinary value"), *THERE)
            for probe in trying(target, aim, "control", name, [value], why, *AFTER)
        )
        yield from control
        for case in target.cases if control else ():
            yield from trying(target, aim, "attack", case.id, [case["value"]], case.why, *AFTER)


def _written(outcome: Outcome) -> list[str]:
    return changed_outside(outcome, "created", "modified", "deleted")


def judge(seen: Seen) -> Verdict:
    """Pick the rule: read, written, or how much could be judged."""
    for rule, hits, what in (
        ("outside-read", seen.attacks.sighting(*SECRETS), "opened a value as a file outside"),
        ("outside-written", seen.attacks.where(lambda outcome: bool(_written(outcome))), "wrote outside"),
    ):
        if hits:
            cases = ", ".join(dict.fromkeys(outcome.probe.case for outcome in hits))
            return seen.decide(rule, hits, f"{', '.join(hits.tools)} {what} ({cases}).", line=_evidence)
    chosen, left = ranked(seen.target, TELLING)
    return settle(seen, chosen, left, "contained")


def _evidence(outcome: Outcome) -> str:
    told = showed(*SECRETS)(outcome) if outcome.sightings(*SECRETS) else "; ".join(_written(outcome)[:3])
    return f"{asked(outcome)} {told}: {outcome.probe.why}"


CHECK = Check(
    id="inject-path",
    revision=1,
    title="Values are not opened as files outside",
    question="Is a value that is no path opened as a file outside the allowed root?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-22", "CWE-73"),
    owasp="MCP05:2025 Command Injection & Execution",
)
