"""What changed in a whole sandbox from one look to the next: content, names, modes, times of writing.

Unlike the looks at `sandbox` and `outside`, which compare with the state at the start and put it back, a look at `tree`
compares with the last look and changes nothing, so that it can be taken around every call.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Any

from sealmark.bench import trees
from sealmark.bench.part import Part
from sealmark.bench.sandbox import NOISE, NOISE_PREFIXES, Sandbox
from sealmark.record.marks import Marks

MAX_CHANGES = 50
"""Changes that one look reports."""

OWN_STATE = ("home/.local/state", "home/Library/Caches", "home/Library/Logs", "tmp")
"""Where programs keep what only they look at, besides the caches of runtimes."""

LOCKS = ("-journal", "-wal", "-shm", ".lock")
"""Ends of the names of files that guard another one while it is read."""


DATABASES = (".db", ".sqlite", ".sqlite3", ".duckdb")
"""Ends of the names of files beside which such guards come and go."""


class Snapshots(Part):
    """Looks at `tree` for the sandboxes of these packs."""

    watches = frozenset({"tree"})

    def __init__(self, packs: tuple[str, ...]) -> None:
        self._packs = packs
        self._sandboxes: dict[str, Sandbox] = {}
        self._pictures: dict[str, trees.Picture] = {}
        self._lock = threading.Lock()

    def start(self, sandboxes: Mapping[str, Sandbox]) -> None:
        """Take the first pictures."""
        self._sandboxes = {pack: sandboxes[pack] for pack in self._packs if pack in sandboxes}
        for pack in self._sandboxes:
            self.look(pack, "tree")

    def look(self, pack: str, what: str) -> dict[str, Any]:
        """What changed since the last look: `{"changes": [{"path", "kind", "change"}], "more"?: n, "cut"?: true}`.

        `change` is created, modified, deleted, touched (mode, time of writing, hard links), or, of a directory,
        `came-and-went`: something in it was made and removed.
        """
        if pack not in self._sandboxes:
            return {"changes": []}
        sandbox = self._sandboxes[pack]
        with self._lock:
            before = self._pictures.get(pack)
            after = trees.picture(sandbox.root, skip=_left_out, before=before, timed=_timed)
            self._pictures[pack] = after
        marks = Marks(sandbox.values.items())
        found = list(_changes(before, after)) if before is not None else []
        result: dict[str, Any] = {
            "changes": [
                {"path": marks.mark(_printable(f"{sandbox.root}/{path}")), "kind": kind, "change": change}
                for path, kind, change in found[:MAX_CHANGES]
            ]
        }
        if len(found) > MAX_CHANGES:
            result["more"] = len(found) - MAX_CHANGES
        return result | ({"cut": True} if after.cut else {})

    def restore(self, pack: str, what: str) -> None:
        """Take what is there now as the state to compare with."""
        self.look(pack, what)


def _changes(before: trees.Picture, after: trees.Picture) -> Iterator[tuple[str, str, str]]:
    """(path, kind, change); a directory that is known to be written to for a reason is left out."""
    found = list(trees.difference(before, after))
    told = {path.rpartition("/")[0] for path, change in found if change in ("created", "deleted")}
    told |= {path.rpartition("/")[0] for path in before.entries if path.endswith(DATABASES)}
    for path, change in found:
        entry = after.entries.get(path) or before.entries[path]
        if entry.kind == "directory" and path.startswith("home/"):
            continue
        if (change, entry.kind) != ("touched", "directory") or entry.mode != before.entries[path].mode:
            yield path, entry.kind, change
        elif path not in told:
            yield path, entry.kind, "came-and-went"


def _printable(path: str) -> str:
    """A path with bytes that are no UTF-8 made visible, so that it can stand in JSON."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


def _left_out(path: str) -> bool:
    """Whether a path is not watched: caches and logs, and what guards a file while it is read."""
    folders = path.split("/")[:-1] if path.startswith("home/") else []
    logs = path.startswith("home/") and (path.endswith(".log") or bool({"log", "logs"} & set(folders)))
    own = path in NOISE or path in OWN_STATE or path.startswith(NOISE_PREFIXES)
    return own or logs or path.endswith(LOCKS) or path == "sandbox/.git/index"


def _timed(path: str) -> bool:
    """Whether the time of writing of a directory counts: not where runtimes and git make files of their own."""
    return not path.startswith(("home", "tmp", "sandbox/.git"))
