"""Process 1 inside: makes the view, starts the server, reaps, makes sockets on request, ends with the caller."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import struct
import time
from typing import Any, NoReturn

from kernel import die_with_parent, give_up_privileges
from view import overlaid, real

SETTLE = 0.25
"""Seconds that the other processes get to follow the server."""

FAMILIES = {b"4": socket.AF_INET, b"6": socket.AF_INET6}


def first(control: socket.socket, status: int, spec: dict[str, Any], cwd: str, sockets: list[int], told: Any) -> None:
    """Be process 1. Never returns.

    Args:
        control: to the caller; its end means ours.
        status: where the server's wait status goes.
        spec: what the caller asked for.
        cwd: where the server starts.
        sockets: descriptors to hand out.
        told: facts to tell with them.
    """
    die_with_parent()
    try:
        if spec["overlay"]:
            folders, made = overlaid(spec["top"], spec["hide"], spec["share"], spec["files"])
        else:
            folders, made = real(spec["top"], spec["files"])
    except OSError as error:
        control.send(json.dumps({"error": f"file system: {error}"}).encode())
        os._exit(70)
    socket.send_fds(control, [json.dumps({**told, **made}).encode()], folders + sockets)
    for descriptor in folders + sockets:
        os.close(descriptor)
    if not control.recv(16):  # the caller has taken its first look, or is gone
        os._exit(0)
    wake = _wake_at_ends()
    server = _start(control, spec["command"], cwd)
    _drop_streams()
    while True:
        ready, _, _ = select.select([control.fileno(), wake], [], [])
        if control.fileno() in ready:
            _hand_out(control)
        if wake in ready:
            os.read(wake, 512)
            code = _reap(server)
            if code is not None:
                _end(control, status, code, own_table=bool(made["proc"]))


def _wake_at_ends() -> int:
    """A descriptor that can be read when a child has ended.

    No other signal gets a handler: the kernel spares a process 1 without one whatever comes from inside.
    """
    wake, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return wake


def _start(control: socket.socket, command: list[str], cwd: str) -> int:
    """Start the server and tell its number, or why it cannot be started."""
    failed, write = os.pipe()  # closes when the program is there
    server = os.fork()
    if server == 0:
        try:
            _become(command, cwd)
        except OSError as error:
            name = cwd if error.filename == cwd else command[0]
            os.write(write, json.dumps({"failed": [error.errno, error.strerror, name]}).encode())
        finally:
            os._exit(127)
    os.close(write)
    with os.fdopen(failed, "rb") as file:
        control.send(file.read() or json.dumps({"pid": server}).encode())
    return server


def _become(command: list[str], cwd: str) -> NoReturn:
    os.setsid()
    for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGINT, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    give_up_privileges()
    os.chdir(cwd)
    os.execvpe(command[0], command, os.environ)


def _drop_streams() -> None:
    """The server's streams are its own: whoever reads them must see their end when it closes them."""
    null = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)


def _hand_out(control: socket.socket) -> None:
    asked = control.recv(64)
    if not asked:
        os._exit(0)  # the caller closed or died: the kernel ends the rest
    with socket.socket(FAMILIES[asked[:1]], socket.SOCK_STREAM) as made:
        socket.send_fds(control, [b"{}"], [made.fileno()])


def _reap(server: int) -> int | None:
    """Collect whoever has ended; the wait status of the server if it was among them."""
    found = None
    while True:
        try:
            number, code = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if number == 0:
            return found
        if number == server:
            found = code


def _end(control: socket.socket, status: int, code: int, *, own_table: bool) -> NoReturn:
    """Tell how the server ended and what it left running, and end that too."""
    until = time.monotonic() + SETTLE
    while own_table and _others() and time.monotonic() < until:
        _reap(0)
        time.sleep(0.01)
    left = {number: _name(number) for number in _others()} if own_table else {}
    with contextlib.suppress(OSError):
        control.send(json.dumps({"left": left}).encode())
    os.write(status, struct.pack("i", code))
    os._exit(0)


def _others() -> list[int]:
    """Numbers of the other processes that live."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1" and _state(name) not in "ZX"]


def _state(number: str) -> str:
    return _read(f"/proc/{number}/stat").rpartition(")")[2].strip()[:1] or "X"


def _name(number: int) -> str:
    return _read(f"/proc/{number}/comm").strip()


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
