"""Packets on the loopback of a box: who was tried, also where nobody listens."""

from __future__ import annotations

import socket
import struct
from typing import NamedTuple

HEAD = 80
"""Bytes of a packet that are enough to tell."""

OUTGOING = 4
"""The kernel's number for a packet on its way out; on loopback each is seen coming in, too."""

DNS = 53
_TCP, _UDP = 6, 17
_SYN, _ACK = 0x02, 0x10


class Tried(NamedTuple):
    """An attempt: the protocol, the address and the port that were aimed at."""

    protocol: str
    address: str
    port: int


def tried(packet: bytes) -> Tried | None:
    """The attempt that a packet is: the first of a TCP connection, or any UDP packet that is no lookup."""
    if len(packet) < 28:
        return None
    if packet[0] >> 4 == 4:
        protocol, address = packet[9], socket.inet_ntop(socket.AF_INET, packet[16:20])
        rest = packet[(packet[0] & 15) * 4 :]
    elif packet[0] >> 4 == 6 and len(packet) >= 48:
        protocol, address = packet[6], socket.inet_ntop(socket.AF_INET6, packet[24:40])
        rest = packet[40:]
    else:
        return None
    if len(rest) < 4:
        return None
    source, port = struct.unpack_from("!HH", rest)
    if protocol == _TCP and len(rest) > 13 and rest[13] & (_SYN | _ACK) == _SYN and port != DNS:
        return Tried("tcp", address, port)
    if protocol == _UDP and DNS not in (source, port):
        return Tried("udp", address, port)
    return None
