"""Servers for tests over both transports, by the toy kit of the corpora: `python http_toys.py NAME ROOT [PORT]`."""

import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "corpora" / "_shared"))

from toykit import RpcError, Toys

toys = Toys()
TEXT = {"text": {"type": "string"}}


@toys.toy("pass", "")
def plain(server):
    """A tool, a resource and a prompt."""

    @server.tool("echo", TEXT, ["text"], annotations={"readOnlyHint": True})
    def echo(arguments):
        return arguments["text"]

    @server.tool("status", annotations={"readOnlyHint": True})
    def status(arguments):
        return "fine"


@toys.toy("pass", "")
def modern_only(server):
    """Speaks the era without sessions only."""
    plain(server)
    server.modern = True

    @server.on("initialize")
    def initialize(params):
        raise RpcError(-32022, "Unsupported protocol version", {"supported": ["2026-07-28"]})


@toys.toy("pass", "")
def tells_its_ids(server):
    """Names every session that it knows in the answer to a ping."""
    plain(server)

    @server.on("ping")
    def ping(params):
        return {"known": json.loads(json.dumps(sorted(server.http.live)))[-1:]}


@toys.toy("pass", "")
def wants_token(server):
    """Wants a token on every request."""
    plain(server)
    server.http.token = "toy-token-0123456789"


@toys.toy("pass", "")
def slow_tools(server):
    """Answers listings after a while, so that a run can be stopped in the middle."""
    plain(server)

    @server.on("tools/list")
    def listing(params):
        time.sleep(30)
        return {"tools": []}


if __name__ == "__main__":
    toys.main()
