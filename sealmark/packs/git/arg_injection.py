"""Whether a value that looks like an option is taken for one by git.

Why: A branch name, a revision or a path that begins with a dash is an option to git unless somebody prevents it. Git
has options that write any file (`--output`) and options that run any command (`--upload-pack`, `--exec`,
`--open-files-in-pager`), so a tool that shows a difference becomes one that overwrites a file or starts a program.

How: The sandbox is a repository with a change that is not staged. Every tool that takes text besides the path of the
repository must first work with ordinary values. Then each of these arguments, optional ones too, gets values that look
like options: one that would write a file in the sandbox, whole and behind a revision, to every argument; those that
would run a command, discard the change, stage everything or show a file from outside, to the tools whose git command
has such an option. What the option would have done decides: the file that appears, the change that is gone, what is
staged then, the secret of a file outside in the reply. What the reply says about it decides nothing. After each call
all is put back.

When it can be wrong: An option that has no effect in this repository is not seen. A value that is used as an option
only together with another argument is tried with the smallest arguments the schema allows. A tool that takes a whole
command line for git on purpose fails here, since it can write any file.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.corpora import Case
from sealmark.packs.git.aims import AFTER, Aim, aims, calling
from sealmark.packs.git.seen import NO_CONTROL, SOME_UNJUDGED, asked, changes, settle, told
from sealmark.record.model import Probe, Verdict

END_THE_OPTIONS = (
    "Refuse values that begin with a dash, or end the options: `--end-of-options` before revisions, `--` before paths."
)

RULES = (
    Rule(
        "command-run",
        "fail",
        "A value was taken for an option, and git ran the command in it.",
        END_THE_OPTIONS,
    ),
    Rule(
        "file-written",
        "fail",
        "A value was taken for an option, and git wrote the file that it names.",
        END_THE_OPTIONS,
    ),
    Rule(
        "file-shown",
        "fail",
        "A value was taken for options, and the reply showed a file from outside the repository.",
        "Pass each value as one argument, and refuse values that begin with a dash.",
    ),
    Rule(
        "option-obeyed",
        "fail",
        "A value was taken for an option, and git did what the option says.",
        END_THE_OPTIONS,
    ),
    SOME_UNJUDGED,
    NO_CONTROL,
    Rule("values-stay-values", "pass", "No value that looks like an option was taken for one."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each tool the control, then for each of its arguments the values that look like options."""
    for aim in aims(target):
        step = calling(target, aim, "{sandbox}") if aim.rest and "init" not in aim.verbs else None
        if step is not None:
            control = target.probe(
                "control", "works", step, *AFTER, tool=aim.tool.name, why="ordinary values", resource="git"
            )
            yield control
            yield from _attacks(target, aim, control)


def _attacks(target: Target, aim: Aim, control: Probe) -> Iterator[Probe]:
    for pointer, kind in aim.rest.items():
        for case in target.cases:
            step = calling(target, aim, "{sandbox}", {pointer: case["value"]}) if _fits(case, aim, kind) else None
            if step is not None:
                yield target.probe(
                    "attack",
                    f"{case.id}@{pointer.replace('/', '.')}",
                    step,
                    *AFTER,
                    tool=aim.tool.name,
                    why=case.why,
                    requires=control.id,
                    resource="git",
                )


def _fits(case: Case, aim: Aim, kind: str) -> bool:
    """Whether a case is meant for this kind of argument of this tool."""
    return kind in case.get("kinds", (kind,)) and (not case.get("verbs") or bool(aim.verbs & set(case["verbs"])))


def judge(seen: Seen) -> Verdict:
    """Pick the rule by what the options would have done, or by how much could be judged."""
    hits = {
        "command-run": [(outcome, _files(outcome, "option-ran")) for outcome in seen.attacks],
        "file-written": [(outcome, _files(outcome, "option-made")) for outcome in seen.attacks],
        "file-shown": [(outcome, _shown(outcome)) for outcome in seen.attacks],
        "option-obeyed": [(outcome, _obeyed(outcome)) for outcome in seen.attacks],
    }
    found = {rule: [pair for pair in pairs if pair[1]] for rule, pairs in hits.items()}
    rules = [rule for rule in hits if found[rule]]
    if rules:
        evidence = [
            outcome.evidence(f"{asked(outcome)}: {'; '.join(did[:3])}: {outcome.probe.why}")
            for rule in rules
            for outcome, did in found[rule]
        ]
        by = [outcome for rule in rules for outcome, _ in found[rule]]
        tools = ", ".join(dict.fromkeys(outcome.probe.tool for outcome in by))
        cases = ", ".join(dict.fromkeys(outcome.probe.case for outcome in by))
        return seen.decide(rules[0], evidence, f"{tools} took a value for an option ({cases}).")
    expected = [aim.tool.name for aim in aims(seen.target) if aim.use == "read" and aim.rest]
    return settle(seen, expected, "values-stay-values", "values that look like options")


def _files(outcome: Outcome, name: str) -> list[str]:
    """Files of this name that appeared or changed: only an option could have made them."""
    return [told(change) for change in changes(outcome) if change["what"] == "file" and name in change["path"]]


def _shown(outcome: Outcome) -> list[str]:
    return ["came back with {outside_secret}"] if outcome.sightings("outside_secret") else []


def _obeyed(outcome: Outcome) -> list[str]:
    """What changed that only the option explains: the change that is not staged is gone, or all files are staged."""
    case = outcome.probe.case.partition("@")[0]
    meant = {"force": ("file", "tracked.txt"), "all": ("index", "hello.txt")}.get(case)
    if meant is None:
        return []
    what, name = meant
    return [told(change) for change in changes(outcome) if change["what"] == what and change["path"].endswith(name)]


CHECK = Check(
    id="git-arg-injection",
    revision=1,
    title="Values do not become options",
    question="Is a value that looks like an option taken for one by git?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-88", "CWE-78"),
    owasp="MCP05:2025 Command Injection & Execution",
)
