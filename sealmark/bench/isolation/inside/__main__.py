"""Start a program in namespaces whose network and file system belong to the caller. Linux, standard library only.

Run as `python -I -S inside CONTROL SPEC`, with a socket to the caller and a file that says what is wanted. This first
process only waits then, and dies the death that the program died, so that its parent reads it as usual. Signals that
end programs pass it by: whoever sends them sends them to the program too.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import struct
import sys
from typing import NoReturn

from kernel import call, enter_namespaces
from network import listeners, own_every_address
from process_one import first


def main() -> None:
    """Enter the namespaces, make the sockets, fork process 1, wait."""
    control, cwd = socket.socket(fileno=int(sys.argv[1])), os.getcwd()
    os.set_inheritable(control.fileno(), False)
    with os.fdopen(int(sys.argv[2])) as file:
        spec = json.load(file)
    step = "namespaces"
    try:
        enter_namespaces()
        step = "network"
        own_every_address(spec["address"])
        sockets, places = listeners(spec["listen"])
        call("sethostname", b"sealmark", 8)
    except OSError as error:
        control.send(json.dumps({"error": f"{step}: {error}"}).encode())
        sys.exit(70)
    read, write = os.pipe()
    number = os.fork()
    if number == 0:
        os.close(read)
        try:
            first(control, write, spec, cwd, sockets, {"listening": places})
        finally:
            os._exit(70)
    for descriptor in (write, *sockets):
        os.close(descriptor)
    control.close()
    wait(read, number)


def wait(read: int, number: int) -> NoReturn:
    """Wait for process 1, then end as the program ended; killed if nobody says how."""
    null = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(one, signal.SIG_IGN)
    told = os.read(read, 4)
    os.waitpid(number, 0)
    code = struct.unpack("i", told)[0] if len(told) == 4 else signal.SIGKILL
    if os.WIFSIGNALED(code):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        ending = os.WTERMSIG(code)
        if ending not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(ending, signal.SIG_DFL)
        os.kill(os.getpid(), ending)
    os._exit(os.WEXITSTATUS(code))


if __name__ == "__main__":
    main()
