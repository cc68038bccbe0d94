"""The answers to every lookup inside. A name says itself what it stands for, so that nothing needs to be prepared.

    LABEL.at-10-0-0-5.sealmark.example          the address 10.0.0.5
    LABEL.six-fd00--5.sealmark.example          the address fd00::5
    LABEL.public.sealmark.example               an address of the open internet
    LABEL.then3-127-0-0-1.sealmark.example      three times that address, then 127.0.0.1

The label keeps names of different probes apart. Answers may be kept for no time at all. Other names do not exist.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import struct
from dataclasses import dataclass, field
from typing import NamedTuple

ZONE = "sealmark.example"
PUBLIC = "93.184.216.34"
"""An address of the open internet; no packet to it leaves the box."""

TYPES = {1: "A", 28: "AAAA"}
MAX_NAMES = 10_000
"""Changing names that are counted; of more than these, each is asked for the first time for ever."""

_NO_SUCH_NAME = 3
_KIND = re.compile(r"at-(?P<at>\d+-\d+-\d+-\d+)|six-(?P<six>[0-9a-f-]+)|then(?P<count>\d)-(?P<then>\d+-\d+-\d+-\d+)")


class Lookup(NamedTuple):
    """One question and its answer; the answer is empty when there is none."""

    name: str
    type: str
    answer: str


@dataclass
class Names:
    """The name server of one pack: it remembers how often a changing name was asked for."""

    asked: dict[str, int] = field(default_factory=dict)

    def reply(self, query: bytes) -> tuple[bytes, Lookup] | None:
        """The reply to a query and what was asked; None for what is no query."""
        try:
            name, end = _name(query)
            (kind,) = struct.unpack_from("!H", query, end)
        except (IndexError, struct.error, UnicodeDecodeError):
            return None
        exists, address = self.answer(name, kind)
        flags = 0x8580 | (0 if exists else _NO_SUCH_NAME)
        head = query[:2] + struct.pack("!5H", flags, 1, 1 if address else 0, 0, 0)
        reply = head + query[12 : end + 4]
        if address:
            raw = socket.inet_pton(socket.AF_INET6 if ":" in address else socket.AF_INET, address)
            reply += struct.pack("!HHHIH", 0xC00C, kind, 1, 0, len(raw)) + raw
        return reply, Lookup(name, TYPES.get(kind, str(kind)), address)

    def answer(self, name: str, kind: int) -> tuple[bool, str]:
        """Whether there is such a name, and its address of that kind (1: A, 28: AAAA), or nothing."""
        labels = name.lower().rstrip(".").split(".")
        if ".".join(labels[-2:]) != ZONE or len(labels) < 3:
            return False, ""
        if labels[-3] == "public":
            return True, PUBLIC if kind == 1 else ""
        found = _KIND.fullmatch(labels[-3])
        if found is None:
            return False, ""
        if found["then"]:
            return True, self._changing(name.lower(), int(found["count"]), found["then"]) if kind == 1 else ""
        address = found["at"].replace("-", ".") if found["at"] else found["six"].replace("-", ":")
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError:
            return False, ""
        return True, str(parsed) if kind == (1 if parsed.version == 4 else 28) else ""

    def _changing(self, name: str, count: int, then: str) -> str:
        before = self.asked.get(name, 0)
        if name in self.asked or len(self.asked) < MAX_NAMES:
            self.asked[name] = before + 1
        return PUBLIC if before < count else then.replace("-", ".")


def _name(query: bytes) -> tuple[str, int]:
    """The name in question and where it ends.

    Raises:
        IndexError: the query ends before its name does.
        UnicodeDecodeError: a label is no ASCII.
    """
    labels: list[str] = []
    at = 12
    while length := query[at]:
        if length > 63 or len(labels) > 127:
            raise IndexError
        labels.append(query[at + 1 : at + 1 + length].decode("ascii"))
        at += length + 1
    return ".".join(labels), at + 1
