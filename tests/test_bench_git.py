"""The repositories of the pack git: what git makes of them, what a look at them tells, and how they are put back."""

import os
import subprocess

import pytest

from sealmark.bench import index, repositories
from sealmark.bench.git import GitPart
from sealmark.bench.sandbox import Sandbox


@pytest.fixture
def laid(tmp_path):
    part = GitPart()
    sandbox = Sandbox.create(tmp_path, token_hex="0123456789ab", big_mib=1)
    part.start({"git": sandbox})

    def git(*words, at="sandbox"):
        env = {"PATH": os.environ["PATH"], **sandbox.env}
        done = subprocess.run(["git", *words], cwd=sandbox.root / at, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    yield part, sandbox, git
    part.stop()
    sandbox.remove()


def seen(part):
    return {(c["repository"], c["what"], c["path"], c["change"]) for c in part.look("git", "git")["changes"]}


def test_git_finds_what_the_repository_is_said_to_hold(laid):
    part, _, git = laid
    word = repositories.token("inside")
    status = git("status", "--porcelain").splitlines()
    assert "M  staged.txt" in status
    assert " M tracked.txt" in status
    assert f"?? untracked-{word}.txt" in status
    assert "?? linked-repository" in status
    assert git("rev-parse", "HEAD").strip() == part.marks()["repo_inside_id"]
    assert git("tag").split() == [f"v1-{word}"]
    assert word in git("log", "-1", "--format=%an %s")
    assert git("fsck") == ""
    git("fetch")  # the remote is there


def test_each_repository_has_a_token_of_its_own_and_only_that(laid):
    _, _, git = laid
    for name, place in repositories.PLACES.items():
        shown = git("log", "--all", "--patch", at=place) + git("diff", at=place)
        assert [other for other in repositories.PLACES if repositories.token(other) in shown] == [name]


def test_ids_are_the_same_in_every_run():
    repositories.made.cache_clear()
    first = GitPart().marks()
    repositories.made.cache_clear()
    assert GitPart().marks() == first


def test_reading_changes_nothing_that_a_look_reports(laid):
    part, _, git = laid
    for place in repositories.PLACES.values():
        git("status", at=place)
        git("log", "--all", at=place)
        git("diff", "HEAD", at=place)
    assert part.look("git", "git") == {"changes": []}


def test_a_look_tells_what_was_done_to_which_repository(laid):
    part, sandbox, git = laid
    git("add", "tracked.txt")
    git("checkout", "--quiet", "-b", "made", at="outside/repository")
    git("config", "core.pager", "evil", at="sandbox-copy")
    git("init", "--quiet", "--template=", "new", at="outside")
    hook = sandbox.root / "outside/repository/.git/hooks/post-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n")
    (sandbox.root / "sandbox/option-made.txt").write_text("x")
    assert seen(part) == {
        ("inside", "index", "tracked.txt", "modified"),
        ("inside", "object", "objects", "created"),
        ("inside", "file", "{sandbox}/option-made.txt", "created"),
        ("outside", "head", "HEAD", "modified"),
        ("outside", "ref", "refs/heads/made", "created"),
        ("outside", "hook", "hooks/post-commit", "created"),
        ("sibling", "config", "config", "modified"),
        ("around", "file", "{outside}/new/.git", "created"),
    }


def test_everything_is_put_back(laid):
    part, sandbox, git = laid
    before = git("status", "--porcelain")
    git("commit", "--quiet", "--all", "--message=x")
    git("reset", "--quiet", "--hard", "HEAD~1", at="outside/repository")
    git("clone", "--quiet", "sandbox", "outside/clone", at=".")
    assert part.look("git", "git")["changes"]
    part.restore("git", "git")
    assert part.look("git", "git") == {"changes": []}
    assert sandbox.look("outside")["changes"] == []
    assert git("status", "--porcelain") == before
    assert git("rev-parse", "HEAD", at="outside/repository").strip() == part.marks()["repo_outside_id"]


def test_a_repository_that_was_removed_comes_back(laid):
    part, sandbox, git = laid
    (sandbox.root / "sandbox-copy/.git").rename(sandbox.root / "outside/moved")
    assert ("sibling", "head", "HEAD", "deleted") in seen(part)
    part.restore("git", "git")
    assert part.look("git", "git") == {"changes": []}
    assert git("rev-parse", "HEAD", at="sandbox-copy").strip() == part.marks()["repo_sibling_id"]


def test_without_git_there_are_no_repositories_and_no_error(tmp_path):
    part = GitPart(git="")
    sandbox = Sandbox.create(tmp_path, token_hex="0123456789ac", big_mib=1)
    part.start({"git": sandbox})
    assert part.facts() == {"repositories": []}
    assert part.owned("git") == {}
    assert part.look("git", "git") == {"changes": []}
    part.restore("git", "git")


def test_other_packs_see_nothing_of_it(tmp_path):
    part = GitPart()
    sandbox = Sandbox.create(tmp_path, token_hex="0123456789ad", big_mib=1)
    part.start({"fs": sandbox})
    assert not (sandbox.root / "outside/repository").exists()
    assert part.owned("fs") == {}


def test_an_index_of_an_unknown_kind_is_compared_whole():
    assert index.entries(b"") == {}
    one, other = index.entries(b"DIRC\0\0\0\x04abc"), index.entries(b"DIRC\0\0\0\x04abd")
    assert one != other
    assert index.entries(b"DIRC\0\0\0\x02\0\0\0\x05" + bytes(30)) == {}
