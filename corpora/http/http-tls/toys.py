"""Servers that are spoken to plainly or encrypted, on loopback and off it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from httpkit import CERTIFICATE, HTTP
from toykit import Toys

ONLY = {
    f"checks__http-{name}__enabled": False
    for name in ("origin", "auth", "protocol-version", "sessions", "cors", "bind")
}
ONLY["checks__sdk-interop__enabled"] = False
toys = Toys(**HTTP, **ONLY)


@toys.toy("fail", "plain", server__url="http://0.0.0.0:{server_port}/mcp")
def plain_elsewhere(server):
    """Is reached by an address that is not loopback, and speaks plainly."""
    server.http.address = "0.0.0.0"
    server.http.host = lambda request: None


@toys.toy("na", "loopback")
def plain_here(server):
    """Speaks plainly on loopback."""


@toys.toy(
    "pass",
    "encrypted",
    near=True,
    server__url="https://127.0.0.1:{server_port}/mcp",
    server__ca_file="_shared/tls/authority.pem",
)
def encrypted(server):
    """Speaks TLS with a certificate of an authority that is configured."""
    server.http.certificate = CERTIFICATE


if __name__ == "__main__":
    toys.main()
