"""Tools that open a value as a file, and tools that only look as if they did."""

import os
import sys
from pathlib import Path
from urllib.parse import unquote

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from rooted import resolved, text
from toykit import Refused, Toys

OTHERS = ("sql", "command", "url")
toys = Toys(active=True, **{f"checks.inject-{name}.enabled": False for name in OTHERS})


def report(server, run):
    """Registers a tool that shows a report by its name."""
    server.tool("show_report", {"report": {"type": "string"}}, ["report"], "Show a report by its name.")(
        lambda arguments: run(arguments["report"])
    )


def opened(path):
    """The text of a file, or a refusal."""
    if "\0" in path or not os.path.isfile(path):
        raise Refused("There is no such report")
    return text(path)


@toys.toy("fail", "outside-read")
def joins_the_value(server):
    """Joins the value to its folder and opens what comes out."""
    report(server, lambda name: opened(os.path.join(server.root, name)))


@toys.toy("fail", "outside-read")
def adds_a_suffix(server):
    """Adds a suffix, and takes that for enough."""
    report(server, lambda name: opened(os.path.join(server.root, "sub", name + ".txt")))


@toys.toy("fail", "outside-read")
def decodes_after_the_check(server):
    """Looks for two dots with a slash, then decodes percent signs."""

    def run(name):
        if "../" in name or name.startswith("/"):
            raise Refused("There is no such report")
        return opened(os.path.join(server.root, unquote(name)))

    report(server, run)


@toys.toy("fail", "outside-written")
def writes_by_the_value(server):
    """Keeps a note in a file that is called as the value says."""

    @server.tool("remember", {"title": {"type": "string"}}, ["title"], "Remember a title.")
    def remember(arguments):
        path = os.path.join(server.root, "sub", arguments["title"].replace("\0", ""))
        if not os.path.lexists(path) and os.path.isdir(os.path.dirname(path)):
            with open(path, "w", encoding="utf-8") as file:
                file.write("a note\n")
        return "remembered"


@toys.toy("pass", "contained", near=True)
def resolves_then_compares(server):
    """Resolves the joined path and compares it with the folder."""
    report(server, lambda name: opened(resolved(server.root, name)))


@toys.toy("pass", "contained", near=True)
def repeats_the_value(server):
    """Repeats the path that it was given."""
    report(server, lambda name: f"There is no report {name}")


@toys.toy("part", "some-unjudged")
def has_a_tool_that_never_works(server):
    """Has a second tool that turns every value down."""
    report(server, lambda name: f"There is no report {name}")

    @server.tool("show_template", {"template": {"type": "string"}}, ["template"], "Show a template.")
    def show(arguments):
        raise Refused("Invalid parameters: no such template")


@toys.toy("inconclusive", "no-control")
def turns_everything_down(server):
    """Turns every value down before it is used."""

    def run(name):
        raise Refused("Invalid parameters: no such report")

    report(server, run)


if __name__ == "__main__":
    toys.main()
