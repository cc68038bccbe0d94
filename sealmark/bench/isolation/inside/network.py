"""A network of one interface, on which every address is local, and the sockets that are handed out of it."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import struct

_SET_FLAGS, _SET_ADDRESS = 0x8914, 0x8916
_UP_RUNNING_LOOPBACK = 0x49
_NEW_ROUTE, _REQUEST_ACK_CREATE_REPLACE = 24, 0x605
_TABLE_LOCAL, _STATIC, _SCOPE_HOST, _TYPE_LOCAL = 255, 4, 254, 2
_OUT_INTERFACE, _PREFERRED_SOURCE = 4, 7
_ALL_PROTOCOLS = 3

SEND_BUFFER = 128 * 1024
"""Bytes that the system may hold back for a visitor, so that what counts as taken was taken."""


def own_every_address(address: str) -> None:
    """Bring loopback up with one ordinary address beside it, and make every other address local too.

    Without the ordinary address some resolvers would not ask for IPv4 at all.

    Raises:
        OSError: the kernel refuses.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, _SET_FLAGS, struct.pack("16sH14x", b"lo", _UP_RUNNING_LOOPBACK))
        raw = socket.inet_aton(address)
        fcntl.ioctl(control, _SET_ADDRESS, struct.pack("16sHH4s8x", b"lo:1", socket.AF_INET, 0, raw))
    loopback = socket.if_nametoindex("lo")
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as control:
        for family in (socket.AF_INET, socket.AF_INET6):
            error = _local_default_route(control, family, loopback, socket.inet_aton(address))
            if error and family == socket.AF_INET:
                raise OSError(error, os.strerror(error), "local default route")


def _local_default_route(control: socket.socket, family: int, interface: int, source: bytes) -> int:
    """Ask for the route `local default dev lo`; returns the kernel's error number."""
    message = struct.pack("8BI", family, 0, 0, 0, _TABLE_LOCAL, _STATIC, _SCOPE_HOST, _TYPE_LOCAL, 0)
    message += struct.pack("HHI", 8, _OUT_INTERFACE, interface)
    if family == socket.AF_INET:
        message += struct.pack("HH4s", 8, _PREFERRED_SOURCE, source)
    head = struct.pack("IHHII", 16 + len(message), _NEW_ROUTE, _REQUEST_ACK_CREATE_REPLACE, 1, 0)
    control.send(head + message)
    error: int = struct.unpack_from("i", control.recv(4096), 16)[0]
    return -error


def listener(kind: str, host: str, port: int) -> socket.socket:
    """A socket to hand out: `tcp` listens, `udp` tells which address was asked, `packet` sees every packet.

    Raises:
        OSError: the address is taken, or the machine lacks the protocol.
    """
    if kind == "packet":
        seen = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)  # with a protocol here, bind would wait 10 ms
        seen.bind(("lo", _ALL_PROTOCOLS))
        return seen
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM if kind == "tcp" else socket.SOCK_DGRAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    if kind == "udp":
        made.setsockopt(socket.IPPROTO_IP, 8, 1)  # IP_PKTINFO
    made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
    made.bind((host, port))
    if kind == "tcp":
        made.listen(128)
    return made


def listeners(wanted: list[list[object]]) -> tuple[list[int], list[int]]:
    """Every listener that can be had: their descriptors, and which of those wanted they are.

    What needs IPv6 is left out where the machine has none.
    """
    made, places = [], []
    for place, (kind, host, port) in enumerate(wanted):
        try:
            made.append(listener(str(kind), str(host), int(str(port))).detach())
        except OSError as error:
            if ":" in str(host) and error.errno in (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL):
                continue
            raise
        places.append(place)
    return made, places
