"""Servers that run before the run begins, bound to loopback or to every address."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from httpkit import HTTP
from toykit import Toys

ONLY = {
    f"checks__http-{name}__enabled": False for name in ("origin", "auth", "protocol-version", "sessions", "cors", "tls")
}
ONLY["checks__sdk-interop__enabled"] = False
toys = Toys(**ONLY)
RUNNING = {"toy__running": True, "server__url": "http://127.0.0.1:${SEALMARK_TOY_PORT}/mcp"}


@toys.toy("fail", "other-machines", **RUNNING)
def everywhere(server):
    """Binds to every address."""
    server.http.address = "0.0.0.0"


@toys.toy("pass", "loopback", near=True, **RUNNING)
def here(server):
    """Binds to loopback."""


@toys.toy("na", "not-examined", **HTTP)
def started(server):
    """Is started by the harness, which says nothing of its address."""
    server.http.address = "0.0.0.0"


if __name__ == "__main__":
    toys.main()
