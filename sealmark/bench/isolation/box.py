"""The caller's half of a box: how it is started, and what is held of it while it lives and after."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from sealmark.bench.isolation.changes import Change, View, baseline
from sealmark.errors import HarnessError
from sealmark.processes import Ended, Grace, Process, ProcessFacts, start

INSIDE = Path(__file__).with_name("inside")
"""The launcher: a folder that the interpreter runs. It imports nothing of this package."""

PATIENCE = 15
"""Seconds that a box gets to be made."""

ADDRESS = "10.77.0.2"
"""The one ordinary address inside, beside loopback."""

RESOLVER = "10.77.0.53"

FILES: Mapping[str, str] = {
    "/etc/resolv.conf": f"nameserver {RESOLVER}\noptions timeout:1 attempts:1\n",
    "/etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}
"""What makes every lookup ask the harness."""

Place = tuple[str, str, int]
"""A socket to be made inside: kind (tcp, udp, packet), address, port."""


class NoBox(HarnessError):
    """A box cannot be had; the text says why."""


class Wanted(msgspec.Struct, frozen=True):
    """What a box is to be.

    Attributes:
        share: directories that are the real ones inside.
        listen: sockets to be made inside and handed out.
        overlay: whether the file system is overlaid; else it is the real one.
        hide: directories that are empty inside.
        files: text files that are replaced.
    """

    share: tuple[str, ...] = ()
    listen: tuple[Place, ...] = ()
    overlay: bool = True
    hide: tuple[str, ...] = ("/run",)
    files: Mapping[str, str] = msgspec.field(default_factory=lambda: dict(FILES))


class Held(msgspec.Struct, eq=False):
    """What the caller holds of a box: sockets by place, the view of its file system, its process table."""

    sockets: dict[Place, socket.socket]
    view: View
    table: int
    own_table: bool

    def names(self) -> dict[int, str]:
        """Number (as inside) and name of every process, the first one aside. Needs a process table of its own."""
        found = {}
        for number in os.listdir(self.table) if self.own_table else ():
            if number.isdigit() and number != "1":
                with contextlib.suppress(OSError):
                    file = os.open(f"{number}/comm", os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.table)
                    with os.fdopen(file, "rb") as opened:
                        found[int(number)] = opened.read().decode("utf-8", "backslashreplace").strip()
        return found

    def looked(self) -> list[Change]:
        """Every difference between what the program sees and what the disk holds."""
        return self.view.look()

    def release(self) -> None:
        """Let go of everything."""
        for one in self.sockets.values():
            one.close()
        self.view.close()
        if self.table >= 0:
            os.close(self.table)
            self.table = -1


class Boxed(Process):
    """The first process of a program in a box: for whoever reads its pipes and ends it, a process like any other.

    Attributes:
        held: what the caller holds of the box.
        end: takes it when the process has been stopped, and releases it.
    """

    held: Held | None = None
    end: Callable[[Held], None] | None = None
    control: socket.socket | None = None

    async def connect(self, host: str, port: int) -> socket.socket:
        """A socket of the box's network, connected.

        Raises:
            OSError: nobody listens there, or the box has ended.
        """
        if self.control is None:
            raise OSError(errno.ENOTCONN, "the box has ended")
        made = await asyncio.to_thread(_socket_of, self.control, host)
        made.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(made, (host, port))
        except BaseException:
            made.close()
            raise
        return made

    def living(self) -> list[ProcessFacts]:
        """Every live process inside, with the numbers that it has there; the launcher and process 1 aside."""
        if self.held is None or not self.held.own_table:
            return [facts for facts in super().living() if self.pid not in (facts.pid, facts.parent)]
        with contextlib.suppress(OSError):
            return [ProcessFacts(number, name) for number, name in sorted(self.held.names().items())]
        return []

    async def stop(self, grace: Grace | None = None, close_input: Any = None, tell: Any = lambda stage: None) -> Ended:
        """End it as any process; what the program left running when it ended was told by process 1."""
        ended = await super().stop(grace, close_input, tell)
        control, self.control = self.control, None
        held, self.held = self.held, None
        if control is None or held is None:
            return ended
        with control:
            left = _left(control)
        await asyncio.to_thread(self.end or Held.release, held)
        return msgspec.structs.replace(ended, leftover=left or ended.leftover)


async def start_boxed(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: str,
    wanted: Wanted,
    serve: Callable[[Held], None] = lambda held: None,
    end: Callable[[Held], None] = Held.release,
) -> Boxed:
    """Start a program in a box of its own; `serve` takes the box before the program begins, `end` when all is over.

    Raises:
        OSError: the program or the directory does not exist or cannot be used, as without a box.
        NoBox: the kernel, or what guards it, refuses the box.
    """
    with _asked(argv, wanted) as (mine, theirs, spec):
        try:
            process = await start(command(theirs, spec), env=env, cwd=cwd, pass_fds=(theirs, spec), kind=Boxed)
        finally:
            os.close(theirs)
        assert isinstance(process, Boxed)
        try:
            process.held = await asyncio.to_thread(meet, mine, wanted)
            await asyncio.to_thread(serve, process.held)
            await asyncio.to_thread(go, mine)
        except BaseException as error:
            held, process.held = process.held, None
            said = await _ended_early(process)
            if held is not None:
                await asyncio.to_thread(end, held)
            if isinstance(error, NoBox) and said:
                raise NoBox(f"{error.message}: {said}", hint=error.hint) from None
            raise
        process.control, process.end = mine.dup(), end
    return process


def run_boxed(argv: Sequence[str], wanted: Wanted) -> tuple[int, bool]:
    """Run a short program in a box and wait for it: its exit code, and whether it had a process table of its own.

    Raises:
        NoBox: the box cannot be had.
        OSError: the program cannot be started.
    """
    with _asked(argv, wanted) as (mine, theirs, spec):
        null = subprocess.DEVNULL
        process = subprocess.Popen(
            command(theirs, spec), env={}, pass_fds=(theirs, spec), stdin=null, stdout=null, stderr=null
        )
        os.close(theirs)
        try:
            held = meet(mine, wanted)
            try:
                go(mine)
                return process.wait(PATIENCE), held.own_table
            finally:
                held.release()
        except subprocess.TimeoutExpired:
            raise NoBox("a program in the box did not end") from None
        finally:
            process.kill()
            process.wait()


def command(control: int, spec: int) -> list[str]:
    """The launcher's command line."""
    return [sys.executable, "-I", "-S", str(INSIDE), str(control), str(spec)]


@contextlib.contextmanager
def _asked(argv: Sequence[str], wanted: Wanted) -> Iterator[tuple[socket.socket, int, int]]:
    """A socket to the launcher, its other end, and a file that says what is wanted.

    The other end is closed by whoever has started the launcher; an empty directory stands there meanwhile, over which
    the box mounts what is its own.
    """
    mine, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    theirs = other.detach()
    top = tempfile.mkdtemp(prefix="sealmark-box-")
    spec = os.memfd_create("spec")
    try:
        asked = {"command": list(argv), "top": top, "address": ADDRESS, **msgspec.to_builtins(wanted)}
        os.write(spec, json.dumps(asked).encode())
        os.lseek(spec, 0, os.SEEK_SET)
        mine.settimeout(PATIENCE)
        yield mine, theirs, spec
    finally:
        mine.close()
        os.close(spec)
        os.rmdir(top)


def meet(control: socket.socket, wanted: Wanted) -> Held:
    """Take what process 1 hands out. Blocks.

    Raises:
        NoBox: there is no box, and why.
    """
    told, descriptors = _message(control)
    tree, table, *sockets = descriptors
    places = [wanted.listen[number] for number in told["listening"]]
    view = View(tree, tuple(told["ups"]), tuple(told["plain"]), wanted.hide, wanted.share)
    held = Held(
        {place: socket.socket(fileno=one) for place, one in zip(places, sockets, strict=True)},
        view,
        table,
        bool(told["proc"]),
    )
    baseline(view)
    return held


def go(control: socket.socket) -> None:
    """Let the program begin. Blocks until it has.

    Raises:
        OSError: it cannot be started.
        NoBox: process 1 has ended.
    """
    control.send(b"go")
    told, _ = _message(control)
    if "failed" in told:
        number, text, name = told["failed"]
        raise OSError(number, text, name)


def _message(control: socket.socket) -> tuple[dict[str, Any], list[int]]:
    try:
        data, descriptors, _, _ = socket.recv_fds(control, 1 << 18, 250)
    except OSError as error:
        raise NoBox(f"the launcher of the box does not answer ({error})") from None
    if not data:
        raise NoBox("the launcher of the box has ended")
    told = json.loads(data)
    if "error" in told:
        raise NoBox(told["error"])
    return told, descriptors


def _socket_of(control: socket.socket, host: str) -> socket.socket:
    control.send(b"6" if ":" in host else b"4")
    _, descriptors = _message(control)
    return socket.socket(fileno=descriptors[0])


def _left(control: socket.socket) -> tuple[ProcessFacts, ...]:
    """What process 1 told when the program had ended."""
    control.setblocking(False)
    try:
        told = json.loads(control.recv(1 << 18) or b"{}")
    except (OSError, ValueError):
        return ()
    return tuple(ProcessFacts(int(number), name) for number, name in sorted(told.get("left", {}).items()))


async def _ended_early(process: Process) -> str:
    """End a launcher that failed; the end of what it said."""
    stderr, process.stderr = process.stderr, None
    await process.stop(Grace(eof=0, term=0, kill=3))
    if stderr is None:
        return ""
    with stderr:
        os.set_blocking(stderr.fileno(), False)
        return (stderr.read() or b"").decode("utf-8", "backslashreplace").strip()[-300:]
