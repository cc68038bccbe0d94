"""What the index of a git repository says is staged, read without running git on what a server may have prepared."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

MAX_ENTRIES = 20_000
_FIXED = 62
"""Bytes of an entry before its path: times, device, inode, mode, owner, size, id and flags."""


def entries(content: bytes) -> Mapping[str, str]:
    """Path -> mode, id and stage of everything that is staged. Times and inodes, which reading renews, do not count.

    An index in a format that is not known here gives one entry with the digest of the whole.
    """
    version = int.from_bytes(content[4:8], "big")
    if content[:4] != b"DIRC" or version not in (2, 3):
        return {"": hashlib.sha256(content).hexdigest()} if content else {}
    found: dict[str, str] = {}
    at = 12
    for _ in range(min(int.from_bytes(content[8:12], "big"), MAX_ENTRIES)):
        flags = int.from_bytes(content[at + 60 : at + 62], "big")
        start = at + _FIXED + (2 if flags & 0x4000 else 0)
        end = content.find(b"\0", start)
        if end < 0:
            break
        path = content[start:end].decode("utf-8", "backslashreplace")
        mode, identity = content[at + 24 : at + 28].hex(), content[at + 40 : at + 60].hex()
        stage = flags >> 12 & 3
        found[f"{path}#{stage}" if stage else path] = f"{mode} {identity}"
        at += (end - at) // 8 * 8 + 8
    return found
