"""Whether a command that does not end is ended, and really.

Why: A command that waits for ever holds a session, a process and its memory. Servers promise to end it after some
time; some of them only stop waiting, or kill the shell and leave what the shell had started. What is left runs on
with the user's rights, and nobody knows of it.

How: First it is learnt which command can be made to wait: `cat` on a pipe that nobody writes to, `sleep`, or `tail -f`.
Then it is run in a session of its own, alone, and once more behind another command where the tool takes a shell's line.
If the tool has an argument for the time that a command may take, it is told two seconds, so that nobody waits for a
default; else the harness waits as long as checks.exec-timeout-cap.sleep_sec says. A reply means that the command was
ended; whether it was is then looked up in the process table, among all processes that the session ever started, those
too that have left their group or lost their parent. If the command is still there the check fails, whatever the reply
says. All such processes are ended with the session.

When it can be wrong: A process that was ended a moment after the reply, later than one second, counts as alive. A tool
that says that it lets the command go on in the background, and does, is judged as half: it is honest, and still bounds
nothing. A server whose only limit is longer than the harness waits is taken for one without.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.exec.aims import Aim, aims, asked, calling
from sealmark.packs.exec.learning import NO_CONTROL, unknown
from sealmark.record.model import Look, Probe, Verdict, Wait

TOLD_SEC = 2
"""Seconds that a tool is told to give a command, where it can be told."""

SETTLE_SEC = 1.0
"""Seconds after the reply in which what is being killed may end."""

WAITERS = {
    "cat": ("cat hello.txt", "cat waits.fifo", "inside_secret"),
    "tail": ("tail -n 3 hello.txt", "tail -f hello.txt", "inside_secret"),
    "sleep": ("sleep 0", "sleep {seconds}", ""),
}
"""Program -> a command that ends at once, one that does not end, and the value that the output of the first shows."""

RULES = (
    Rule(
        "outlived",
        "fail",
        "The call ended, and the command that it had started went on.",
        "Start commands in a process group of their own, kill the group, and wait until it is gone before answering.",
    ),
    Rule(
        "no-cap",
        "fail",
        "A command that does not end was not ended.",
        "End every command after a time that the caller can shorten and not lengthen.",
    ),
    Rule(
        "left-running",
        "part",
        "The call ended and says that the command goes on in the background, as it does.",
        "Bound the time of background commands too.",
    ),
    NO_CONTROL,
    Rule("ended", "pass", "A command that does not end was ended, and the process table shows nothing of it."),
)

_BACKGROUND = re.compile(
    r"\bbackground|(?:still|is) running|continu(?:es|ing)|\bpid\W{1,4}\d|\"?status\"?\W{1,4}running", re.IGNORECASE
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield the commands that end at once."""
    for aim in aims(target):
        for program, (line, _, _) in WAITERS.items():
            step = calling(target, aim, line) if program != "cat" or target.facts.get("waits") else None
            if step is not None:
                why = "the same program, when it ends at once"
                yield target.probe("control", program, step, tool=aim.tool.name, why=why, consent=True)


def follow_up(target: Target, seen: Seen) -> Iterator[Probe]:
    """Yield the commands that do not end, each in a session of its own."""
    for number, aim in enumerate(aims(target)):
        program = _waiter(seen, aim)
        longest = float(target.setting("checks.exec-timeout-cap.sleep_sec"))
        if program:
            line = WAITERS[program][1].replace("{seconds}", str(round(longest + 60)))
            yield from _attack(target, aim, program, line, longest, number)
            if not aim.listed:
                yield from _attack(target, aim, f"{program}-behind", f"{line}; true", longest, number)


def _attack(target: Target, aim: Aim, case: str, line: str, longest: float, number: int) -> Iterator[Probe]:
    wait = float(target.setting("timeouts.probe_sec")) + TOLD_SEC if aim.timeout else longest
    step = calling(target, aim, line, timeout=TOLD_SEC, wait_sec=wait)
    step = step or calling(target, aim, line, wait_sec=longest)
    if step is not None:
        yield target.probe(
            "attack",
            case,
            Look("processes"),
            step,
            Wait(SETTLE_SEC),
            Look("processes"),
            tool=aim.tool.name,
            why="a command that does not end",
            session=f"wait-{number}-{case}",
            consent=True,
        )


def _waiter(seen: Seen, aim: Aim) -> str:
    """The first program whose command that ends at once worked; empty when none did."""
    for outcome in seen.controls.of_tool(aim.tool.name):
        shown = WAITERS[outcome.probe.case][2]
        if outcome.worked and (not shown or outcome.sightings(shown)):
            return outcome.probe.case
    return ""


def judge(seen: Seen) -> Verdict:
    """Pick the rule: by the process table where the call ended, by the missing answer where it did not."""
    alive = seen.attacks.where(lambda outcome: outcome.answered and bool(_alive(outcome)))
    honest = alive.where(lambda outcome: _says(outcome, _BACKGROUND))
    for rule, hits in (("outlived", alive.where(lambda outcome: outcome not in honest)), ("left-running", honest)):
        if hits and (rule == "outlived" or not seen.attacks.where(lambda outcome: outcome.hung)):
            says = f"{', '.join(hits.tools)} answered, and its command was still in the process table."
            return seen.decide(rule, hits, says, line=lambda o: f"{asked(o)} left {', '.join(_alive(o))} running")
    hung = seen.attacks.where(lambda outcome: outcome.hung)
    if hung:
        return seen.decide(
            "no-cap", hung, line=lambda o: f"{asked(o)} was not ended in the time that the harness waited"
        )
    if not seen.attacks:
        return unknown(seen)
    gone = seen.attacks.answered
    return seen.decide("ended", gone, line=lambda o: f"{asked(o)} was answered, and no such process is left")


def _alive(outcome: Outcome) -> list[str]:
    """Processes of the program that were not there before the call and are there after it."""
    before, *_, after = [Counter(look["processes"]) for look in outcome.looked("processes")] or [Counter(), Counter()]
    program = outcome.probe.case.removesuffix("-behind")
    return [name for name in (after - before).elements() if name == program]


def _says(outcome: Outcome, what: re.Pattern[str]) -> bool:
    readings = outcome.last.readings if outcome.last is not None else None
    return readings is not None and bool(what.search(readings.text))


CHECK = Check(
    id="exec-timeout-cap",
    revision=1,
    title="Commands are ended",
    question="Is a command that does not end really ended?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    follow_up=follow_up,
    cwe=("CWE-400", "CWE-772"),
    owasp="MCP05:2025 Command Injection & Execution",
    settings=("checks.exec-timeout-cap.sleep_sec", "timeouts.probe_sec"),
)
