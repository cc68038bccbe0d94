"""Whether commands stay in the working directory that they are given.

Why: A shell tool is often the one tool of a server that no path check guards. If its working directory can be any
directory, or the target of a redirection any file, then the root that the file tools keep to is worth nothing.

How: First it is learnt what the tool runs, as for exec-arg-injection. Where there is a list of allowed programs, an
allowed command is redirected to files outside the working directory that the call names, by absolute and relative
paths, with words apart and glued together; a file that appears outside decides. Where the server was given a root
(the configuration names {sandbox}) and the tool takes a working directory, a command is run in directories outside it,
in the spellings that tell a comparison of texts from one of paths; the secret of a file there, in the reply, decides.

When it can be wrong: An allowed program that reads any file by its path is not held against the server here: a list of
programs is no promise about paths. A working directory is judged only where the server was told its root. A tool that
runs anything, and was given no root, makes no promise that this check could ask about. Links that lie in the working
directory are not followed by the probes.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.exec.aims import Aim, aims, asked, calling
from sealmark.packs.exec.learning import NO_CONTROL, attack, late, learning, learnt, unknown, written
from sealmark.record.model import Probe, Verdict

OUTSIDE = ("outside_secret", "outside_name", "sibling_secret", "sibling_name")

RULES = (
    Rule(
        "written-outside",
        "fail",
        "A redirection wrote a file outside the working directory.",
        "Resolve the target of every redirection, and compare it with the working directory by components.",
    ),
    Rule(
        "ran-outside",
        "fail",
        "A command ran in a directory outside the root that the server was given.",
        "Resolve the working directory, links included, and compare it with the root by components.",
    ),
    NO_CONTROL,
    Rule("no-boundary", "na", "The tool runs anything and was given no root, so there is nothing to stay inside of."),
    Rule(
        "stays-inside",
        "pass",
        "No redirection and no working directory led outside. What allowed programs read was not tried.",
    ),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield what teaches which commands each tool runs."""
    for aim in aims(target):
        yield from learning(target, aim)


def follow_up(target: Target, seen: Seen) -> Iterator[Probe]:
    """Yield redirections where there is a list of programs, and directories where there is a root."""
    for aim in aims(target):
        known = learnt(seen, aim.tool.name)
        for case in target.cases if known.base else ():
            if case.get("line") and known.refused:
                for case_id, command in written(case, known, aim):
                    step = calling(target, aim, command)
                    if step is not None:
                        yield attack(target, aim, case_id, step, case.why)
            if case.get("cwd") and _rooted(target, aim):
                step = calling(target, aim, known.base, cwd=case["cwd"])
                if step is not None:
                    yield attack(target, aim, case.id, step, case.why)
        if known.base:
            yield late(target, aim)


def _rooted(target: Target, aim: Aim) -> bool:
    """Whether the server was told its root, and the tool takes a directory to run in."""
    return bool(aim.cwd) and bool({"sandbox", "dir"} & set(target.facts.get("placeholders", ())))


def judge(seen: Seen) -> Verdict:
    """Pick the rule: a file outside, a secret from outside, or how much could be judged."""
    wrote = seen.attacks.where(lambda outcome: bool(_wrote(seen, outcome)))
    ran = seen.attacks.where(lambda o: not _redirects(seen, o) and bool(o.sightings(*OUTSIDE)))
    if wrote or ran:
        lines = [o.evidence(f"{asked(o)} {'; '.join(_wrote(seen, o))}: {o.probe.why}") for o in wrote]
        lines += [o.evidence(f"{asked(o)} came back with {_shown(o)}: {o.probe.why}") for o in ran]
        cases = ", ".join(dict.fromkeys(outcome.probe.case for outcome in (*wrote, *ran)))
        did = " and ".join(word for word, hits in (("wrote", wrote), ("ran", ran)) if hits)
        return seen.decide("written-outside" if wrote else "ran-outside", lines, f"Commands {did} outside ({cases}).")
    if seen.attacks:
        says = f"{len(seen.attacks.answered)} of {len(seen.attacks)} attempts were answered, and none led outside."
        return seen.decide("stays-inside", seen.attacks.answered, says, line=lambda o: f"{asked(o)} stayed inside")
    if any(learnt(seen, aim.tool.name).anything for aim in aims(seen.target)):
        return seen.decide("no-boundary", seen.twins, line=lambda o: f"{asked(o)} was run")
    return unknown(seen)


def _redirects(seen: Seen, outcome: Outcome) -> bool:
    """Whether a probe is a redirection: its own command may read what lies outside."""
    named = outcome.probe.case.partition("+")[0]
    return any(case.id == named and case.get("line") for case in seen.target.cases)


def _wrote(seen: Seen, outcome: Outcome) -> list[str]:
    """The file outside that only this probe's redirection makes, in words; also when a later look saw it."""
    name = f"/escaped-{outcome.probe.case}"
    return list(
        dict.fromkeys(
            f"{change['change']} {change['path']}"
            for other in (outcome, *seen.own)
            for look in other.looked("outside")
            for change in look["changes"]
            if change["path"].endswith(name)
        )
    )


def _shown(outcome: Outcome) -> str:
    return ", ".join(dict.fromkeys(f"{{{sighting.name}}}" for sighting in outcome.sightings(*OUTSIDE)))


CHECK = Check(
    id="exec-cwd",
    revision=1,
    title="Commands stay where they are run",
    question="Can a command be run, or write, outside the directory that it is given?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    follow_up=follow_up,
    cwe=("CWE-22", "CWE-73"),
    owasp="MCP02:2025 Privilege Escalation via Scope Creep",
)
