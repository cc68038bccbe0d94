"""Where the listener listens: sockets are opened here and handed in, so that another network can own them."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable

from sealmark.errors import HarnessError

Sockets = Callable[[], tuple[socket.socket, ...]]
"""Opens the sockets of one site: they listen, on one port, the first of them on IPv4."""

TRIES = 20
"""Ports that are tried until one is free on both protocols."""

_ABSENT = frozenset([errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL, errno.EPROTONOSUPPORT, errno.ENETUNREACH])
"""What the system says when it has no IPv6."""


def loopback_sockets() -> tuple[socket.socket, ...]:
    """Sockets that listen on 127.0.0.1 and, where the machine has it, on ::1, at the same port.

    Raises:
        HarnessError: no port could be opened.
    """
    reason = "no port is free on both protocols"
    for _ in range(TRIES):
        try:
            first = _open(socket.AF_INET, "127.0.0.1", 0)
        except OSError as error:
            reason = error.strerror or str(error)
            break
        try:
            return (first, _open(socket.AF_INET6, "::1", first.getsockname()[1]))
        except OSError as error:
            if error.errno in _ABSENT:
                return (first,)
            first.close()
    raise HarnessError(
        f"no listener could be opened on loopback: {reason}",
        hint="Allow listening on 127.0.0.1, or leave out the packs net, effects and inject (--pack).",
    )


def _open(family: socket.AddressFamily, host: str, port: int) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind((host, port))
        made.listen(64)
    except OSError:
        made.close()
        raise
    return made
