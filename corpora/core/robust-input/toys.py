"""Servers that bear bad input badly, and some that bear it well in ways that look odd."""

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from toykit import Refused, Toys

toys = Toys(checks__protocol__enabled=False)
PATH = {"path": {"type": "string"}}


def read(arguments):
    return f"content of {arguments['path']}"


@toys.toy("fail", "crashed")
def dies_of_a_type(server):
    """Ends when an argument is no text."""

    def problem(schema, arguments):
        if not isinstance(arguments.get("path", ""), str):
            os._exit(70)
        return "" if "path" in arguments else "Invalid arguments: path is required"

    server.problem = problem
    server.tool("read", PATH, ["path"])(read)


@toys.toy("fail", "crashed")
def dies_of_a_long_line(server):
    """Ends when a line is longer than its buffer."""
    server.tool("read", PATH, ["path"])(read)
    receive = server.receive
    server.receive = lambda message: os._exit(71) if len(str(message)) > 500_000 else receive(message)


@toys.toy("fail", "hung", timeouts__probe_sec=0.5, timeouts__call_sec=1.5)
def never_answers(server):
    """Waits for ever when an argument is missing."""
    server.problem = lambda schema, arguments: time.sleep(3600) if "path" not in arguments else "path must be a string"
    server.tool("read", PATH, ["path"])(read)


@toys.toy("part", "leaks-internals")
def shows_a_trace(server):
    """Answers with a stack trace."""
    trace = (
        'Traceback (most recent call last):\n  File "/srv/app/server.py", line 41, in call\n'
        "    return open(arguments['path'])\nTypeError: expected str, bytes or os.PathLike object, not dict"
    )
    server.problem = lambda schema, arguments: trace
    server.tool("read", PATH, ["path"])(read)


@toys.toy("part", "accepted-invalid")
def takes_anything(server):
    """Never looks at the schema."""
    server.strict = False
    server.tool("read", PATH, ["path"])(lambda arguments: "done")


@toys.toy("part", "lenient")
def fetches_first(server):
    """Hands the value to another service and reports what that made of it."""
    server.strict = False

    @server.tool("fetch", {"url": {"type": "string"}}, ["url"])
    def fetch(arguments):
        raise Refused(f"fetch failed: could not connect to {str(arguments.get('url'))[:40]}")


@toys.toy("pass", "clean", near=True)
def refuses_in_plain_text(server):
    """Reports an error as an ordinary text, without the flag."""
    server.strict = False

    @server.tool("read", PATH, ["path"])
    def read_file(arguments):
        ok = isinstance(arguments.get("path"), str)
        return read(arguments) if ok else "Error: path is required and must be a string"


@toys.toy("pass", "clean", near=True, timeouts__probe_sec=0.5, timeouts__call_sec=5)
def slow_at_first(server):
    """Takes long for the first call of its life, and answers well when asked again."""
    warm = Path(server.root) / "warm"

    def problem(schema, arguments):
        if not warm.exists():
            warm.touch()
            time.sleep(3600)
        return "Invalid arguments: path must be a string"

    server.problem = problem
    server.tool("read", PATH, ["path"])(read)


@toys.toy("pass", "clean", near=True)
def has_no_arguments(server):
    """Nothing to spoil but the name of the tool and the message."""
    server.tool("now")(lambda arguments: "noon")


if __name__ == "__main__":
    toys.main()
