"""Git: whether a server stays with the repository that it was given, and whether values can become options."""

from __future__ import annotations

from sealmark.check import Pack, Target
from sealmark.packs.git import arg_injection, repo_scope


def applies(target: Target) -> tuple[bool, str]:
    """Whether a tool takes a repository's path and the harness owns the repository that it may use."""
    sure = dict.fromkeys(tool.name for tool, use in target.taking("git", "read", "write"))
    if not sure:
        return False, "no tool takes the path of a repository"
    names = ", ".join(sure)
    if not target.facts.get("sandboxed"):
        return False, "the run has no sandbox, so the harness owns no repository to test with"
    if not {"sandbox", "dir"} & set(target.facts.get("placeholders", ())) and not target.setting("server.rootless"):
        return False, (
            f"{names} take a repository, but the server's repository is not {{sandbox}}: name it in the command line "
            "or the environment, or set server.rootless if the server takes none"
        )
    if not target.facts.get("repositories"):
        return False, "git is not on the PATH (or does not work), so there are no repositories to test with"
    return True, f"tools that take the path of a repository: {names}"


PACK = Pack(
    id="git",
    title="Git",
    question="Does the server stay with its repository, and are values never taken for options?",
    applies=applies,
    checks=(repo_scope.CHECK, arg_injection.CHECK),
)
