"""Feeds of changed grades: Atom and JSON Feed. Relative addresses when the site's own address is not known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import urljoin

import msgspec

from sealmark.publish.collect import Server, Store
from sealmark.report.words import CLOSING

TITLE = "Changed grades"
MOST = 100
"""Entries that a feed keeps, the newest."""


@dataclass(frozen=True, slots=True)
class Item:
    """One entry: a server whose letters changed with a version, or that was graded for the first time."""

    id: str
    title: str
    text: str
    page: str
    when: str


def items(store: Store) -> list[Item]:
    """Every entry, newest first."""
    found = [item for server in store.servers for item in _of(server)]
    return sorted(found, key=lambda item: (item.when, item.id), reverse=True)[:MOST]


def _of(server: Server) -> list[Item]:
    first = server.versions[0]
    letters = ", ".join(f"{letter.pack} {letter.mark}" for letter in first.letters.values() if letter.mark)
    page = f"servers/{server.slug}.html"
    band = " (invented server)" if server.latest.invented else ""
    made = []
    if letters:
        made.append(
            Item(
                f"urn:sealmark:run:{first.run_id}",
                f"{server.shown} {first.version}".strip() + f": first graded{band}",
                f"{letters}. {CLOSING}",
                page,
                first.started,
            )
        )
    for before, after, changes in server.changes():
        words = ", ".join(f"{change.pack} {change.before} → {change.after}" for change in changes)
        made.append(
            Item(
                f"urn:sealmark:run:{after.run_id}",
                f"{server.shown} {after.version}".strip() + f": {words}{band}",
                f"Compared with version {before.version or before.day}: {words}. {CLOSING}",
                page,
                after.started,
            )
        )
    return made


def atom(entries: Sequence[Item], base_url: str = "") -> str:
    """The Atom feed (RFC 4287)."""
    own = f'<link rel="self" href="{_x(urljoin(base_url, "feed.atom"))}"/>\n' if base_url else ""
    updated = entries[0].when if entries else "1970-01-01T00:00:00Z"
    body = "".join(
        f"<entry><id>{_x(entry.id)}</id><title>{_x(entry.title)}</title><updated>{_x(entry.when)}</updated>"
        f'<link href="{_x(urljoin(base_url, entry.page))}"/><summary>{_x(entry.text)}</summary></entry>\n'
        for entry in entries
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<id>{_x(base_url or 'urn:sealmark:changed-grades')}</id><title>{TITLE}</title>"
        f"<updated>{_x(updated)}</updated>\n"
        f"<author><name>Sealmark</name></author>\n{own}{body}</feed>\n"
    )


def json_feed(entries: Sequence[Item], base_url: str = "") -> str:
    """The JSON feed (version 1.1)."""
    document: dict[str, Any] = {"version": "https://jsonfeed.org/version/1.1", "title": TITLE}
    if base_url:
        document |= {"home_page_url": base_url, "feed_url": urljoin(base_url, "feed.json")}
    document["items"] = [
        {
            "id": entry.id,
            "url": urljoin(base_url, entry.page),
            "title": entry.title,
            "content_text": entry.text,
            "date_published": entry.when,
        }
        for entry in entries
    ]
    return msgspec.json.format(msgspec.json.encode(document), indent=1).decode() + "\n"


def _x(text: str) -> str:
    return escape(text)
