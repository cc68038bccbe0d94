"""Whether a tool reads or changes a repository other than the one that the server was given.

Why: A server that was started for one repository is trusted with that one. Other repositories of the same user hold
other people's code, keys that were committed by mistake, and hooks that run with the next commit.

How: The sandbox is a repository with commits, branches, a tag, a remote, a staged change, an unstaged one and an
untracked file. Beside it lies a repository whose folder's name begins with the sandbox's name, and elsewhere a third;
a link inside the sandbox leads to that one. Each holds a token of its own in its messages, authors, contents and names.
First every tool must work on the sandbox, by an absolute or a relative path: its reply shows the sandbox's token, or
the sandbox's repository changes. Then it is aimed at the others: the first reading and the first writing tool by
absolute and relative paths, through the root, through the link, and at the `.git` directory itself; the rest by the
three paths that decide between no check, a check of the text, and a check of where the path leads. A token or commit
id of another repository in a reply fails the check, whatever else the reply says; so does a change of refs, HEAD,
objects, index, configuration or hooks in either of the others, and a new repository outside. After each call all is
put back.

When it can be wrong: A server may allow a second repository of its own, which the harness does not know. A clone from
elsewhere into the sandbox is what such a tool is for, and is not held against it. A tool that reads and shows neither
text nor ids cannot be judged, and the check says so. Tools that only write and could not be made to work do not lower
the verdict, since what they would need (a remote, a conflict, a merge under way) is not the server's fault.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.packs.git.aims import AFTER, Aim, aims, calling
from sealmark.packs.git.seen import NO_CONTROL, OTHERS, SOME_UNJUDGED, asked, changes, settle, shows, spread, told
from sealmark.record.model import Evidence, Probe, Verdict

RULES = (
    Rule(
        "other-read",
        "fail",
        "A reply showed what only another repository holds.",
        "Resolve the repository's path fully, links included, and compare it by components with the one allowed.",
    ),
    Rule(
        "other-changed",
        "fail",
        "A call changed another repository.",
        "Check the path of the repository in every tool, before git is started.",
    ),
    Rule(
        "made-outside",
        "fail",
        "A call made a repository or a file outside the allowed repository.",
        "Check where a new repository, clone or working tree will lie in the same way, or leave such tools out.",
    ),
    SOME_UNJUDGED,
    NO_CONTROL,
    Rule("contained", "pass", "Tools work on the server's repository, and no path led to another."),
)

CONTROLS = {"absolute": "{sandbox}", "relative": ".", "new": "{sandbox}/new-repository"}
"""Case of a control -> its path; the next is sent only when the one before did not work."""


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each tool the controls, then the other repositories."""
    every = aims(target)
    main = {aim.use: aim.tool for aim in reversed(every)}
    for aim in every:
        yield from _probes(target, aim, every=aim.tool in main.values())


def _probes(target: Target, aim: Aim, *, every: bool) -> Iterator[Probe]:
    before: list[Probe] = []
    paths = {"new": CONTROLS["new"]} if "init" in aim.verbs else {k: v for k, v in CONTROLS.items() if k != "new"}
    for name, path in paths.items():
        step = calling(target, aim, path)
        if step is not None:
            once = f"!{before[-1].id}" if before else ""
            before.append(
                target.probe(
                    "control",
                    name,
                    step,
                    *AFTER,
                    tool=aim.tool.name,
                    why="the server's own repository",
                    requires=once,
                    resource="git",
                )
            )
    yield from before
    for case in target.cases if before else ():
        if ("init" in aim.verbs) == bool(case.get("new")) and (every or case.get("always") or case.get("new")):
            step = calling(target, aim, case["path"])
            if step is not None:
                yield target.probe(
                    "attack",
                    case.id,
                    step,
                    *AFTER,
                    tool=aim.tool.name,
                    why=case.why,
                    requires="|".join(probe.id for probe in before),
                    resource="git",
                )


def judge(seen: Seen) -> Verdict:
    """Pick the rule: another repository was read or changed, something was made, or how much could be judged."""
    hits = {
        "other-changed": seen.attacks.where(lambda outcome: bool(_changed(outcome))),
        "made-outside": seen.attacks.where(lambda outcome: bool(_made(outcome))),
        "other-read": seen.attacks.sighting(*OTHERS),
    }
    words = {"other-changed": "changed", "made-outside": "made files in or for", "other-read": "showed"}
    found = [rule for rule, outcomes in hits.items() if outcomes]
    if found:
        evidence = spread(
            [[_line(rule, one) for one in hits[rule].of_tool(tool)] for rule in found for tool in hits[rule].tools]
        )
        says = [f"{', '.join(hits[rule].tools)} {words[rule]} another repository." for rule in found]
        return seen.decide(found[0], evidence, " ".join(says))
    expected = [aim.tool.name for aim in aims(seen.target) if aim.use == "read"]
    return settle(seen, expected, "contained", "probes of other repositories")


def _changed(outcome: Outcome) -> list[str]:
    return [told(change) for change in changes(outcome) if change["repository"] in ("outside", "sibling")]


def _made(outcome: Outcome) -> list[str]:
    return [told(change) for change in changes(outcome) if change["repository"] == "around"]


def _line(rule: str, outcome: Outcome) -> Evidence:
    did = {
        "other-changed": lambda: "; ".join(_changed(outcome)[:3]),
        "made-outside": lambda: "; ".join(_made(outcome)[:3]),
        "other-read": lambda: f"came back with {shows(outcome, *OTHERS)}",
    }[rule]()
    return outcome.evidence(f"{asked(outcome)} {did}: {outcome.probe.why}")


CHECK = Check(
    id="git-repo-scope",
    revision=1,
    title="Only the given repository",
    question="Can a tool read or change a repository that the server was not given?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-22", "CWE-284"),
    owasp="MCP02:2025 Privilege Escalation via Scope Creep",
)
