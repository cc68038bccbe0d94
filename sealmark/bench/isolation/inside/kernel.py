"""What is asked of the kernel: namespaces, mounts, capabilities."""

from __future__ import annotations

import ctypes
import os

NEWNS, NEWUTS, NEWIPC = 0x20000, 0x4000000, 0x8000000
NEWUSER, NEWPID, NEWNET = 0x10000000, 0x20000000, 0x40000000

RDONLY, NOSUID, NODEV, NOEXEC, REMOUNT, BIND, REC, PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
DETACH = 2

KEPT_CAPABILITIES = frozenset({0, 1, 3, 4, 5, 6, 7, 8, 10, 18, 29, 31})
"""What root keeps inside: the set of an ordinary container less NET_RAW and MKNOD. A user keeps none."""

_DEATH_SIGNAL, _DROP_BOUNDING, _NO_NEW_PRIVILEGES = 1, 24, 38

_libc = ctypes.CDLL(None, use_errno=True)


def call(name: str, *arguments: object) -> None:
    """Call a function of libc that answers -1 when it fails.

    Raises:
        OSError: it failed.
    """
    given = [os.fsencode(one) if isinstance(one, str) else one for one in arguments]
    if getattr(_libc, name)(*given) < 0:
        number = ctypes.get_errno()
        shown = ", ".join(str(one) for one in arguments if one is not None)
        raise OSError(number, os.strerror(number), f"{name}({shown})")


def mount(source: str | None, target: str, kind: str | None = None, flags: int = 0, data: str | None = None) -> None:
    """Ask for one mount.

    Raises:
        OSError: it was refused.
    """
    call("mount", source, target, kind, ctypes.c_ulong(flags), data)


def read_only(path: str) -> None:
    """Make what lies at `path` unwritable, by a mount over itself."""
    mount(path, path, None, BIND | REC)
    mount(None, path, None, BIND | REMOUNT | RDONLY | NOSUID | NODEV | NOEXEC)


def enter_namespaces() -> None:
    """Leave the machine's users, mounts, network, processes, IPC and host name. Numbers of users stay what they are.

    Root keeps every number that it has, a user keeps his own.

    Raises:
        OSError: the kernel, or what guards it, refuses.
    """
    flags = NEWUSER | NEWNS | NEWNET | NEWPID | NEWIPC | NEWUTS
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        _enter_as_root(flags)
        return
    call("unshare", flags)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        _write(f"/proc/self/{name}", text)


def _enter_as_root(flags: int) -> None:
    """Only a process that stays in the old user namespace may write a map of more than one number."""
    maps = {name: _identity(f"/proc/self/{name}") for name in ("uid_map", "gid_map")}
    ready, tell = os.pipe()
    helper = os.fork()
    if helper == 0:
        status = 1
        try:
            os.close(tell)
            os.read(ready, 1)
            for name, text in maps.items():
                _write(f"/proc/{os.getppid()}/{name}", text)
            status = 0
        finally:
            os._exit(status)
    os.close(ready)
    try:
        call("unshare", flags)
    finally:
        os.close(tell)
        status = os.waitpid(helper, 0)[1]
    if status:
        raise OSError(0, "the numbers of users could not be mapped")


def _identity(path: str) -> str:
    with open(path) as file:
        rows = [line.split() for line in file]
    return "".join(f"{inside} {inside} {count}\n" for inside, _, count in rows)


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def die_with_parent() -> None:
    """Be killed when the process (its one thread) that forked this one ends."""
    call("prctl", _DEATH_SIGNAL, 9, 0, 0, 0)


def give_up_privileges() -> None:
    """Gain nothing from set-uid programs, and keep few capabilities as root, none as a user."""
    call("prctl", _NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    for capability in range(64):
        if os.geteuid() == 0 and capability in KEPT_CAPABILITIES:
            continue
        if _libc.prctl(_DROP_BOUNDING, capability, 0, 0, 0) < 0:
            break
