"""A private directory for one server: an allowed root with fixtures, and around it all that must stay untouched.

    sealmark-<12 hex>/          mode 0700, in the temporary directory
      sandbox/                  the allowed root and the server's working directory; a git repository where git is found
      sandbox-copy/             a sibling whose name begins with the root's name
      outside/                  files that no tool may reach, and `linked/`, which links inside the root point at
      home/  tmp/               HOME and TMPDIR of the server

It is a convention, not a security boundary: a server can write anywhere that its user can. What the harness sees is
what happens below this directory. No function here follows a link that it did not make.
"""

from __future__ import annotations

import os
import stat
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sealmark.bench import layout, trees
from sealmark.errors import HarnessError
from sealmark.record.marks import Marks

WATCHED = ("sandbox", "outside")
"""What `look` and `restore` know. `outside` is everything below the private directory but the allowed root."""

NOISE = (
    "home/.cache",  # XDG cache: every package manager and runtime
    "home/.npm",  # npm: cache and logs, also for `npx`
    "home/.config/configstore",  # update notifiers of Node tools
    "home/.local/share/uv",  # uv: tools and Pythons
    "home/.dotnet",  # .NET: first-run files
    "home/.bun",  # bun: install cache
    "home/.deno",  # deno: module cache
    "home/go",  # Go: module cache
    "tmp/node-compile-cache",  # Node: compiled scripts
    "tmp/node-jiti",  # jiti: transpiled modules
)
"""Ordinary caches of runtimes, not watched: they are written at start and say nothing about a tool."""

NOISE_PREFIXES = (
    "tmp/tsx-",
    "tmp/uv-",
    "tmp/pip-",
    "tmp/npm-",
    "tmp/bunx-",
    "tmp/clr-debug-pipe-",
    "tmp/dotnet-diagnostic-",
)
"""Files in tmp whose names begin so are not watched, for the same reason."""

MAX_KEPT = 4 * 1024 * 1024
"""Bytes of one file that a baseline keeps to restore it; a larger one is made again if the sandbox made it."""

MAX_CHANGES = 50
"""Changes that one look reports."""

HEAD = 120
"""Characters of a changed file that a look shows."""


@dataclass
class Sandbox:
    """One private directory. Made by `Sandbox.create`; `remove` takes it away.

    Attributes:
        root: the private directory (real path).
        values: mark name -> value, for templates and for marking.
        owned: the values of `values` that count when seen in a reply.
        keep: whether `remove` leaves it.
    """

    root: Path
    values: dict[str, str]
    keep: bool
    _marks: Marks = field(repr=False)
    _facts: dict[str, Any] = field(default_factory=dict, repr=False)
    _pictures: dict[str, trees.Picture] = field(default_factory=dict, repr=False)
    _kept: dict[str, dict[str, bytes]] = field(default_factory=dict, repr=False)
    _large: dict[str, layout.Large] = field(default_factory=dict, repr=False)
    _unwatched: list[str] = field(default_factory=list, repr=False)

    @classmethod
    def create(cls, parent: Path | None, *, token_hex: str, keep: bool = False, big_mib: int = 4) -> Sandbox:
        """Make a sandbox with all fixtures.

        Args:
            parent: where; the temporary directory of the system when None.
            token_hex: at least 12 random hex digits; every name and secret of the sandbox derives from them.
            keep: leave it in place at the end.
            big_mib: size of `big.txt` in MiB.

        Raises:
            HarnessError: the directory cannot be made.
        """
        where = Path(os.path.realpath(parent if parent is not None else tempfile.gettempdir()))
        root = where / f"sealmark-{token_hex[:12]}"
        values = layout.values_of(root, token_hex, big_mib * 1024 * 1024)
        sandbox = cls(root, values, keep, Marks(values.items()))
        try:
            root.mkdir(mode=0o700)
        except OSError as error:
            raise _impossible(where, error) from None
        try:
            sandbox._facts, sandbox._large = layout.make(root, values, big_mib * 1024 * 1024)
        except OSError as error:
            trees.remove(root)
            raise _impossible(where, error) from None
        sandbox.baseline()
        return sandbox

    @property
    def cwd(self) -> Path:
        """The allowed root, in which the server starts."""
        return self.root / "sandbox"

    @property
    def owned(self) -> dict[str, str]:
        """Values that tell, when a reply shows them, what was read."""
        return {name: self.values[name] for name in layout.OWNED}

    @property
    def env(self) -> dict[str, str]:
        """Variables that keep a server's own files inside the private directory."""
        home, tmp = str(self.root / "home"), str(self.root / "tmp")
        return {
            **dict.fromkeys(("HOME", "USERPROFILE"), home),
            **dict.fromkeys(("TMPDIR", "TMP", "TEMP"), tmp),
            "APPDATA": f"{home}/.config",
            "LOCALAPPDATA": f"{home}/.cache",
            "XDG_CONFIG_HOME": f"{home}/.config",
            "XDG_CACHE_HOME": f"{home}/.cache",
            "XDG_DATA_HOME": f"{home}/.local/share",
            "XDG_STATE_HOME": f"{home}/.local/state",
            "XDG_RUNTIME_DIR": tmp,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": f"{home}/.gitconfig",
            "GIT_TERMINAL_PROMPT": "0",
        }

    def facts(self) -> dict[str, Any]:
        """What the sandbox holds, as plain JSON with marks (`layout.make`)."""
        return dict(self._facts)

    def write(self, path: str, content: str) -> None:
        """Stage a file for the server; it belongs to the baseline.

        Args:
            path: an absolute path in the allowed root or the home.
            content: its whole text.

        Raises:
            HarnessError: the path leads elsewhere, or the file cannot be written.
        """
        real = os.path.realpath(path)
        if not real.startswith((f"{self.cwd}/", f"{self.root}/home/")):
            raise HarnessError(f"{self._mark(path)} is neither in the sandbox nor in its home", hint=_STAGING)
        try:
            os.makedirs(os.path.dirname(real), exist_ok=True)
            with open(os.open(real, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o644), "w") as file:
                file.write(content)
        except OSError as error:
            raise HarnessError(f"{self._mark(path)} cannot be written: {error.strerror}", hint=_STAGING) from None
        self.baseline()

    def unwatch(self, name: str) -> None:
        """Leave a file of the allowed root, and what begins with its name, to somebody else's looks and restores."""
        self._unwatched.append(name)

    # -- looking --------------------------------------------------------------------------------------------

    def baseline(self, *whats: str) -> None:
        """Take what is there now as the state to compare with and to restore; all of `WATCHED` when none is named."""
        for what in whats or WATCHED:
            taken = self._picture(what)
            kept: dict[str, bytes] = {}
            for path, entry in taken.entries.items():
                if entry.kind == "file" and entry.size <= MAX_KEPT and self._place(what, path) not in self._large:
                    kept[path] = trees.read(self._real(what, path), MAX_KEPT) or b""
            self._pictures[what], self._kept[what] = taken, kept

    def look(self, what: str) -> dict[str, Any]:
        """What changed since the last baseline or restore.

        Returns:
            `{"changes": [{"path", "change", "before", "after", "holds"?}], "more"?: n, "cut"?: true}`, already marked.
            `change` is created, modified, deleted or touched; `before` and `after` are None or `{"kind", "mode",
            "size"?, "target"?, "links"?, "time"?, "head"?}`; `holds` names the owned values that the file now contains.

        Raises:
            HarnessError: `what` is not one of `WATCHED`.
        """
        before = self._before(what)
        after = self._picture(what)
        found = list(trees.difference(before, after))
        changes = [self._change(what, path, change, before, after) for path, change in found[:MAX_CHANGES]]
        result: dict[str, Any] = {"changes": changes}
        if len(found) > MAX_CHANGES:
            result["more"] = len(found) - MAX_CHANGES
        if after.cut:
            result["cut"] = True
        return result

    def _before(self, what: str) -> trees.Picture:
        if what not in self._pictures:
            raise HarnessError(f"nothing called {what!r} is watched", hint=f"Watched: {', '.join(WATCHED)}")
        return self._pictures[what]

    def _picture(self, what: str) -> trees.Picture:
        skip = _not_outside if what == "outside" else self._not_inside
        return trees.picture(self._top(what), skip=skip, before=self._pictures.get(what))

    def _not_inside(self, path: str) -> bool:
        """Whether a path below the allowed root is not watched: what any git command rewrites, and a part's files."""
        return path == ".git/index" or path.startswith(tuple(self._unwatched))

    def _top(self, what: str) -> Path:
        return self.root if what == "outside" else self.root / "sandbox"

    def _real(self, what: str, path: str) -> str:
        return os.path.join(self._top(what), path)

    def _place(self, what: str, path: str) -> str:
        return path if what == "outside" else f"sandbox/{path}"

    def _change(self, what: str, path: str, change: str, before: trees.Picture, after: trees.Picture) -> dict[str, Any]:
        real = self._real(what, path)
        old, new = before.entries.get(path), after.entries.get(path)
        entry: dict[str, Any] = {
            "path": self._mark(real),
            "change": change,
            "before": self._shown(old),
            "after": self._shown(new),
        }
        if new is not None and old is not None and new.modified_ns != old.modified_ns and change == "touched":
            entry["after"]["time"] = "later" if new.modified_ns > old.modified_ns else "earlier"
        if new is not None and new.kind == "file" and change in ("created", "modified"):
            content = trees.read(real, MAX_KEPT) or b""
            entry["after"]["head"] = self._mark(_head(content))[:HEAD]
            holds = [name for name, value in self.owned.items() if value.encode() in content]
            if holds:
                entry["holds"] = holds
        return entry

    def _shown(self, entry: trees.Entry | None) -> dict[str, Any] | None:
        if entry is None:
            return None
        shown: dict[str, Any] = {"kind": entry.kind, "mode": f"{entry.mode:04o}"}
        if entry.kind == "file":
            shown["size"] = entry.size
            if entry.links > 1:
                shown["links"] = entry.links
        if entry.kind == "link":
            shown["target"] = self._mark(entry.target)
        return shown

    def _mark(self, text: str) -> str:
        """`text` with marks, and with bytes that are no UTF-8 made visible, so that it can stand in JSON."""
        return self._marks.mark(text.encode("utf-8", "backslashreplace").decode("utf-8"))

    # -- putting back ---------------------------------------------------------------------------------------

    def restore(self, what: str) -> tuple[str, ...]:
        """Put back what `look` would report; returns the marked paths that could not be put back.

        What the server added to its own home and tmp stays, unless it is what a tool was asked to write: by its whole
        content, or by the name `escaped`.

        Raises:
            HarnessError: `what` is not one of `WATCHED`.
        """
        before = self._before(what)
        found = list(trees.difference(before, self._picture(what)))
        left: list[str] = []
        for path, change in sorted(found, key=lambda item: item[0].count("/"), reverse=True):
            entry = before.entries.get(path)
            added = change == "created" and not self._servers_own(what, path)
            if added or (entry is not None and change == "modified" and entry.kind != "file"):
                left += [self._mark(name) for name in trees.remove(Path(self._real(what, path)))]
        for path, _ in sorted(found):
            entry = before.entries.get(path)
            if entry is not None and not self._put_back(what, path, entry):
                left.append(self._mark(self._real(what, path)))
        self._pictures[what] = self._picture(what)
        return tuple(left)

    def _servers_own(self, what: str, path: str) -> bool:
        if what != "outside" or not path.startswith(("home/", "tmp/")):
            return False
        content = trees.read(self._real(what, path), MAX_KEPT) or b""
        return "escaped" not in path and content.strip() != self.values["written"].encode()

    def _put_back(self, what: str, path: str, entry: trees.Entry) -> bool:
        real, place = self._real(what, path), self._place(what, path)
        if entry.kind == "file" and place not in self._large and path not in self._kept[what]:
            return self._servers_own(what, path)
        try:
            if entry.kind == "directory" and not os.path.lexists(real):
                os.mkdir(real)
            elif entry.kind == "link" and not os.path.lexists(real):
                os.symlink(entry.target, real)
            elif entry.kind == "file":
                self._write_back(what, path, entry)
            if entry.kind != "link":
                os.chmod(real, entry.mode)
            if entry.kind == "file":
                os.utime(real, ns=(entry.modified_ns, entry.modified_ns), follow_symlinks=False)
        except OSError:
            return False
        return entry.kind != "file" or place not in self._large or os.lstat(real).st_size == entry.size

    def _write_back(self, what: str, path: str, entry: trees.Entry) -> None:
        """Give a file its content again, in place where it still is a file, so that hard links last."""
        real, place = self._real(what, path), self._place(what, path)
        if os.path.lexists(real) and not stat.S_ISREG(os.lstat(real).st_mode):
            trees.remove(Path(real))
        partner = layout.HARD_LINKED.get(place)
        if partner and not os.path.lexists(real) and (self.root / partner).is_file():
            os.link(self.root / partner, real)
            other = "sandbox" if what == "outside" else "outside"
            where = partner.removeprefix("sandbox/")
            self._pictures[other] = trees.again(self._pictures[other], self._top(other), where)
        if place in self._large:
            self._large[place](Path(real))
        else:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
            if os.path.lexists(real):
                os.chmod(real, entry.mode | 0o200)
            with open(os.open(real, flags, entry.mode), "wb") as file:
                file.write(self._kept[what][path])

    def remove(self) -> tuple[str, ...]:
        """Take the sandbox away, unless it is to be kept; returns the real paths that could not be removed."""
        return () if self.keep else trees.remove(self.root)


_STAGING = "server.files: write {sandbox}/NAME, {dir}/NAME or {sandbox_home}/NAME"


def _impossible(where: Path, error: OSError) -> HarnessError:
    return HarnessError(
        f"no sandbox could be made in {where}: {error.strerror or error}",
        hint="Name a directory that you may write to: --sandbox-dir DIR",
    )


def _head(content: bytes) -> str:
    """The first characters of a text; of anything else only that it is binary."""
    try:
        return content.decode("utf-8")[: HEAD * 8]
    except UnicodeDecodeError:
        return "(binary)"


def _not_outside(path: str) -> bool:
    """Whether a path below the private directory is not watched as `outside`: the allowed root, a runtime's cache."""
    return path == "sandbox" or path in NOISE or path.startswith(NOISE_PREFIXES)
