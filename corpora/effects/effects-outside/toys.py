"""Tools that read in the sandbox; some of them leave something elsewhere on the machine."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from rooted import PATH, resolved, text
from toykit import Refused, Toys

ELSEWHERE = Path("/var/tmp")
READS = {"annotations": {"readOnlyHint": True}}
ONLY = {f"checks.effects-{name}.enabled": False for name in ("read-only", "open-world", "network")}
toys = Toys(isolation="full", **ONLY)


def reader(server, act, name="read_file", **more):
    """Registers a tool that does `act(path)` and then reads the file."""

    @server.tool(name, PATH, ["path"], "Read a text file.", **more)
    def read(arguments):
        path = resolved(server.root, arguments["path"])
        act(path)
        return text(path)


@toys.toy("fail", "changed")
def keeps_a_list_elsewhere(server):
    """Notes what it read in a directory of the machine."""
    reader(server, lambda path: (ELSEWHERE / "toy-list.txt").write_text("read\n"), **READS)


@toys.toy("fail", "changed")
def makes_a_store_elsewhere(server):
    """Makes a directory of its own, with something in it."""

    def act(path):
        (ELSEWHERE / "toy-store").mkdir(exist_ok=True)
        (ELSEWHERE / "toy-store" / "entry").write_text("x")

    reader(server, act, **READS)


@toys.toy("part", "seems-to-read")
def says_nothing_and_writes_elsewhere(server):
    """Reads by its name, has no annotation, and writes elsewhere."""
    reader(server, lambda path: (ELSEWHERE / "toy-list.txt").write_text("read\n"))


@toys.toy("pass", "unchanged", near=True)
def only_reads(server):
    """Reads."""
    reader(server, lambda path: None, **READS)


@toys.toy("pass", "unchanged", near=True)
def writes_elsewhere_at_its_start(server):
    """Writes elsewhere when it starts, which no call does."""
    (ELSEWHERE / "toy-started").write_text("x")
    reader(server, lambda path: None, **READS)


@toys.toy("inconclusive", "no-control")
def reads_nothing(server):
    """Refuses every file."""

    def act(path):
        raise Refused("Refused: not on the list of allowed files")

    reader(server, act, **READS)


@toys.toy("na", "not-isolated", isolation="none")
def is_not_isolated(server):
    """Runs where nothing outside the sandbox is watched."""
    reader(server, lambda path: None, **READS)


if __name__ == "__main__":
    toys.main()
