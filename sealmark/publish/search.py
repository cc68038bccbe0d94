"""The site's own search index: servers and checks, as a script that also loads from a file address."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sealmark.publish.collect import Server
from sealmark.publish.safe import script_json


def index(servers: Iterable[Server], checks: Iterable[tuple[str, str]]) -> str:
    """A script that sets `sealmarkIndex`: rows of kind, name, more words, address.

    Args:
        servers: every published server.
        checks: id and title of every check.
    """
    rows: list[list[Any]] = [["check", check, title, f"checks/{check}.html"] for check, title in checks]
    for server in servers:
        letters = " ".join(f"{letter.pack} {letter.mark}" for letter in server.latest.letters.values() if letter.mark)
        words = " · ".join(part for part in (server.latest.version, letters) if part)
        rows.append(["server", server.shown, words, f"servers/{server.slug}.html"])
    return f"window.sealmarkIndex={script_json(rows)};\n"
