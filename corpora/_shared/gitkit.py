"""What toys on repositories share: how git is started, and how the repository of a call is found."""

import os
import subprocess

from rooted import joined, resolved
from toykit import Refused

REPO = {"repo_path": {"type": "string", "description": "Path to the git repository"}}


def git(repository, *words):
    """The output of a git command in a repository; what git says of a failure is the refusal."""
    done = subprocess.run(["git", *words], cwd=repository, capture_output=True, text=True, timeout=20, stdin=-3)
    if done.returncode:
        raise Refused(done.stderr.strip() or f"git ended with {done.returncode}")
    return done.stdout or "Done"


def anywhere(root, path):
    """Takes whatever repository it is told."""
    return joined(root, path)


def by_text(root, path):
    """Compares the beginning of the resolved path with the root as text, so that a sibling passes."""
    found = os.path.realpath(joined(root, path))
    if not found.startswith(os.path.realpath(root)):
        raise Refused("Repository is not allowed")
    return found


def by_parts(root, path):
    """Compares the resolved path by its components."""
    return resolved(root, path)


def plain(value):
    """The value, unless it looks like an option."""
    if value.startswith("-") or any(part.startswith("-") for part in value.split()):
        raise Refused(f"Invalid value: {value}")
    return value


def reader(server, find):
    """Registers a tool that shows the newest commits."""

    @server.tool("git_log", REPO, ["repo_path"])
    def git_log(arguments):
        """Show the commits of a git repository."""
        return git(find(server.root, arguments["repo_path"]), "log", "--max-count=3")


def brancher(server, find, guard=plain):
    """Registers a tool that makes a branch."""
    properties = {**REPO, "branch_name": {"type": "string", "description": "Name of the new branch"}}

    @server.tool("git_create_branch", properties, ["repo_path", "branch_name"])
    def git_create_branch(arguments):
        """Create a branch in a git repository."""
        return git(find(server.root, arguments["repo_path"]), "branch", guard(arguments["branch_name"]))
