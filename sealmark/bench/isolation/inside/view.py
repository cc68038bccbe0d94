"""What the server sees of the file system: an overlay for each tree, so that no write is real and every one is seen."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable

from kernel import BIND, DETACH, NODEV, NOEXEC, NOSUID, PRIVATE, RDONLY, REC, call, mount, read_only

COPIED = 1 << 20
"""Bytes of a file beside a mount up to which it is copied; a larger one is left out."""

DEVICES = ("null", "zero", "full", "random", "urandom", "tty")

VIRTUAL = frozenset(
    (
        "proc",
        "sysfs",
        "cgroup",
        "cgroup2",
        "devpts",
        "devtmpfs",
        "mqueue",
        "debugfs",
        "tracefs",
        "securityfs",
        "configfs",
    )
)
"""File systems that would show the machine rather than files: left out, wherever they are mounted."""


class View:
    """How the new root was made: `ups` are overlaid, `plain` are directories of our own, in the order of making."""

    def __init__(self, top: str, hide: Iterable[str]) -> None:
        self.top, self.new = top, f"{top}/new"
        self.hide = tuple(hide)
        self.ups: list[str] = []
        self.plain: list[str] = []
        self.mounted = _mount_points()

    def build(self, path: str) -> None:
        """Make one directory that has mounts below it, and everything in it."""
        self.plain.append(path)
        for entry in os.scandir(path):
            copy = self.new + entry.path
            if entry.path in ("/proc", "/sys", "/dev", *self.hide) or self.mounted.get(entry.path) in VIRTUAL:
                os.mkdir(copy, 0o755)
            elif entry.is_symlink():
                os.symlink(os.readlink(entry.path), copy)
            elif entry.is_dir():
                self._directory(entry.path, copy)
            elif entry.is_file() and entry.stat().st_size <= COPIED and os.access(entry.path, os.R_OK):
                with open(entry.path, "rb") as source, open(copy, "wb") as target:
                    target.write(source.read(COPIED))
                os.chmod(copy, stat.S_IMODE(entry.stat().st_mode))

    def _directory(self, path: str, copy: str) -> None:
        os.mkdir(copy, 0o755)
        if any(point.startswith(path + "/") for point in self.mounted):
            self.build(path)  # a locked mount below: the kernel refuses it as a lower layer
        elif os.access(path, os.X_OK):
            self._overlay(path)
        else:
            os.chmod(copy, 0)

    def _overlay(self, path: str) -> None:
        up, work = f"{self.top}/up/{len(self.ups)}", f"{self.top}/scratch/{len(self.ups)}"
        os.mkdir(up)
        os.mkdir(work)
        like(path, up)
        lower = path.replace("\\", "\\\\").replace(":", "\\:").replace(",", "\\,")
        options = f"lowerdir={lower},upperdir={up},workdir={work},userxattr"
        mount("sealmark", self.new + path, "overlay", NOSUID | NODEV, options)
        self.ups.append(path)


def overlaid(top: str, hide: list[str], share: list[str], files: dict[str, str]) -> tuple[list[int], dict[str, object]]:
    """Enter a new root. Every write lands below `top`, except in the directories that are shared.

    Returns:
        descriptors of `top` and of /proc, and how the root was made.

    Raises:
        OSError: the kernel refuses a mount.
    """
    view = View(top, hide)
    mount(None, "/", None, REC | PRIVATE)
    mount("sealmark", top, "tmpfs", NOSUID | NODEV, "mode=0755,size=1g")
    for name in ("/new", "/up", "/scratch"):
        os.mkdir(top + name)
    mount(view.new, view.new, None, BIND)
    view.build("/")
    for path in hide:
        os.makedirs(view.new + path, exist_ok=True)
    _devices(f"{view.new}/dev")
    _kernel_settings(f"{view.new}/sys")
    fresh = _process_table(f"{view.new}/proc", bind=True)
    for path, text in files.items():
        _put(view.new + path, text)
    for path in (*view.plain, *hide):
        like(path if os.path.isdir(path) else "/", view.new + path)
    for path in share:
        os.makedirs(view.new + path, exist_ok=True)
        mount(path, view.new + path, None, BIND | REC)
    tree = os.open(top, os.O_RDONLY | os.O_DIRECTORY)
    os.chdir(view.new)
    call("pivot_root", ".", ".")
    call("umount2", ".", DETACH)
    table = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
    return [tree, table], {"ups": view.ups, "plain": view.plain, "proc": fresh}


def real(top: str, files: dict[str, str]) -> tuple[list[int], dict[str, object]]:
    """Stay in the real file system, with the named files replaced and the kernel's settings out of reach."""
    mount(None, "/", None, REC | PRIVATE)
    mount("sealmark", top, "tmpfs", NOSUID | NODEV, "mode=0755,size=64m")
    for number, (path, text) in enumerate(files.items()):
        if os.path.exists(path):
            _put(f"{top}/{number}", text)
            mount(f"{top}/{number}", os.path.realpath(path), None, BIND)
    _kernel_settings("/sys")
    fresh = _process_table("/proc", bind=False)
    descriptors = [os.open(path, os.O_RDONLY | os.O_DIRECTORY) for path in (top, "/proc")]
    return descriptors, {"ups": [], "plain": [], "proc": fresh}


def like(path: str, copy: str) -> None:
    """Give a directory the owner and the right to write that `path` has; a user can own only his own."""
    status = os.stat(path)
    writable = os.geteuid() in (0, status.st_uid) or os.access(path, os.W_OK)
    with contextlib.suppress(OSError):
        os.chown(copy, status.st_uid, status.st_gid)
    os.chmod(copy, stat.S_IMODE(status.st_mode) & (0o7777 if writable else 0o7555))


def _mount_points() -> dict[str, str]:
    """Where something is mounted -> which kind of file system."""
    found = {}
    with open("/proc/self/mountinfo", "rb") as file:
        for line in file:
            fields = line.split()
            path = fields[4].decode("unicode_escape").encode("latin-1")
            found[os.fsdecode(path)] = fields[fields.index(b"-") + 1].decode()
    return found


def _devices(folder: str) -> None:
    for name in DEVICES:
        with open(f"{folder}/{name}", "w"):
            pass
        mount(f"/dev/{name}", f"{folder}/{name}", None, BIND)
    links = {"fd": "/proc/self/fd", "ptmx": "pts/ptmx"}
    links |= {name: f"/proc/self/fd/{number}" for number, name in enumerate(("stdin", "stdout", "stderr"))}
    for name, target in links.items():
        os.symlink(target, f"{folder}/{name}")
    os.mkdir(f"{folder}/shm")
    os.chmod(f"{folder}/shm", 0o1777)
    os.mkdir(f"{folder}/pts")
    mount("devpts", f"{folder}/pts", "devpts", NOSUID, "newinstance,ptmxmode=0666,mode=620")


def _kernel_settings(folder: str) -> None:
    """A read-only /sys of this network, or none: the machine's own would bring writable settings."""
    try:
        mount("sysfs", folder, "sysfs", RDONLY | NOSUID | NODEV | NOEXEC)
    except OSError:
        mount("sealmark", folder, "tmpfs", RDONLY | NOSUID | NODEV | NOEXEC, "mode=0555,size=4k")


def _process_table(folder: str, *, bind: bool) -> bool:
    """A /proc of these processes alone; where a container masks parts of it, the container's own must do.

    To the kernel's settings, root with unchanged numbers is the real one, so they are made unwritable for all.
    """
    try:
        mount("proc", folder, "proc", NOSUID | NODEV | NOEXEC)
        fresh = True
    except OSError:
        if bind:
            mount("/proc", folder, None, BIND | REC)
        fresh = False
    for entry in sorted(os.scandir(folder), key=lambda one: one.name):
        if not entry.name.isdigit() and not entry.is_symlink():
            read_only(entry.path)
    return fresh


def _put(path: str, text: str) -> None:
    if os.path.lexists(path):
        os.unlink(path)
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, 0o444 if os.geteuid() else 0o644)
