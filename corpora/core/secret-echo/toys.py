"""Servers that hand out their environment, and some that only speak of it."""

import base64
import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from toykit import Refused, Toys

toys = Toys(checks__protocol__enabled=False)
READ_ONLY = {"annotations": {"readOnlyHint": True}}


def settings():
    """The server's own settings; the rest of the environment differs from run to run."""
    return {name: os.environ[name] for name in ("SEALMARK_CANARY", "SEALMARK_FAKE_API_KEY")}


@toys.toy("fail", "echoed")
def prints_environment(server):
    """A debugging tool that returns the environment."""

    @server.tool("environment", **READ_ONLY)
    def environment(arguments):
        return json.dumps(settings())


@toys.toy("fail", "echoed")
def encodes_environment(server):
    """A diagnosis that packs each value in base64."""

    @server.tool("diagnosis", **READ_ONLY)
    def diagnosis(arguments):
        return json.dumps({name: base64.b64encode(value.encode()).decode() for name, value in settings().items()})


@toys.toy("fail", "echoed")
def prints_it_in_errors(server):
    """An error message with the key in it."""

    @server.tool("search", {"query": {"type": "string"}}, ["query"])
    def search(arguments):
        raise Refused("no")

    server.problem = lambda schema, arguments: f"Bad request with key {os.environ['SEALMARK_FAKE_API_KEY']}"


@toys.toy("fail", "volunteered")
def logs_to_the_client(server):
    """A log message for the client, with the environment in it."""

    @server.on("tools/list")
    def listing(params):
        message = {"level": "info", "data": settings()}
        server.send({"jsonrpc": "2.0", "method": "notifications/message", "params": message})
        return {"tools": list(server.tools.values())}

    server.tool("add", {"a": {"type": "number"}})(lambda arguments: 1)


@toys.toy("fail", "volunteered")
def answers_unasked(server):
    """A reply that nobody waits for, with the environment in it."""

    @server.on("tools/list")
    def listing(params):
        server.reply(4711, {"env": os.environ["SEALMARK_CANARY"]})
        return {"tools": list(server.tools.values())}

    server.tool("add", {"a": {"type": "number"}})(lambda arguments: 1)


@toys.toy("pass", "clean", near=True)
def names_variables(server):
    """A tool that says which variables are set, and gives no value."""

    @server.tool("environment", **READ_ONLY)
    def environment(arguments):
        return "\n".join(f"{name} is set ({len(value)} characters)" for name, value in settings().items())


@toys.toy("pass", "clean", near=True)
def unannotated(server):
    """A tool that would show the environment, but nothing says that it may be called."""

    @server.tool("reset_and_dump")
    def reset_and_dump(arguments):
        return json.dumps(settings())


if __name__ == "__main__":
    toys.main()
