"""Servers that the official client takes, and some that it does not."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from httpkit import HTTP
from toykit import RpcError, Toys

NAMES = ("origin", "auth", "protocol-version", "sessions", "cors", "tls", "bind")
toys = Toys(**HTTP, **{f"checks__http-{name}__enabled": False for name in NAMES})


@toys.toy("fail", "gave-up")
def no_input_schema(server):
    """Lists a tool without an input schema."""

    @server.on("tools/list")
    def listing(params):
        return {"tools": [{"name": "bare", "description": "A tool without a schema."}]}


@toys.toy("fail", "gave-up")
def version_of_its_own(server):
    """Answers the handshake with a version that was never published."""
    server.capabilities = {"tools": {}}

    @server.on("initialize")
    def initialize(params):
        return {"protocolVersion": "2031-01-01", "capabilities": {}, "serverInfo": {"name": "future", "version": "1"}}


@toys.toy("pass", "accepted", near=True)
def more_than_asked(server):
    """Puts members of its own into tools and results, which a client passes over."""
    server.info["vendor"] = {"anything": True}

    @server.tool("echo", {"text": {"type": "string"}}, ["text"], vendor="anything")
    def echo(arguments):
        return arguments["text"]


@toys.toy("pass", "accepted", near=True)
def modern(server):
    """Speaks the era without sessions only."""
    server.modern = True

    @server.tool("echo", {"text": {"type": "string"}}, ["text"])
    def echo(arguments):
        return arguments["text"]

    @server.on("initialize")
    def initialize(params):
        raise RpcError(-32022, "Unsupported protocol version", {"supported": ["2026-07-28"]})


if __name__ == "__main__":
    toys.main()
