"""What the kernel tells of the processes of this machine. Empty where there is no ``/proc``."""

from __future__ import annotations

import os

import msgspec

TAG_VARIABLE = "SEALMARK_RUN_TAG"
TAG_PREFIX = "sealmark-run-"
"""Beginning of every tag, by which `sealmark.record.marks` knows one that a server repeats."""
DEAD = frozenset("ZXx")
PROC = "/proc"


class ProcessFacts(msgspec.Struct, frozen=True, order=True):
    """One live process.

    Attributes:
        pid: its number; only together with ``started`` does it identify the process.
        name: what the kernel calls it; chosen by the process, hence hostile text.
        parent: the number of its parent.
        started: clock ticks from boot to its start.
    """

    pid: int
    name: str
    parent: int = 0
    started: int = 0


class Stat(msgspec.Struct, frozen=True):
    """One line of the process table, dead processes included; ``state`` is the kernel's letter."""

    pid: int
    name: str
    state: str
    parent: int
    group: int
    session: int
    started: int

    def facts(self) -> ProcessFacts:
        """Return what is public of it."""
        return ProcessFacts(self.pid, self.name, self.parent, self.started)


def every_process() -> dict[int, Stat]:
    """Read the facts of every process, zombies included; nothing where there is no ``/proc``."""
    try:
        numbers = os.listdir(PROC)
    except OSError:
        return {}
    stats = (one_process(int(number)) for number in numbers if number.isdigit())
    return {stat.pid: stat for stat in stats if stat is not None}


def one_process(pid: int) -> Stat | None:
    """Read the facts of one process, None if there is no such process."""
    head, _, rest = _read(pid, "stat").rpartition(b")")
    fields = rest.split()
    if len(fields) < 20:
        return None
    name = head.partition(b"(")[2].decode("utf-8", "replace")
    return Stat(pid, name, fields[0].decode(), *(int(fields[i]) for i in (1, 2, 3, 19)))


def group_exists(group: int) -> bool:
    """Tell whether a process group has members, as far as this can be known without a process table."""
    try:
        os.killpg(group, 0)
    except OSError:
        return False
    return True


def tag_of(pid: int) -> str:
    """Read the tag in the environment with which a process was started, empty if there is none to be seen."""
    prefix = TAG_VARIABLE.encode() + b"="
    for variable in _read(pid, "environ").split(b"\0"):
        if variable.startswith(prefix):
            return variable[len(prefix) :].decode("utf-8", "replace")
    return ""


def brand_of(pid: int) -> int:
    """Read the soft limit of message queues of a process in bytes, 0 if it cannot be read."""
    for line in _read(pid, "limits").splitlines():
        if line.startswith(b"Max msgqueue size"):
            soft = line.split()[3]
            return int(soft) if soft.isdigit() else 0
    return 0


def _read(pid: int, what: str) -> bytes:
    try:
        descriptor = os.open(f"{PROC}/{pid}/{what}", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        parts = []
        while part := os.read(descriptor, 1 << 16):
            parts.append(part)
        return b"".join(parts)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
