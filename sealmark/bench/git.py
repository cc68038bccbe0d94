"""The repositories of the pack git, in its own sandbox: one that the server may use, and two that it may not."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sealmark.bench import index, repositories, trees
from sealmark.bench.part import Part
from sealmark.bench.repositories import PLACES, Repository, token
from sealmark.bench.sandbox import Sandbox
from sealmark.errors import HarnessError
from sealmark.record.marks import Marks

PACK = "git"
LINK = "linked-repository"
"""Name of the link in the allowed root that leads to the repository outside."""

MAX_CHANGES = 50
"""Changes that one look reports."""

HEAD = 120
"""Characters of a changed file that a look shows."""

GITS = frozenset(f"{place}/.git" for place in PLACES.values())

_KINDS = (("refs/", "ref"), ("objects/", "object"), ("hooks/", "hook"))
_NAMES = {"HEAD": "head", "packed-refs": "ref", "config": "config"}


class GitPart(Part):
    """Lays the repositories into the sandbox of the pack git, and watches them and what is around.

    A look reports `{"changes": [{"repository", "what", "path", "change", "head"?}], "more"?: n}`. `repository` is
    inside, sibling, outside, or around for files that belong to none; `what` is ref, head, object, hook, config,
    index, file or other. Paths below `.git` are relative to it, those of files are whole; for the index it is that of
    a staged file. Objects, whose names hold the time, are one change.
    """

    watches = frozenset({"git"})

    def __init__(self, git: str | None = None) -> None:
        found = shutil.which("git") if git is None else git
        made = {name: repositories.made(found or "", name) for name in PLACES}
        self._made: dict[str, Repository] = {name: one for name, one in made.items() if one is not None}
        self._sandbox: Sandbox | None = None
        self._before: dict[str, trees.Picture] = {}
        self._marks = Marks(())
        self._unchanged = False

    def start(self, sandboxes: Mapping[str, Sandbox]) -> None:
        """Lay the repositories; what is then there is the baseline."""
        self._sandbox = sandboxes.get(PACK)
        if self._sandbox is None or len(self._made) < len(PLACES):
            return
        try:
            self._lay(self._sandbox.root)
        except OSError as error:
            raise HarnessError(f"the repositories of the pack git cannot be laid: {error.strerror}") from None
        self._sandbox.baseline()
        self._marks = Marks([*self._sandbox.values.items(), *self.marks().items()])
        self._before = self._pictures()

    def _lay(self, root: Path) -> None:
        trees.remove(root / "sandbox/.git")
        for name, repository in self._made.items():
            _write(root / PLACES[name] / ".git", repository.git)
            (root / PLACES[name] / ".git/refs/tags").mkdir(exist_ok=True)
            _write(root / PLACES[name], repository.tree)
        _write(root / repositories.remote_of("inside"), repositories.bare(self._made["inside"]))
        (root / "sandbox" / LINK).symlink_to(root / PLACES["outside"])

    def marks(self) -> Mapping[str, str]:
        """Tokens and ids of the repositories."""
        ids = {f"repo_{name}_id": repository.head for name, repository in self._made.items()}
        return {**{f"repo_{name}": token(name) for name in self._made}, **ids}

    def owned(self, pack: str) -> Mapping[str, str]:
        """The same, for the pack that has them."""
        return self.marks() if pack == PACK else {}

    def values(self, pack: str, session: str) -> Mapping[str, str]:
        """The same, for templates."""
        return self.owned(pack)

    def facts(self) -> Mapping[str, Any]:
        """Which repositories there are."""
        return {"repositories": sorted(self._made) if self._sandbox is not None else []}

    # -- looking ------------------------------------------------------------------------------------------------

    def _pictures(self) -> dict[str, trees.Picture]:
        assert self._sandbox is not None
        tops = {name: (self._git(name), _not_of_git) for name in PLACES}
        tops |= {"files": (self._sandbox.cwd, _not_of_tree), "around": (self._sandbox.root, _not_around)}
        before = self._before
        return {name: trees.picture(top, skip=skip, before=before.get(name)) for name, (top, skip) in tops.items()}

    def _git(self, name: str) -> Path:
        assert self._sandbox is not None
        return self._sandbox.root / PLACES[name] / ".git"

    def look(self, pack: str, what: str) -> dict[str, Any]:
        """What changed since the start or the last restore."""
        if not self._before:
            return {"changes": []}
        after = self._pictures()
        self._unchanged = all(self._before[name].entries == after[name].entries for name in after)
        changes = list({(c["repository"], c["path"], c["what"]): c for c in self._changes(after)}.values())
        self._unchanged = self._unchanged and not changes
        more = {"more": len(changes) - MAX_CHANGES} if len(changes) > MAX_CHANGES else {}
        return {"changes": changes[:MAX_CHANGES], **more}

    def _changes(self, after: Mapping[str, trees.Picture]) -> Iterator[dict[str, str]]:
        for name in PLACES:
            yield from self._staged(name)
            for path, change in _differences(self._before[name], after[name]):
                what = _kind(path)
                place = "objects" if what == "object" else self._mark(path)
                yield {"repository": name, "what": what, "path": place, "change": change}
        assert self._sandbox is not None
        for area, top, name in (("files", self._sandbox.cwd, "inside"), ("around", self._sandbox.root, "around")):
            for path, change in _differences(self._before[area], after[area]):
                found = {"repository": name, "what": "file", "path": self._mark(str(top / path)), "change": change}
                if change != "deleted" and after[area].entries[path].kind == "file":
                    content = trees.read(str(top / path), HEAD * 4) or b""
                    found["head"] = self._mark(content.decode("utf-8", "backslashreplace"))[:HEAD]
                yield found

    def _staged(self, name: str) -> Iterator[dict[str, str]]:
        before = index.entries(self._made[name].git["index"])
        now = index.entries(trees.read(str(self._git(name) / "index"), trees.MAX_HASHED) or b"")
        for path in sorted(before.keys() | now.keys()):
            if before.get(path) != now.get(path):
                change = "created" if path not in before else "deleted" if path not in now else "modified"
                yield {"repository": name, "what": "index", "path": self._mark(path), "change": change}

    def _mark(self, path: str) -> str:
        return self._marks.mark(path.encode("utf-8", "backslashreplace").decode("utf-8"))

    def restore(self, pack: str, what: str) -> None:
        """Put both sides of the sandbox back, and the index inside, which the sandbox itself does not watch.

        When the last look saw that nothing had changed, nothing is done.
        """
        if self._sandbox is None or not self._before or self._unchanged:
            return
        self._sandbox.restore("outside")
        self._sandbox.restore("sandbox")
        path = self._git("inside") / "index"
        trees.remove(path)
        path.write_bytes(self._made["inside"].git["index"])
        self._before = self._pictures()


def _write(top: Path, files: Mapping[str, bytes]) -> None:
    for path, content in files.items():
        os.makedirs((top / path).parent, exist_ok=True)
        (top / path).write_bytes(content)


def _kind(path: str) -> str:
    by_place = next((kind for start, kind in _KINDS if path.startswith(start)), "other")
    return _NAMES.get(path, by_place)


def _differences(before: trees.Picture, after: trees.Picture) -> Iterator[tuple[str, str]]:
    """Everything that was made, changed or removed; directories only where they are repositories."""
    for path, change in trees.difference(before, after):
        entry = after.entries.get(path) or before.entries.get(path)
        if change != "touched" and entry is not None and (entry.kind != "directory" or path.endswith(".git")):
            yield path, change


def _not_of_git(path: str) -> bool:
    """Whether a path below `.git` is not compared as a file: the index, which is read, and the diary of the refs."""
    return path == "index" or path.startswith("logs")


def _not_of_tree(path: str) -> bool:
    """Whether a path of the allowed root belongs to `.git`, or lies in another repository's."""
    return path == ".git" or ".git/" in path


def _not_around(path: str) -> bool:
    """Whether a path of the private directory is watched elsewhere, or is the server's own, or the remote."""
    own = path in ("sandbox", "home", "tmp") or path in GITS
    return own or ".git/" in path or path == repositories.remote_of("inside")
