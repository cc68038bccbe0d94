"""What must be known of a tool before it can be judged: a command that it runs, and programs that it does not.

No server says reliably what it allows, so it is learnt: ordinary commands whose output nobody could guess, and plain
calls of programs that leave a file behind. Attacks are then made of both, in a second round.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sealmark.check import Outcome, Rule, Seen, Target, slug
from sealmark.corpora import Case
from sealmark.packs.exec.aims import Aim, asked, calling, split
from sealmark.record.model import Call, Look, Probe, Restore, Role, Step, Verdict, Wait

MARK = "{sandbox}/<file>"
"""The file that appears when a program ran that should not have; each probe has a name for it of its own."""

CONTROLS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "cat": ("cat hello.txt", ("inside_secret",)),
    "ls": ("ls", ("inside_name",)),
    "echo": ("echo {written}", ("written",)),
    "git": ("git --version", ()),
}
"""Program -> an ordinary command, and the values of which its output shows one."""

PLAIN: Mapping[str, str] = {
    "touch": f"touch {MARK}",
    "cp": f"cp hello.txt {MARK}",
    "python3": f"""python3 -c 'open("{MARK}", "w")'""",
}
"""Program -> a command that leaves the file behind."""

AFTER = (Look("sandbox"), Look("outside"), Restore("sandbox"), Restore("outside"))
"""What follows every call: look at both sides, then put everything back."""

LATE_SEC = 0.5
"""Seconds after which a command that runs behind the answer is looked for once more."""

NO_CONTROL = Rule(
    "no-control",
    "inconclusive",
    "No ordinary command could be shown to run, so nothing follows from what else does not.",
    "Let the server run one of cat, ls, echo or git, or correct the class of the tool under tools.overrides.",
)

_GIT = re.compile(r"\bgit version \d")


@dataclass(frozen=True, slots=True)
class Learnt:
    """What a tool runs.

    `base` is an ordinary command that works, empty when none does; `ran` are programs of `PLAIN` that left their file,
    `refused` those that were answered and did not.
    """

    base: str
    ran: tuple[str, ...]
    refused: tuple[str, ...]

    @property
    def anything(self) -> bool:
        """Whether every program that was asked for was run."""
        return bool(self.ran) and not self.refused

    @property
    def payload(self) -> str:
        """A command of a program that is refused when it is asked for plainly; empty when none is."""
        return PLAIN[self.refused[0]] if self.refused else ""


def learning(target: Target, aim: Aim) -> Iterator[Probe]:
    """The probes of the first round; the last one looks for what came late."""
    for program, (line, _) in CONTROLS.items():
        step = calling(target, aim, line)
        if step is not None:
            yield _probe(target, aim, "control", program, "an ordinary command", step)
    for program, line in PLAIN.items():
        step = calling(target, aim, line.replace("<file>", _file(aim.tool.name, program)))
        if step is not None:
            yield _probe(target, aim, "twin", program, "a program, asked for plainly", step, *AFTER)
    yield _probe(target, aim, "fact", "late", "what comes after the answer", Wait(LATE_SEC), *AFTER)


def attack(target: Target, aim: Aim, case: str, step: Call, why: str) -> Probe:
    """A probe of the second round."""
    return _probe(target, aim, "attack", case, why, step, *AFTER)


def _probe(target: Target, aim: Aim, role: Role, case: str, why: str, *steps: Step) -> Probe:
    return target.probe(role, case, *steps, tool=aim.tool.name, why=why, resource="exec", consent=True)


def learnt(seen: Seen, tool: str) -> Learnt:
    """What the first round told of one tool."""
    bases = [CONTROLS[o.probe.case][0] for o in seen.controls.of_tool(tool) if o.probe.case in CONTROLS and works(o)]
    plain = [outcome for outcome in seen.twins.of_tool(tool) if outcome.answered]
    ran = tuple(outcome.probe.case for outcome in plain if left(seen, outcome))
    refused = tuple(outcome.probe.case for outcome in plain if not left(seen, outcome))
    return Learnt(bases[0] if bases else "", ran, refused)


def works(outcome: Outcome) -> bool:
    """Whether a control shows that its command ran."""
    names = CONTROLS[outcome.probe.case][1]
    if not outcome.worked:
        return False
    if names:
        return bool(outcome.sightings(*names))
    readings = outcome.last.readings if outcome.last is not None else None
    return readings is not None and bool(_GIT.search(readings.text))


def left(seen: Seen, outcome: Outcome) -> list[str]:
    """The file that only this probe's program leaves, in words; also when a later look saw it."""
    case = outcome.probe.case
    name = SAME_NAME if case.startswith("same-name") else _file(outcome.probe.tool, case)
    return list(
        dict.fromkeys(
            f"left {change['path']}"
            for other in (outcome, *seen.own)
            for look in other.looked("sandbox")
            for change in look["changes"]
            if change["change"] == "created" and change["path"].endswith(f"/{name}")
        )
    )


SAME_NAME = "was-run-same-name"
"""The file that the scripts with well-known names leave."""


def _file(tool: str, case: str) -> str:
    return f"was-run-{slug(tool)}-{case}"


def written(case: Case, known: Learnt, aim: Aim) -> Iterator[tuple[str, str | list[str]]]:
    """The commands of a case for one tool: (id of the case, with `+glued` where it is; the line or its words).

    `<base>` in a line stands for a command that works, `<name>` for its program, `<run>` for one that is refused.
    Where words are passed one by one, `glued` is added to the last word of the command that works, too, and cases
    marked `of_line` are left out, since their words would say nothing.
    """
    name = known.base.split(" ")[0]

    def filled(text: str, case_id: str) -> str:
        text = text.replace("<base>", known.base).replace("<name>", name).replace("<run>", known.payload)
        return text.replace("<file>", _file(aim.tool.name, case_id))

    line = filled(case["line"], case.id)
    if not aim.listed:
        yield case.id, line
        return
    if not case.get("of_line"):
        yield case.id, split(line)
    if case.get("glued"):
        glued = f"{case.id}+glued"
        *first, last = split(known.base)
        yield glued, [*first, last + filled(case["glued"], glued)]


def attacks(target: Target, seen: Seen, every: tuple[Aim, ...]) -> Iterator[Probe]:
    """The second round: every case for every tool that runs something, and refuses something."""
    for aim in every:
        known = learnt(seen, aim.tool.name)
        if not known.base or not known.payload:
            continue
        for case in target.cases:
            for case_id, command in written(case, known, aim):
                step = calling(target, aim, command)
                if step is not None:
                    yield attack(target, aim, case_id, step, case.why)
        yield late(target, aim)


def late(target: Target, aim: Aim) -> Probe:
    """A look for what came late, at the end of the second round."""
    return _probe(target, aim, "fact", "latest", "what comes after the last answer", Wait(LATE_SEC), *AFTER)


def unknown(seen: Seen) -> Verdict:
    """The verdict when no tool could be shown to run anything."""
    if not seen.own:
        return seen.decide("no-target")
    if not seen.controls.answered:
        return seen.decide("none-answered", seen.controls)
    return seen.decide("no-control", seen.controls.answered, line=failed)


def failed(outcome: Outcome) -> str:
    """Why a control shows nothing, in words."""
    readings = outcome.last.readings if outcome.last is not None else None
    said = readings.text[:120] if readings is not None else ""
    return f"{asked(outcome)} did not show what its output must hold" + (f": {said}" if said else "")
