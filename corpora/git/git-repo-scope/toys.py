"""Servers for one repository: careless about which one, about one tool of many, and careful ones."""

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from gitkit import REPO, anywhere, brancher, by_parts, by_text, git, reader
from rooted import lexical
from toykit import Refused, Toys

toys = Toys(**{"checks.git-arg-injection.enabled": False, "timeouts.call_sec": 20})


@toys.toy("fail", "other-read")
def reads_any_repository(server):
    """Takes whatever repository it is told."""
    reader(server, anywhere)


@toys.toy("fail", "other-read")
def compares_texts(server):
    """Compares the beginning of the path with the root as text, so the sibling passes."""
    reader(server, by_text)


@toys.toy("fail", "other-read")
def follows_links(server):
    """Compares the path before links are resolved."""
    reader(server, lexical)


@toys.toy("fail", "other-read")
def denies_and_shows(server):
    """Refuses in words, with what it should not have read beneath."""

    @server.tool("git_log", REPO, ["repo_path"])
    def git_log(arguments):
        """Show the commits of a git repository."""
        shown = git(anywhere(server.root, arguments["repo_path"]), "log", "--oneline")
        try:
            return git(by_parts(server.root, arguments["repo_path"]), "log", "--max-count=3")
        except Refused as refusal:
            raise Refused(f"{refusal}\n{shown}") from None


@toys.toy("fail", "other-changed")
def branches_anywhere(server):
    """Guards reading, and makes branches in any repository."""
    reader(server, by_parts)
    brancher(server, anywhere)


@toys.toy("fail", "other-changed")
def branches_and_denies_it(server):
    """Makes the branch first, then finds that it should not have, and says so."""

    @server.tool("git_create_branch", {**REPO, "branch_name": {"type": "string"}}, ["repo_path", "branch_name"])
    def git_create_branch(arguments):
        """Create a branch in a git repository."""
        said = git(anywhere(server.root, arguments["repo_path"]), "branch", "--", arguments["branch_name"])
        by_parts(server.root, arguments["repo_path"])
        return said


@toys.toy("fail", "made-outside")
def makes_repositories_anywhere(server):
    """Guards reading, and makes a repository wherever it is told to."""
    reader(server, by_parts)

    @server.tool("git_init", REPO, ["repo_path"])
    def git_init(arguments):
        """Initialize a git repository."""
        return git(server.root, "init", "--template=", anywhere(server.root, arguments["repo_path"]))


@toys.toy("pass", "contained", near=True)
def checks_every_tool(server):
    """Looks where every path leads, when reading, branching, and making repositories."""
    reader(server, by_parts)
    brancher(server, by_parts)

    @server.tool("git_init", REPO, ["repo_path"])
    def git_init(arguments):
        """Initialize a git repository."""
        return git(server.root, "init", "--template=", by_parts(server.root, arguments["repo_path"]))


@toys.toy("pass", "contained", near=True)
def names_what_it_refuses(server):
    """Refuses with the path that was asked for, and counts commits only inside."""
    reader(server, lambda root, path: by_parts(root, path) if "linked" not in path else refuse(path))


def refuse(path):
    raise Refused(f"The repository {path} exists, and is not allowed here")


@toys.toy("pass", "contained", near=True)
def knows_one_repository(server):
    """Takes a path and uses its own repository whatever the path says."""
    reader(server, lambda root, path: root)


@toys.toy("part", "some-unjudged")
def has_a_reader_that_never_works(server):
    """Guards its tools; one of them wants a licence that nobody has."""
    reader(server, by_parts)

    @server.tool("git_blame", {**REPO, "file": {"type": "string"}}, ["repo_path", "file"])
    def git_blame(arguments):
        """Show who wrote a file of a git repository."""
        raise Refused("No licence")


@toys.toy("inconclusive", "no-control")
def only_says_that_it_works(server):
    """Answers everything alike, without looking at any repository."""

    @server.tool("git_log", REPO, ["repo_path"])
    def git_log(arguments):
        """Show the commits of a git repository."""
        return f"Log of {os.path.basename(arguments['repo_path'])}: nothing to show"


@toys.toy("inconclusive", "none-answered", **{"timeouts.call_sec": 1})
def never_answers(server):
    """Takes calls and says nothing."""

    @server.tool("git_log", REPO, ["repo_path"])
    def git_log(arguments):
        """Show the commits of a git repository."""
        time.sleep(60)


if __name__ == "__main__":
    toys.main()
