"""Where a port of this machine is bound, read from the kernel's table of sockets."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sealmark.bench.part import Part

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
LISTEN = "0A"


class Bound(Part):
    """Tells to whom a port listens: `loopback`, `everywhere`, or `another address`.

    Args:
        port: of the URL.
    """

    watches = frozenset({"bind"})

    def __init__(self, port: int) -> None:
        self._port = port

    def look(self, pack: str, what: str) -> dict[str, Any]:
        """The kinds of addresses, each once; none where the table cannot be read."""
        return {"reach": sorted({_reach(address) for address in _listening(self._port)})}


def _listening(port: int) -> Iterator[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    for table in TABLES:
        try:
            lines = table.read_text("ascii").splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            local, _, state = line.split()[1:4]
            address, _, number = local.partition(":")
            if state == LISTEN and int(number, 16) == port:
                yield _address(address)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """An address as the kernel writes it: words of 32 bits, each in the order of the machine."""
    data = b"".join(bytes.fromhex(text[at : at + 8])[::-1] for at in range(0, len(text), 8))
    return ipaddress.IPv4Address(data) if len(data) == 4 else ipaddress.IPv6Address(data)


def _reach(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> str:
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    found = mapped or address
    if found.is_unspecified:
        return "everywhere"
    return "loopback" if found.is_loopback else "another address"
