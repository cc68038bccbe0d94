"""Servers that redirect output and take a working directory, with and without a look at where that leads."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from execkit import CWD, LINE, inside, listed, runner, shell, start, words_of
from toykit import Toys

OTHERS = ("arg-injection", "allow-list", "timeout-cap")
OFF = {f"checks.exec-{name}.enabled": False for name in OTHERS}
toys = Toys(active=True, **OFF, **{"timeouts.call_sec": 20})
BOTH = {**LINE, **CWD}


def redirecting(server, place):
    """Runs a listed program, its output into the file that `place(root, path)` allows."""

    def run(arguments):
        words = listed(words_of(arguments["command"]))
        if ">" not in words:
            return start(server, words)
        at = words.index(">")
        path = place(server.root, words[at + 1])
        Path(path).write_text(start(server, words[:at]))
        return "Written"

    runner(server, run)


@toys.toy("fail", "written-outside")
def redirects_anywhere(server):
    """Writes the output to whatever file is named."""
    redirecting(server, lambda root, path: Path(root) / path)


@toys.toy("fail", "written-outside")
def compares_texts(server):
    """Compares the beginning of the target's path with the directory's, so that the sibling passes."""

    def place(root, path):
        found = str((Path(root) / path).resolve())
        return found if found.startswith(root) else inside(root, path)

    redirecting(server, place)


@toys.toy("fail", "ran-outside")
def runs_anywhere(server):
    """Takes any directory to run in."""

    def run(arguments):
        return start(server, listed(words_of(arguments["command"])), arguments.get("cwd"))

    runner(server, run, BOTH)


@toys.toy("fail", "ran-outside")
def runs_anything_anywhere(server):
    """Is a shell, was given a root, and takes any directory to run in."""
    runner(server, lambda arguments: shell(server, arguments["command"], arguments.get("cwd")), BOTH)


@toys.toy("pass", "stays-inside", near=True)
def redirects_inside(server):
    """Writes the output to files of the working directory, and to no others."""
    redirecting(server, inside)


@toys.toy("pass", "stays-inside", near=True)
def runs_inside(server):
    """Takes directories below its root to run in, and hands no operators to a shell."""

    def run(arguments):
        where = inside(server.root, arguments.get("cwd", "."))
        return start(server, listed(words_of(arguments["command"])), where)

    runner(server, run, BOTH)


@toys.toy("pass", "stays-inside", near=True)
def reads_by_path(server):
    """Lets an allowed program read any file, which is no matter of the working directory."""
    runner(server, lambda arguments: start(server, listed(words_of(arguments["command"]))))


@toys.toy("na", "no-boundary")
def is_a_shell(server):
    """Runs any line, and takes no directory."""
    runner(server, lambda arguments: shell(server, arguments["command"]))


@toys.toy("inconclusive", "no-control")
def runs_nothing(server):
    """Refuses every command."""
    runner(server, lambda arguments: listed(words_of(arguments["command"]), ()))


if __name__ == "__main__":
    toys.main()
