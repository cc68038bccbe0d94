"""Serves a built site on this machine, for a look at it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from sealmark.errors import UsageError


class Handler(SimpleHTTPRequestHandler):
    """Files of one folder, without a line per request."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def serve(folder: Path, port: int, ready: Callable[[str], None]) -> None:
    """Serve `folder` on 127.0.0.1 until interrupted.

    Args:
        folder: the site.
        port: a port, or 0 for a free one.
        ready: is told the address as soon as it answers.

    Raises:
        UsageError: the port is taken.
    """
    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), partial(Handler, directory=str(folder)))
    except OSError as error:
        raise UsageError(f"port {port}: {error.strerror}", hint="Choose another with --port, or 0.") from None
    with server:
        ready(f"http://127.0.0.1:{server.server_address[1]}/index.html")
        server.serve_forever()
