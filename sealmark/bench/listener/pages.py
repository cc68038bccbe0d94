"""What the listener answers on which path. Every path begins with the token of the site, so that a visitor is known.

    /TOKEN/page/LABEL               a page that holds the site's secret
    /TOKEN/to/SCHEME/HOST/LABEL     a redirect to the same port by another spelling of the host (`::1` gets brackets)
    /TOKEN/file/ABSOLUTE/PATH       a redirect to a file URL
    /TOKEN/hops/N/LABEL             N redirects at the same host, then a page
    /TOKEN/large/LABEL              a body of many MiB
    /TOKEN/slow/LABEL               a body that trickles

Everything else is not found, robots.txt among it.
"""

from __future__ import annotations

from typing import Literal, NamedTuple


class Answer(NamedTuple):
    """A status, where a redirect leads, and the body: given, or one that is made while it is sent."""

    status: str
    location: str = ""
    body: bytes = b""
    made: Literal["", "large", "slow"] = ""


NOT_FOUND = Answer("404 Not Found", body=b"not found\n")


def answer(path: str, *, token: str, secret: str, port: int) -> Answer:
    """The answer for the path of a request (with or without a query)."""
    parts = path.partition("?")[0].split("/")
    if len(parts) < 3 or parts[:2] != ["", token]:
        return NOT_FOUND
    kind, rest = parts[2], parts[3:]
    if kind == "page":
        return Answer("200 OK", body=page(secret))
    if kind == "to" and len(rest) >= 2:
        host = f"[{rest[1]}]" if ":" in rest[1] else rest[1]
        return Answer("302 Found", f"{rest[0]}://{host}:{port}/{token}/page/{'/'.join(rest[2:])}")
    if kind == "file":
        return Answer("302 Found", f"file:///{'/'.join(rest)}")
    if kind == "hops" and rest and rest[0].isdecimal():
        label = "/".join(rest[1:])
        left = min(int(rest[0][:6]), 100_000) - 1
        return Answer("302 Found", f"/{token}/hops/{left}/{label}" if left > 0 else f"/{token}/page/{label}")
    if kind == "large":
        return Answer("200 OK", made="large")
    if kind == "slow":
        return Answer("200 OK", made="slow")
    return NOT_FOUND


def page(secret: str) -> bytes:
    """An ordinary page, long enough that programs that look for the main text of a page find it."""
    line = f"<p>This page belongs to a test run, and its word is {secret}. Nothing here is of value to anybody.</p>\n"
    start = f'<!doctype html>\n<html lang="en"><head><title>Test page {secret}</title></head>\n<body><main><article>\n'
    return (start + "<h1>Test page</h1>\n" + line * 3 + "</article></main></body></html>\n").encode()
