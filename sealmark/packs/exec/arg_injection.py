"""Whether the text of an argument becomes a command of its own.

Why: A tool that runs a few allowed programs is safe only while an argument stays an argument. A semicolon, a line
break, a `$( )` or a quotation mark that reaches a shell turns the list of allowed programs into a formality: whoever
writes the argument runs any program, with the rights of the person who runs the server.

How: First it is learnt what the tool runs: ordinary commands whose output shows a secret of the sandbox's files, and
plain calls of programs that leave a file behind. From a command that works and a program that is refused when asked for
plainly, attacks are made: separators, line breaks, substitution in three spellings, quotes that end early, an
assignment before the command. Where a tool takes a list of words, each comes as words of their own and glued to the
last argument. Only the file decides, which the refused program alone can leave; a reply that repeats the text, or
claims something, decides nothing. After each call all is put back.

When it can be wrong: A tool that runs every program that it is asked for has no list that an argument could get around;
there the check does not apply, and exec-allow-list says so. Only a POSIX shell's spellings are tried. A command that
runs later, in the background, may leave its file after the look.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Rule, Seen, Target
from sealmark.packs.exec.aims import aims, asked
from sealmark.packs.exec.learning import NO_CONTROL, attacks, learning, learnt, left, unknown
from sealmark.record.model import Probe, Verdict

RULES = (
    Rule(
        "command-started",
        "fail",
        "Text in an argument started a program that is refused when it is asked for.",
        "Start programs without a shell, with a list of arguments; if a shell must be, quote every argument.",
    ),
    NO_CONTROL,
    Rule("runs-anything", "na", "The tool runs whatever it is asked for, so an argument has nothing to get around."),
    Rule("arguments-stay-arguments", "pass", "No text in an argument started another program."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield what teaches which commands each tool runs."""
    for aim in aims(target):
        yield from learning(target, aim)


def follow_up(target: Target, seen: Seen) -> Iterator[Probe]:
    """Yield the attacks that can be made of what was learnt."""
    yield from attacks(target, seen, aims(target))


def judge(seen: Seen) -> Verdict:
    """Pick the rule: the file of a refused program, or how much could be judged."""
    hits = seen.attacks.where(lambda outcome: bool(left(seen, outcome)))
    if hits:
        cases = ", ".join(dict.fromkeys(outcome.probe.case for outcome in hits))
        says = f"{', '.join(hits.tools)} started a program that is refused by itself ({cases})."
        lines = [o.evidence(f"{asked(o)} {'; '.join(left(seen, o))}: {o.probe.why}") for o in hits]
        return seen.decide("command-started", lines, says)
    known = [learnt(seen, aim.tool.name) for aim in aims(seen.target)]
    if seen.attacks:
        says = (
            f"{len(seen.attacks.answered)} of {len(seen.attacks)} attempts were answered, and none started a program."
        )
        return seen.decide(
            "arguments-stay-arguments", seen.attacks.answered, says, line=lambda o: f"{asked(o)} started nothing"
        )
    if any(one.anything for one in known):
        return seen.decide("runs-anything", seen.twins, line=lambda o: f"{asked(o)} was run")
    return unknown(seen)


CHECK = Check(
    id="exec-arg-injection",
    revision=1,
    title="Arguments stay arguments",
    question="Can the text of an argument start another program?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    follow_up=follow_up,
    cwe=("CWE-78", "CWE-88"),
    owasp="MCP05:2025 Command Injection & Execution",
)
