"""What is asked of the kernel for a tree of processes: adoption of orphans, news of an end, a brand."""

from __future__ import annotations

import asyncio
import ctypes
import os
import resource
import secrets
import subprocess
import sys
from collections.abc import Callable, Set

_BRANDS = 50_000
_PR_SET_CHILD_SUBREAPER, _PR_GET_CHILD_SUBREAPER = 36, 37


def subreaper(on: bool) -> bool:
    """Become, or cease to be, the one that adopts orphaned descendants; returns what it was before."""
    if not sys.platform.startswith("linux"):
        return True
    try:
        prctl = ctypes.CDLL(None).prctl
        before = ctypes.c_int(0)
        prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(before), 0, 0, 0)
        prctl(_PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0)
    except (OSError, AttributeError):
        return True
    return bool(before.value)


def watch(popen: subprocess.Popen[bytes], ended: asyncio.Future[int]) -> Callable[[], None]:
    """Resolve ``ended`` with the exit code once the process has ended; returns what stops the watch."""
    loop = asyncio.get_running_loop()
    done = False

    def resolve() -> bool:
        code = popen.poll()
        if code is not None and not ended.done():
            ended.set_result(code)
        return code is not None

    def poll() -> None:
        if not resolve():
            loop.call_later(0.02, poll)

    try:
        descriptor = os.pidfd_open(popen.pid)
    except (OSError, AttributeError):
        poll()
        return lambda: None

    def stop() -> None:
        nonlocal done
        if not done and not _runs_elsewhere(loop):  # there the loop itself is about to see the end
            done = True
            if not loop.is_closed():
                loop.remove_reader(descriptor)
            os.close(descriptor)

    def readable() -> None:
        if resolve():
            stop()

    loop.add_reader(descriptor, readable)
    return stop


def _runs_elsewhere(loop: asyncio.AbstractEventLoop) -> bool:
    """Tell whether a loop runs in another thread, so that its readers must not be touched from here."""
    try:
        return loop.is_running() and asyncio.get_running_loop() is not loop
    except RuntimeError:
        return loop.is_running()


def brand(pid: int, taken: Set[int]) -> int:
    """Give a new process a soft limit that is not taken; returns it, or 0 where that is impossible."""
    if not sys.platform.startswith("linux"):
        return 0
    soft, hard = resource.getrlimit(resource.RLIMIT_MSGQUEUE)
    top = 20 * _BRANDS if hard == resource.RLIM_INFINITY else hard
    if top <= _BRANDS:
        return 0
    mine = soft
    while mine == soft or mine in taken:
        mine = top - 1 - secrets.randbelow(_BRANDS)
    try:
        resource.prlimit(pid, resource.RLIMIT_MSGQUEUE, (mine, hard))
    except OSError:
        return 0
    return mine
