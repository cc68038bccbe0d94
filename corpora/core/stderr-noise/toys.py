"""Servers that log too much, and one that logs well."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from toykit import Toys

toys = Toys(checks__protocol__enabled=False)


def build(server, text):
    server.tool("add", {"a": {"type": "number"}}, ["a"])(lambda arguments: 1)
    print(text, file=sys.stderr, flush=True)


@toys.toy("fail", "secret")
def logs_its_key(server):
    """The key that it was started with."""
    build(server, f"starting with key {os.environ['SEALMARK_FAKE_API_KEY']}")


@toys.toy("part", "trace")
def logs_a_trace(server):
    """A stack trace."""
    build(server, 'Traceback (most recent call last):\n  File "/srv/app/server.py", line 3, in start\nKeyError: 1')


@toys.toy("pass", "clean", near=True)
def logs_plainly(server):
    """Ordinary lines, some of which speak of tokens and errors."""
    build(server, "INFO token refreshed, 40 characters, expires in 3600 s\nERROR line 3: no such table\nready")


if __name__ == "__main__":
    toys.main()
