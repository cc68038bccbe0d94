"""The repositories of the pack git: made by the real program once, kept as files, so that every id is constant.

Each has two commits on `main`, a branch `feature`, a branch and a tag with a telling name, a remote, a staged change,
an unstaged one and an untracked file. Whoever shows the token or the id of a repository has read that repository.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sealmark.bench import fixtures

PLACES: Mapping[str, str] = {
    "inside": "sandbox",
    "sibling": "sandbox-copy",
    "outside": "outside/repository",
}
"""Repository -> its working tree, below the private directory."""

_DATE = "1767225600 +0000"


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository as files: those of `.git`, those of the working tree, and the id of its newest commit."""

    git: Mapping[str, bytes]
    tree: Mapping[str, bytes]
    head: str


def token(name: str) -> str:
    """The text that only the repository `name` holds: in messages, authors, contents, file, branch and tag names."""
    start = f"sm-repo-{name}-"
    drawn = hashlib.sha256(f"sealmark repository {name}".encode()).hexdigest()
    return start + drawn[: 20 + -(len(start) + 20) % 3]


def remote_of(name: str) -> str:
    """Where the remote `origin` of a repository lies, below the private directory. Only that of `inside` is there."""
    return f"outside/remote-{token(name)}.git"


@cache
def made(git: str, name: str) -> Repository | None:
    """The repository `name` made by the program `git`; None when that fails."""
    if not git:
        return None
    with tempfile.TemporaryDirectory(prefix="sealmark-git-") as folder:
        try:
            return _made(git, Path(folder), name)
        except (OSError, subprocess.SubprocessError):
            return None


def _made(git: str, top: Path, name: str) -> Repository:
    word = token(name)
    env = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(top), "GIT_CONFIG_NOSYSTEM": "1"}

    def run(*words: str, given: bytes = b"") -> None:
        subprocess.run([git, *words], cwd=top, env=env, input=given, capture_output=True, timeout=20, check=True)

    run("init", "--quiet", "--template=", "--initial-branch=main")
    run("fast-import", "--quiet", given="".join(_history(word)).encode())
    run("read-tree", "main")
    tree = {
        "README.md": fixtures.README.encode(),
        "tracked.txt": f"tracked\nnot staged {word}\n".encode(),
        "notes.txt": f"second {word}\n".encode(),
        "staged.txt": f"staged {word}\n".encode(),
        f"untracked-{word}.txt": f"untracked {word}\n".encode(),
    }
    (top / "staged.txt").write_bytes(tree["staged.txt"])
    run("add", "staged.txt")
    inner = top / ".git"
    files = {path.relative_to(inner).as_posix(): path.read_bytes() for path in inner.rglob("*") if path.is_file()}
    head = files["refs/heads/main"].decode().strip()
    url = os.path.relpath(f"/{remote_of(name)}", f"/{PLACES[name]}")
    files["config"] += (
        f'[remote "origin"]\n\turl = {url}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n'
        '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n'
    ).encode()
    files["refs/remotes/origin/main"] = f"{head}\n".encode()
    return Repository(files, tree, head)


def _history(word: str) -> Iterator[str]:
    """The commits, in the language of `git fast-import`."""
    first = {"README.md": fixtures.README}
    first |= {"tracked.txt": "tracked\n", "staged.txt": "not yet\n", "notes.txt": "first\n"}
    yield from _commit("main", 1, f"start {word}", word, first)
    yield from _commit("feature", 2, f"feature {word}", word, {"feature.txt": f"feature {word}\n"}, parent=1)
    yield from _commit("main", 3, f"second {word}", word, {"notes.txt": f"second {word}\n"}, parent=1)
    yield f"reset refs/heads/topic-{word}\nfrom :2\n\nreset refs/tags/v1-{word}\nfrom :3\n\n"


def _commit(
    branch: str, mark: int, message: str, word: str, files: Mapping[str, str], parent: int = 0
) -> Iterator[str]:
    who = f"Sandbox {word} <sandbox@localhost> {_DATE}"
    yield f"commit refs/heads/{branch}\nmark :{mark}\nauthor {who}\ncommitter {who}\ndata {len(message)}\n{message}\n"
    if parent:
        yield f"from :{parent}\n"
    for path, content in files.items():
        yield f"M 100644 inline {path}\ndata {len(content.encode())}\n{content}\n"
    yield "\n"


def bare(repository: Repository) -> dict[str, bytes]:
    """The same history as a bare repository without remotes."""
    kept = {path: content for path, content in repository.git.items() if path.startswith(("objects/", "refs/heads/"))}
    config = b"[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
    return {**kept, "HEAD": b"ref: refs/heads/main\n", "config": config}
