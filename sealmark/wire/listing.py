"""Page a listing to its end, or to the first limit that it meets."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Literal

from sealmark.wire.replies import Listing, Reply

if TYPE_CHECKING:
    from sealmark.wire.session import Session

Stop = Literal["cursor-loop", "pages", "items", "bytes", "error", "timeout"]


async def list_all(
    session: Session, method: str, key: str, *, timeout: float, max_pages: int, max_items: int, max_bytes: int
) -> Listing:
    """Request pages until there is no next cursor. An empty cursor counts as none.

    Args:
        session: an open session.
        method: ``tools/list`` and the like.
        key: the member of the result that holds the page.
        timeout: seconds for the whole listing.
        max_pages: stop after this many pages.
        max_items: keep and ask for no more items than this.
        max_bytes: ask for no more once this much has come.
    """
    deadline = asyncio.get_running_loop().time() + timeout
    items: list[dict[str, Any]] = []
    replies: list[Reply] = []
    seen: set[str] = set()
    cursor: str | None = None
    oddities = pages = 0
    stopped: Stop | None = None
    while stopped is None:
        left = deadline - asyncio.get_running_loop().time()
        if left <= 0 and pages:
            stopped = "timeout"
            break
        reply = await session.request(method, {"cursor": cursor} if cursor else None, timeout=max(left, 0.0))
        replies.append(reply)
        page = reply.result.get(key) if isinstance(reply.result, dict) else None
        if not isinstance(page, list):
            stopped = "error" if reply.outcome in ("result", "error") else _stop_of(reply)
            break
        pages += 1
        objects = [item for item in page if isinstance(item, dict)]
        oddities += len(page) - len(objects)
        items += objects
        cursor = reply.result.get("nextCursor")
        if len(items) > max_items or (len(items) == max_items and cursor):
            del items[max_items:]
            stopped = "items"
        elif not cursor:
            break
        elif not isinstance(cursor, str):
            stopped = "error"
        elif cursor in seen:
            stopped = "cursor-loop"
        elif pages >= max_pages:
            stopped = "pages"
        elif sum(each.length for each in replies) >= max_bytes:
            stopped = "bytes"
        seen.add(str(cursor))
    return Listing(tuple(items), pages, tuple(replies), stopped, oddities)


def _stop_of(reply: Reply) -> Stop:
    return "bytes" if reply.outcome == "limit" else "timeout"
