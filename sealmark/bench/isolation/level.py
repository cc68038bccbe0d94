"""How much isolation there is on this machine: found by trying, never by guessing from version numbers."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from sealmark.bench.isolation.box import NoBox, Wanted, run_boxed
from sealmark.bench.isolation.world import PLACES

Name = Literal["none", "network", "full"]
ORDER: tuple[str, ...] = ("none", "network", "full")

TRIED: tuple[tuple[Name, bool], ...] = (("full", True), ("network", False))
"""Levels, the best first, and whether each overlays the file system."""

SETTINGS = (
    ("/proc/sys/user/max_user_namespaces", "0", "sysctl user.max_user_namespaces is 0"),
    ("/proc/sys/user/max_net_namespaces", "0", "sysctl user.max_net_namespaces is 0"),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone is 0"),
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "AppArmor keeps capabilities from user namespaces "
        "(sysctl kernel.apparmor_restrict_unprivileged_userns is 1; a profile for the interpreter, or root, helps)",
    ),
)
"""What switches namespaces off: where it is read, the value that does, and how it is told."""


class Level(NamedTuple):
    """What can be had, and why no more than that; `own_table`: whether boxes have a process table of their own."""

    name: Name
    reason: str = ""
    own_table: bool = False

    def allows(self, wanted: str) -> bool:
        """Whether it is at least `wanted`."""
        return ORDER.index(self.name) >= ORDER.index(wanted)


@cache
def level() -> Level:
    """What this machine can do, tried once in a process; takes about a tenth of a second."""
    if sys.platform != "linux":
        return Level("none", "it needs namespaces, which only Linux has")
    reasons: list[str] = []
    for name, overlay in TRIED:
        try:
            code, own_table = run_boxed(["/bin/true"], Wanted(listen=PLACES, overlay=overlay))
        except (OSError, NoBox) as error:
            reasons.append(f"{name}: {error.message if isinstance(error, NoBox) else error}")
            continue
        if code == 0:
            return Level(name, "; ".join(reasons), own_table)
        reasons.append(f"{name}: a program in a box ended with {code}")
    return Level("none", "; ".join([*dict.fromkeys(reasons), *_settings()]))


def _settings() -> list[str]:
    found = [says for path, value, says in SETTINGS if _read(path).strip() == value]
    if "Seccomp:\t2" in _read("/proc/self/status"):
        found.append("a system call filter is on, as in a container: allow unshare and mount, or run outside of it")
    return found


def _read(path: str) -> str:
    try:
        return Path(path).read_text("utf-8", "replace")
    except OSError:
        return ""
