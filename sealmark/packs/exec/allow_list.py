"""Whether only the programs that a server allows are run.

Why: A list of allowed programs is the one promise of a careful shell tool. It is kept only if what is compared is the
program that will run: not the beginning of a line, not the last part of a path, not the first of several commands.

How: First it is learnt what the tool runs, as for exec-arg-injection. When some programs run and others are refused,
there is a list, and a program that is refused by name is asked for in other ways: by its full path, behind an
assignment, behind a program that starts others (`env`, `sh -c`), behind a pipe, glued to an allowed name, and by a
file of the sandbox's own that has an allowed program's name. Programs that run others by an option or as their purpose
(`find`, `awk`, `git`, `tar`, `xargs`, `python3`) are asked to do so; if the server's list holds one of them, the list
holds everything. The file that the refused program leaves behind decides.

When it can be wrong: A tool that runs any command by design breaks no promise, so it does not fail; but nothing bounds
it either, and a pass would say that something does: it is judged as half, in these words. If its description names the
commands that it allows and it runs others, it fails. Programs that the harness does not ask for are not known: a list
of forbidden programs that names just those asked for here looks like a list of allowed ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sealmark.check import Check, Group, Rule, Seen, Target
from sealmark.packs.exec.aims import aims, asked
from sealmark.packs.exec.learning import NO_CONTROL, attacks, learning, learnt, left, unknown
from sealmark.record.model import Probe, Verdict

RULES = (
    Rule(
        "unlisted-run",
        "fail",
        "A program that is refused by its name ran when it was asked for in another way.",
        "Compare the program that will be started, resolved to its path, and start it without a shell.",
    ),
    Rule(
        "started-by-listed",
        "fail",
        "An allowed program was made to start one that is refused.",
        "Leave programs that start others out of the list, or check their arguments too.",
    ),
    Rule(
        "list-not-kept",
        "fail",
        "The tool says which commands it allows, and runs others.",
        "Compare every command with the list that the description names.",
    ),
    Rule(
        "runs-anything",
        "part",
        "The tool runs every program that it is asked for: there is no list of allowed ones.",
        "Let the user name the programs that the tool may run, and refuse all others.",
    ),
    NO_CONTROL,
    Rule("listed-only", "pass", "Programs that are refused by name did not run in any other way."),
)

_TOLD = re.compile(
    r"\ballowed (?:shell )?(?:commands?|programs?)\b\W{1,3}((?:[\w.+-]+[,\s]+){0,40}[\w.+-]+)", re.IGNORECASE
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield what teaches which commands each tool runs."""
    for aim in aims(target):
        yield from learning(target, aim)


def follow_up(target: Target, seen: Seen) -> Iterator[Probe]:
    """Yield the other ways to ask for a refused program."""
    yield from attacks(target, seen, aims(target))


def judge(seen: Seen) -> Verdict:
    """Pick the rule: a refused program ran, a promise is not kept, there is no list, or how much could be judged."""
    through = frozenset(case.id for case in seen.target.cases if case.get("listed"))
    ran = seen.attacks.where(lambda outcome: bool(left(seen, outcome)))
    listed = ran.where(lambda outcome: outcome.probe.case.partition("+")[0] in through)
    direct = ran.where(lambda outcome: outcome not in listed)
    for rule, hits in (("unlisted-run", direct), ("started-by-listed", listed)):
        if hits:
            return _ran(seen, rule, hits)
    tools = {aim.tool.name: learnt(seen, aim.tool.name) for aim in aims(seen.target)}
    broken = seen.twins.where(lambda o: bool(left(seen, o)) and o.probe.case not in _told(seen, o.probe.tool))
    if broken:
        return seen.decide("list-not-kept", broken, line=lambda o: f"{asked(o)} was run, and is not in the list")
    anything = [tool for tool, known in tools.items() if known.anything]
    if anything:
        says = f"{', '.join(anything)} ran every program that was asked for ({', '.join(tools[anything[0]].ran)})."
        by = seen.twins.where(lambda o: bool(left(seen, o)))
        return seen.decide("runs-anything", by, says, line=lambda o: f"{asked(o)} {'; '.join(left(seen, o))}")
    if not seen.attacks:
        return unknown(seen)
    says = f"{len(seen.attacks.answered)} of {len(seen.attacks)} other ways were answered, and no refused program ran."
    return seen.decide("listed-only", seen.attacks.answered, says, line=lambda o: f"{asked(o)} ran nothing refused")


def _ran(seen: Seen, rule: str, hits: Group) -> Verdict:
    cases = ", ".join(dict.fromkeys(outcome.probe.case for outcome in hits))
    says = f"{', '.join(hits.tools)} ran a program that is refused by its name ({cases})."
    return seen.decide(rule, [o.evidence(f"{asked(o)} {'; '.join(left(seen, o))}: {o.probe.why}") for o in hits], says)


def _told(seen: Seen, tool: str) -> frozenset[str]:
    """The commands that a tool's description says it allows; every one when it says nothing."""
    text = next((one.description for one in seen.target.surface_tools if one.name == tool), "")
    found = _TOLD.search(text[:4000])
    return frozenset(re.split(r"[,\s]+", found[1])) if found else frozenset(one.probe.case for one in seen.twins)


CHECK = Check(
    id="exec-allow-list",
    revision=1,
    title="Only allowed programs",
    question="Can a program be run that the server does not allow?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    follow_up=follow_up,
    cwe=("CWE-184", "CWE-78"),
    owasp="MCP05:2025 Command Injection & Execution",
)
