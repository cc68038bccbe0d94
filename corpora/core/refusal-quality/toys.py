"""Servers whose refusals help, or do not."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from toykit import Toys

toys = Toys(checks__protocol__enabled=False)
PATH = {"path": {"type": "string"}}


def read(arguments):
    return "content"


@toys.toy("fail", "mute")
def says_no_more(server):
    """One word for everything."""
    server.problem = lambda schema, arguments: "Invalid input"
    server.tool("read", PATH, ["path"])(read)


@toys.toy("fail", "mute")
def repeats_the_name(server):
    """The name of the argument, and not a word about it."""
    server.problem = lambda schema, arguments: "'path'"
    server.tool("read", PATH, ["path"])(read)


@toys.toy("part", "partly")
def helps_sometimes(server):
    """Says what is missing, but not what is wrong with a value."""

    def problem(schema, arguments):
        return "Bad value" if "path" in arguments else "The argument path is required"

    server.problem = problem
    server.tool("read", PATH, ["path"])(read)


@toys.toy("inconclusive", "unusable-pattern", **{"checks.refusal-quality.patterns": ("(a+)+b",)})
def pattern_that_runs_for_ever(server):
    """A configuration whose pattern cannot be used."""
    server.tool("read", PATH, ["path"])(read)


@toys.toy("inconclusive", "no-refusal")
def refuses_nothing(server):
    """Takes whatever comes."""
    server.strict = False
    server.tool("read", PATH, ["path"])(read)


@toys.toy("pass", "instructive", near=True)
def sends_elsewhere(server):
    """Names no argument, but another tool that would do."""
    server.problem = lambda schema, arguments: "This is not something to read here. Use list_directory instead."
    server.tool("read", PATH, ["path"])(read)


@toys.toy("pass", "instructive", near=True, **{"checks.refusal-quality.patterns": ("erwartet wird",)})
def helps_in_german(server):
    """Words that only a pattern of the configuration knows."""
    server.problem = lambda schema, arguments: "Ungültig: erwartet wird eine Zeichenkette."
    server.tool("read", PATH, ["path"])(read)


if __name__ == "__main__":
    toys.main()
