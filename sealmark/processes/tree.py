"""Start, recognise and kill whole trees of processes.

A server may fork, call ``setsid``, scrub its environment and lose its parent; each of these breaks one way of
finding it again. So every tree carries four marks, and a process belongs to it if any of them fits:

- a random tag in the environment (``SEALMARK_RUN_TAG``), inherited unless it is scrubbed;
- the session and the process group of the first process;
- a chain of parents that leads to a process of the tree;
- a brand: the soft limit of POSIX message queues, set to a number of the tree's own. Limits are inherited through
  ``fork``, ``exec`` and ``setsid`` alike, and hardly any program uses these queues.

On Linux the harness is a subreaper while a tree is alive, so orphans become its children and can be reaped. Where
there is no ``/proc`` the process group is all that can be killed. Zombies do not count as alive.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import secrets
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import IO

import msgspec

from sealmark.processes.kernel import brand, subreaper, watch
from sealmark.processes.table import (
    DEAD,
    TAG_PREFIX,
    TAG_VARIABLE,
    ProcessFacts,
    Stat,
    brand_of,
    every_process,
    group_exists,
    one_process,
    tag_of,
)

_SETTLE = 0.25  # seconds that the rest of a tree gets to follow its first process


class Grace(msgspec.Struct, frozen=True):
    """Seconds that a tree gets to end after its input closed, after SIGTERM and after SIGKILL."""

    eof: float = 1.0
    term: float = 1.0
    kill: float = 1.5


class Ended(msgspec.Struct, frozen=True):
    """How a tree came to its end.

    Attributes:
        exit_code: of the first process; negative for a signal, None if it could not be ended.
        signal: the name of the strongest signal that the first process needed, empty for none.
        graces: the stages that were needed, out of ``eof``, ``term``, ``kill``, in this order.
        leftover: what still ran after the first process had ended.
        survivors: what still ran after everything had been tried.
    """

    exit_code: int | None
    signal: str = ""
    graces: tuple[str, ...] = ()
    leftover: tuple[ProcessFacts, ...] = ()
    survivors: tuple[ProcessFacts, ...] = ()


class Process:
    """The first process of a tree, started by `start`; `stop` ends the whole tree.

    Attributes:
        pid: number of the first process.
        tag: the random tag that its environment carries.
        stdin, stdout, stderr: the parent's ends of the pipes, None where no pipe was asked for. `stop` closes
            them; whoever takes a pipe over sets the attribute to None.
    """

    def __init__(self, popen: subprocess.Popen[bytes], tag: str) -> None:
        self.pid = popen.pid
        self.tag = tag
        self.stdin: IO[bytes] | None = popen.stdin
        self.stdout: IO[bytes] | None = popen.stdout
        self.stderr: IO[bytes] | None = popen.stderr
        self._popen = popen
        self._brand: int = brand(self.pid, {tree._brand for tree in _trees()})
        self._known: set[tuple[int, int]] = set()
        first = one_process(self.pid)
        self._started = first.started if first else 0
        self._ended = asyncio.get_running_loop().create_future()
        self._unwatch = watch(popen, self._ended)

    @property
    def exit_code(self) -> int | None:
        """The exit code of the first process, negative for a signal, None while it runs."""
        return self._popen.poll()

    async def wait(self) -> int:
        """Wait for the first process (not for its pipes) and return its exit code."""
        return int(await asyncio.shield(self._ended))

    def living(self) -> list[ProcessFacts]:
        """Every live process of the tree, the first one included, by number."""
        return sorted(stat.facts() for stat in self._members())

    async def stop(
        self,
        grace: Grace | None = None,
        close_input: Callable[[], None] | None = None,
        tell: Callable[[str], None] = lambda stage: None,
    ) -> Ended:
        """End the whole tree: close its input, wait, SIGTERM, wait, SIGKILL, reap.

        Args:
            grace: seconds for each stage.
            close_input: closes the parent's end of stdin; by default the pipe of this object, if any.
            tell: is called with each stage as it begins: ``eof``, ``term``, ``kill``.
        """
        grace = grace or Grace()
        used: list[str] = []
        strongest = ""
        leftover: tuple[ProcessFacts, ...] = ()
        if self.exit_code is None:
            used.append("eof")
            tell("eof")
            (close_input or self._close_input)()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.wait(), grace.eof)
        gone = await self._gone(_SETTLE if self.exit_code is not None else 0)
        stages = (("term", signal.SIGTERM, grace.term), ("kill", signal.SIGKILL, grace.kill))
        for stage, signum, seconds in stages:
            if gone:
                break
            if self.exit_code is not None and not leftover:
                leftover = tuple(facts for facts in self.living() if facts.pid != self.pid)
            used.append(stage)
            tell(stage)
            strongest = signum.name if self.exit_code is None else strongest
            gone = await self._gone(seconds, signum)
        survivors = () if gone else tuple(self.living())
        for pipe in (self.stdin, self.stdout, self.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self.release(gone)
        return Ended(self.exit_code, strongest, tuple(used), leftover, survivors)

    def signal_all(self, signum: int) -> bool:
        """Send a signal to every live process of the tree; False if there was none."""
        members = self._members()
        if self.exit_code is None or any(stat.group == self.pid for stat in members):
            with contextlib.suppress(OSError):
                os.killpg(self.pid, signum)
        for stat in members:
            if stat.group != self.pid:
                with contextlib.suppress(OSError):
                    os.kill(stat.pid, signum)
        return bool(members)

    def release(self, gone: bool = False) -> None:
        """Reap what has died and forget the tree if nothing of it lives, or if it is known to be ``gone``."""
        self._reap()
        if gone or (self.exit_code is not None and not self._members()):
            self._unwatch()
            _forget(self)

    async def _gone(self, seconds: float, signum: int | None = None) -> bool:
        """Wait until nothing of the tree lives; False if something does after the time.

        SIGKILL is repeated for what was forked meanwhile.
        """
        deadline = time.monotonic() + seconds
        pause = 0.005
        if signum is not None:
            self.signal_all(signum)
        while self._members() or self.exit_code is None:
            if time.monotonic() >= deadline:
                return False
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, 0.05)
            if signum == signal.SIGKILL:
                self.signal_all(signum)
        self._reap()
        return True

    def _close_input(self) -> None:
        if self.stdin is not None:
            with contextlib.suppress(OSError):
                self.stdin.close()

    def _members(self) -> list[Stat]:
        """List the live processes of the tree; remembers all it saw, so that orphans can be reaped later."""
        table = every_process()
        if not table:
            self._reap()
            first_only = Stat(self.pid, "", "?", 0, self.pid, self.pid, 0)
            return [first_only] if self.exit_code is None or group_exists(self.pid) else []
        first = table.get(self.pid)
        reused = first is not None and first.started != self._started
        table.pop(os.getpid(), None)
        young = {pid: stat for pid, stat in table.items() if stat.started >= self._started}
        found = {pid for pid, stat in young.items() if self._marked(stat, reused)}
        while True:
            more = {pid for pid, stat in young.items() if stat.parent in found} - found
            if not more:
                break
            found |= more
        self._known |= {(pid, young[pid].started) for pid in found}
        return [young[pid] for pid in found if young[pid].state not in DEAD]

    def _marked(self, stat: Stat, reused: bool) -> bool:
        """Tell whether a process carries a mark of this tree; ``reused``: the first pid is a stranger's now."""
        if not reused and self.pid in (stat.pid, stat.group, stat.session):
            return True
        if (stat.pid, stat.started) in self._known:
            return True
        tag = tag_of(stat.pid)
        return tag == self.tag or (not tag and self._brand > 0 and brand_of(stat.pid) == self._brand)

    def _reap(self) -> None:
        """Collect the dead of the tree that this process has adopted. Never touches another's children."""
        if self.exit_code is not None:
            with contextlib.suppress(ChildProcessError):  # adopted members of the group, until there are no more
                while os.waitpid(-self.pid, os.WNOHANG)[0]:
                    pass
        for pid, started in list(self._known):
            stat = one_process(pid)
            if stat is None or stat.started != started:
                self._known.discard((pid, started))
            elif pid != self.pid and stat.state in DEAD and stat.parent == os.getpid():
                with contextlib.suppress(OSError):
                    os.waitpid(pid, os.WNOHANG)


_registry: set[Process] = set()
_owner = 0  # the process to which the registry belongs: a fork inherits the memory, not the trees
_lock = threading.RLock()
_was_subreaper: bool | None = None


async def start(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: str | os.PathLike[str] | None = None,
    stdin: int = subprocess.PIPE,
    stdout: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
    pass_fds: Sequence[int] = (),
    kind: type[Process] = Process,
) -> Process:
    """Start a tree, with a session and a random tag of its own, and remember it until it has been ended.

    Args:
        argv: the command and its arguments; the command is looked up on the PATH of ``env``.
        env: the whole environment; the tag is added to it.
        cwd: the directory to start in.
        stdin: where standard input comes from, as for ``subprocess.Popen``.
        stdout: where standard output goes.
        stderr: where standard error goes.
        pass_fds: descriptors that the first process inherits.
        kind: what to make of it.

    Raises:
        OSError: the command or the directory does not exist or cannot be used.
    """
    tag = TAG_PREFIX + secrets.token_hex(16)
    with _lock:
        _adopt()
        try:
            popen = subprocess.Popen(
                list(argv),
                env={**env, TAG_VARIABLE: tag},
                cwd=cwd,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
                bufsize=0,
                pass_fds=pass_fds,
            )
        except BaseException:
            _disown()
            raise
        process = kind(popen, tag)
        _registry.add(process)
    return process


def living(tag: str) -> list[ProcessFacts]:
    """List every live process of the tree with this tag, by number; works after the tree was forgotten, too."""
    found = {facts for process in _trees() if process.tag == tag for facts in process.living()}
    found |= {stat.facts() for stat in every_process().values() if stat.state not in DEAD and tag_of(stat.pid) == tag}
    return sorted(found)


def shutdown_all(seconds: float = 3.0) -> list[ProcessFacts]:
    """Kill and reap every tree that was started here and still lives; blocks, needs no event loop.

    The last resort of signal handlers and of the interpreter's exit. Returns what could not be killed.
    """
    trees = _trees()
    deadline = time.monotonic() + seconds
    while [tree for tree in trees if tree.signal_all(signal.SIGKILL) or tree.exit_code is None]:
        if time.monotonic() >= deadline:
            break
        time.sleep(0.01)
    for tree in trees:
        tree.release()
    return sorted({facts for tree in trees for facts in tree.living()})


def _trees() -> list[Process]:
    with _lock:
        return list(_registry) if _owner == os.getpid() else []


def _adopt() -> None:
    """Prepare for one more tree: own the registry, become a subreaper."""
    global _owner, _was_subreaper
    if _owner != os.getpid():
        if _owner == 0:
            atexit.register(shutdown_all)
        _registry.clear()
        _owner, _was_subreaper = os.getpid(), None
    if _was_subreaper is None:
        _was_subreaper = subreaper(True)


def _disown() -> None:
    """Stop being a subreaper once no tree is left: the orphans of others are not ours to keep."""
    global _was_subreaper
    if not _registry and _was_subreaper is not None:
        if not _was_subreaper:
            subreaper(False)
        _was_subreaper = None


def _forget(process: Process) -> None:
    with _lock:
        _registry.discard(process)
        _disown()
