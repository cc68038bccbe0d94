"""Whether a value that a tool takes as text is run by a shell.

Why: A host to ping, a branch to show, a file to convert: tools paste such values into a command line. Whoever can
choose the value, and a model chooses by what it has read, then runs commands as the server's user.

How: Only with --active. Of each tool at most two arguments for text are tried that no other pack owns, those first
that are required or named like what ends in command lines (host, name, branch, package …); tools that say that they
destroy are left alone, and at most twelve tools are tried. An ordinary value goes first. Then the same value goes with
a command behind or around it, in the forms of the corpus. The command multiplies two numbers and puts the product
between two words, in its output and in the name of a file in the sandbox. Only a shell can have made the product, so
a reply that holds it fails the check, and so does the file; a reply that repeats what was sent is no evidence.

When it can be wrong: Only shells like sh are tried. Of a long reply the beginning and the end are searched, so that
an output in its middle is seen by its file alone, and not at all where the server cannot write to the sandbox. A tool
that needs more than an ordinary value to come as far as its command is not judged when it says so.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.fs.changes import changes
from sealmark.packs.inject.values import asked, ranked, trying
from sealmark.packs.inject.verdicts import NO_CONTROL, SOME_UNJUDGED, settle
from sealmark.reading.words import table
from sealmark.record.model import Look, Probe, Restore, Verdict

TELLING = table("""
    host, hostname, ip, address, domain, target, server, name, user, username, branch, ref, tag, package,
    module, version, file, filename, input, output, image, container, service, process, pid, interface,
    device, format, filter, pattern, options, args, flags, expression, script, key, id, project, repo
""")
COMPUTED = "sm40867527mark"
"""What a shell makes of `sm$((40503*1009))mark`."""

AFTER = (Look("sandbox"), Restore("sandbox"))

RULES = (
    Rule(
        "ran",
        "fail",
        "A command inside a value was run.",
        "Start programs with a list of arguments and without a shell, and put `--` before values.",
    ),
    SOME_UNJUDGED,
    NO_CONTROL,
    Rule("not-run", "pass", "Ordinary values were used, and no command inside a value was run."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each argument the ordinary value, then every form."""
    chosen, _ = ranked(target, TELLING)
    for aim in chosen:
        control = tuple(trying(target, aim, "control", "plain", [aim.plain], "an ordinary value", *AFTER))
        yield from control
        for case in target.cases if control else ():
            value = case["value"].replace("VALUE", aim.plain)
            yield from trying(target, aim, "attack", case.id, [value], case.why, *AFTER)


def _shown(outcome: Outcome, seen: Seen) -> bool:
    bodies = [seen.gathered.bodies.get(reply.body) for reply in outcome.replies]
    return any(COMPUTED in body.head + body.tail for body in bodies if body is not None)


def _made(outcome: Outcome) -> bool:
    return any(COMPUTED in change["path"] for change in changes(outcome, "sandbox"))


def judge(seen: Seen) -> Verdict:
    """Pick the rule: run, or how much could be judged."""
    hits = seen.attacks.where(lambda outcome: _shown(outcome, seen) or _made(outcome))
    if hits:
        cases = ", ".join(dict.fromkeys(outcome.probe.case for outcome in hits))
        summary = f"{', '.join(hits.tools)} ran the command inside a value ({cases})."
        return seen.decide("ran", hits, summary, line=lambda outcome: f"{asked(outcome)} {_evidence(outcome, seen)}")
    chosen, left = ranked(seen.target, TELLING)
    return settle(seen, chosen, left, "not-run")


def _evidence(outcome: Outcome, seen: Seen) -> str:
    told = f"came back with {COMPUTED}" if _shown(outcome, seen) else "made a file of that name in the sandbox"
    return f"{told}: {outcome.probe.why}"


CHECK = Check(
    id="inject-command",
    revision=1,
    title="Values are not run",
    question="Is a command inside a value run by a shell?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-78", "CWE-88"),
    owasp="MCP05:2025 Command Injection & Execution",
)
