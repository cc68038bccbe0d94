"""Servers that pass values on to git: as they come, behind two dashes, and after a look at them."""

import shlex
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from gitkit import REPO, brancher, by_parts, git, plain
from toykit import Refused, Toys

toys = Toys(**{"checks.git-repo-scope.enabled": False, "timeouts.call_sec": 20})
TARGET = {**REPO, "target": {"type": "string", "description": "Branch or commit to compare with"}}


def differ(server, words):
    """Registers a tool that compares with what `words(target)` names."""

    @server.tool("git_diff", TARGET, ["repo_path", "target"])
    def git_diff(arguments):
        """Show what differs from a branch or commit of a git repository."""
        return git(by_parts(server.root, arguments["repo_path"]), "diff", *words(arguments["target"]))


@toys.toy("fail", "file-written")
def passes_targets_on(server):
    """Passes the target on as it came."""
    differ(server, lambda target: [target])


@toys.toy("fail", "file-written")
def looks_at_the_first_character(server):
    """Refuses a dash at the beginning, and then splits at spaces."""

    def words(target):
        if target.startswith("-"):
            raise Refused("Invalid target")
        return shlex.split(target)

    differ(server, words)


@toys.toy("fail", "file-written")
def guards_the_first_argument_only(server):
    """Looks at the branch's name, and not at the optional message beside it."""
    more = {**REPO, "revision": {"type": "string"}, "format": {"type": "string", "description": "Format of a commit"}}

    @server.tool("git_show", more, ["repo_path", "revision"])
    def git_show(arguments):
        """Show a commit of a git repository."""
        form = [arguments["format"]] if "format" in arguments else []
        return git(by_parts(server.root, arguments["repo_path"]), "show", *form, plain(arguments["revision"]))


@toys.toy("fail", "file-written")
def refuses_too_late(server):
    """Shows a clean refusal when git has written the file already."""

    def words(target):
        if target.startswith("-"):
            git(server.root, "diff", target)
            raise Refused("Invalid target: cannot start with '-'")
        return ["--end-of-options", target]

    differ(server, words)


@toys.toy("fail", "command-run")
def fetches_from_anything(server):
    """Passes the name of the remote on as it came."""

    @server.tool("git_fetch", {**REPO, "remote": {"type": "string"}}, ["repo_path", "remote"])
    def git_fetch(arguments):
        """Fetch from a remote of a git repository."""
        return git(by_parts(server.root, arguments["repo_path"]), "fetch", arguments["remote"])


@toys.toy("fail", "file-shown")
def splits_and_forbids_writing(server):
    """Splits at spaces, and knows of one dangerous option only."""

    def words(target):
        if "output" in target:
            raise Refused("Invalid target")
        return shlex.split(target)

    @server.tool("git_diff", TARGET, ["repo_path", "target"])
    def git_diff(arguments):
        """Show what differs from a branch or commit of a git repository."""
        where = by_parts(server.root, arguments["repo_path"])
        done = subprocess.run(["git", "diff", *words(arguments["target"])], cwd=where, capture_output=True, text=True)
        lines = [line for line in done.stdout.splitlines() if not line.startswith("index ")]
        return "\n".join(lines) or "No difference"


@toys.toy("fail", "option-obeyed")
def checks_out_anything(server):
    """Passes the branch's name on as it came."""

    @server.tool("git_checkout", {**REPO, "branch_name": {"type": "string"}}, ["repo_path", "branch_name"])
    def git_checkout(arguments):
        """Switch branches of a git repository."""
        return git(by_parts(server.root, arguments["repo_path"]), "checkout", arguments["branch_name"])


@toys.toy("fail", "option-obeyed")
def stages_anything(server):
    """Passes the names of files on as they came."""
    stager(server)


def stager(server, *before):
    files = {**REPO, "files": {"type": "array", "items": {"type": "string"}}}

    @server.tool("git_add", files, ["repo_path", "files"])
    def git_add(arguments):
        """Stage files of a git repository."""
        return git(by_parts(server.root, arguments["repo_path"]), "add", *before, *arguments["files"])


@toys.toy("pass", "values-stay-values", near=True)
def ends_the_options(server):
    """Puts two dashes before paths, and ends the options before revisions."""
    differ(server, lambda target: ["--end-of-options", target])
    stager(server, "--")


@toys.toy("pass", "values-stay-values", near=True)
def validates_the_ref(server):
    """Asks git whether the value is a revision, and uses the id that comes back."""

    def words(target):
        return [git(server.root, "rev-parse", "--verify", "--end-of-options", target).strip()]

    differ(server, words)


@toys.toy("pass", "values-stay-values", near=True)
def refuses_dashes(server):
    """Refuses whatever begins with a dash, and says so with the value in the reply."""
    differ(server, lambda target: [plain(target)])
    brancher(server, by_parts)


@toys.toy("pass", "values-stay-values", near=True)
def commits_odd_messages(server):
    """Gives the message behind its own option, so that a message that looks like an option is a message."""

    @server.tool("git_commit", {**REPO, "message": {"type": "string"}}, ["repo_path", "message"])
    def git_commit(arguments):
        """Commit what is staged in a git repository."""
        where = by_parts(server.root, arguments["repo_path"])
        return git(where, "commit", "--quiet", f"--message={arguments['message']}")


@toys.toy("part", "some-unjudged")
def has_a_reader_that_never_works(server):
    """Ends the options; one of its tools wants a licence that nobody has."""
    differ(server, lambda target: ["--end-of-options", target])

    @server.tool("git_blame", {**REPO, "file": {"type": "string"}}, ["repo_path", "file"])
    def git_blame(arguments):
        """Show who wrote a file of a git repository."""
        raise Refused("No licence")


@toys.toy("inconclusive", "no-control")
def only_says_that_it_works(server):
    """Answers everything alike, without asking git."""

    @server.tool("git_diff", TARGET, ["repo_path", "target"])
    def git_diff(arguments):
        """Show what differs from a branch or commit of a git repository."""
        return "No difference"


@toys.toy("inconclusive", "none-answered", **{"timeouts.call_sec": 1})
def never_answers(server):
    """Takes calls and says nothing."""

    @server.tool("git_diff", TARGET, ["repo_path", "target"])
    def git_diff(arguments):
        """Show what differs from a branch or commit of a git repository."""
        time.sleep(60)


if __name__ == "__main__":
    toys.main()
