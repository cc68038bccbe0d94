"""Tools that put a value into a command line, and tools that only look as if they did."""

import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from toykit import Refused, Toys

OTHERS = ("sql", "path", "url")
toys = Toys(active=True, **{f"checks.inject-{name}.enabled": False for name in OTHERS})
HOST = {"host": {"type": "string"}}


def shell(server, line):
    """Runs a line by a shell in the root and returns what it prints."""
    done = subprocess.run(line, shell=True, cwd=server.root, capture_output=True, text=True, timeout=10)
    return done.stdout


def lookup(server, run, properties=HOST, required=("host",)):
    """Registers a tool that looks a host up."""
    server.tool("lookup", properties, list(required), "Look a host up.")(lambda arguments: run(arguments["host"]))


@toys.toy("fail", "ran")
def pastes_the_value(server):
    """Pastes the value into a line for a shell, and shows what it prints."""
    lookup(server, lambda host: shell(server, f"echo looking for {host}"))


@toys.toy("fail", "ran")
def shows_no_output(server):
    """Pastes the value between double quotes, and shows nothing of the output."""

    def run(host):
        shell(server, f'echo "{host}" > /dev/null')
        return "done"

    lookup(server, run)


@toys.toy("fail", "ran")
def quotes_by_hand(server):
    """Puts single quotes around the value, and forgets those inside it."""
    lookup(server, lambda host: shell(server, f"echo '{host}'"))


@toys.toy("fail", "ran")
def runs_its_second_argument(server):
    """Is careful with the argument that must be given, and careless with the next."""
    options = {"label": {"type": "string"}, "host": {"type": "string"}}

    @server.tool("lookup", options, ["host"], "Look a host up.")
    def run(arguments):
        return shell(server, f"echo {shlex.quote(arguments['host'])} {arguments.get('label', '')}")


@toys.toy("pass", "not-run", near=True)
def repeats_the_value(server):
    """Repeats what it was given, command and all."""
    lookup(server, lambda host: f"nobody is called {host}")


@toys.toy("pass", "not-run", near=True)
def quotes_by_the_library(server):
    """Quotes the value as the library does."""
    lookup(server, lambda host: shell(server, f"echo {shlex.quote(host)}"))


@toys.toy("pass", "not-run", near=True)
def starts_without_a_shell(server):
    """Starts the program with a list of arguments."""
    lookup(server, lambda host: subprocess.run(["echo", host], capture_output=True, text=True, check=True).stdout)


@toys.toy("part", "some-unjudged")
def has_a_tool_that_never_works(server):
    """Has a second tool that turns every value down."""
    lookup(server, lambda host: f"nobody is called {host}")

    @server.tool("trace", {"target": {"type": "string"}}, ["target"], "Trace the way to a target.")
    def trace(arguments):
        raise Refused("Invalid parameters: no such target")


@toys.toy("inconclusive", "no-control")
def turns_everything_down(server):
    """Turns every value down before it is used."""

    def run(host):
        raise Refused("Invalid parameters: no such host")

    lookup(server, run)


if __name__ == "__main__":
    toys.main()
