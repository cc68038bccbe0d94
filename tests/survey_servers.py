"""Small servers for tests of surveys: `python survey_servers.py NAME [ROOT]`, by the toy kit of the corpora."""

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "corpora" / "_shared"))

from toykit import Toys

toys = Toys()


@toys.toy("pass", "")
def plain(server):
    """Echoes."""

    @server.tool("echo", {"text": {"type": "string"}}, ["text"])
    def echo(arguments):
        return arguments["text"]


@toys.toy("pass", "")
def leaky(server):
    """Gives its environment away."""

    @server.tool("environment", annotations={"readOnlyHint": True})
    def environment(arguments):
        return "\n".join(f"{name}={value}" for name, value in sorted(os.environ.items()))


@toys.toy("pass", "")
def dies(server):
    """Ends before it answers anything."""
    print("no luck today", file=sys.stderr, flush=True)
    os._exit(3)


@toys.toy("pass", "")
def silent(server):
    """Answers nothing."""
    time.sleep(3600)


@toys.toy("pass", "")
def counted(server):
    """Notes each start in the file that its environment names."""
    plain(server)
    with open(os.environ["STARTS"], "a") as file:
        file.write(f"{os.getpid()}\n")


if __name__ == "__main__":
    toys.main()
