"""Servers that compare programs with a list: by the beginning, by the last part, by the whole name."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

import execkit
from execkit import LISTED, WORDS, listed, runner, shell, start, words_of
from toykit import Refused, Toys

OTHERS = ("arg-injection", "cwd", "timeout-cap")
OFF = {f"checks.exec-{name}.enabled": False for name in OTHERS}
toys = Toys(active=True, **OFF, **{"timeouts.call_sec": 20})


@toys.toy("fail", "unlisted-run")
def compares_the_beginning(server):
    """Compares the beginning of the line with the allowed names."""
    execkit.compares_the_beginning(server)


@toys.toy("fail", "unlisted-run")
def compares_the_last_part(server):
    """Compares the last part of the program's path, so that any file with an allowed name is run."""

    def run(arguments):
        words = words_of(arguments["command"])
        listed([os.path.basename(words[0])])
        return start(server, words)

    runner(server, run)


@toys.toy("fail", "unlisted-run")
def forbids_names(server):
    """Knows names that are forbidden, and no paths of them."""

    def run(arguments):
        words = words_of(arguments["command"])
        if words[0] in ("touch", "cp", "rm", "mv", "dd"):
            raise Refused("Command not allowed")
        return start(server, words)

    runner(server, run)


@toys.toy("fail", "unlisted-run")
def looks_at_one_end_of_a_pipe(server):
    """Compares the first program of a pipe, and starts all of them."""

    def run(arguments):
        if set(arguments["command"]) & set(";&`$()<>\n"):
            raise Refused("Character not allowed")
        listed(words_of(arguments["command"]))
        return shell(server, arguments["command"])

    runner(server, run)


@toys.toy("fail", "started-by-listed")
def allows_a_program_that_starts_others(server):
    """Compares whole names and needs no shell; its list holds a program that starts others."""
    runner(server, lambda arguments: start(server, listed(words_of(arguments["command"]), (*LISTED, "find"))))


@toys.toy("fail", "list-not-kept")
def says_what_it_does_not_do(server):
    """Names a list in its description, and runs anything."""

    def run(arguments):
        return start(server, words_of(arguments["command"]))

    runner(server, run, description="Run a shell command. Allowed commands: cat, ls, echo")


@toys.toy("part", "runs-anything")
def is_a_shell(server):
    """Runs any line, which is what it is for."""
    runner(server, lambda arguments: shell(server, arguments["command"]))


@toys.toy("pass", "listed-only", near=True)
def compares_whole_names(server):
    """Splits like a shell, compares the whole name, and starts the program without a shell."""
    allowed = ("cat", "ls", "echo")
    runner(server, lambda arguments: start(server, listed(words_of(arguments["command"]), allowed)))


@toys.toy("pass", "listed-only", near=True)
def compares_whole_names_of_words(server):
    """Takes words one by one, and says in its description what it allows."""
    allowed = ("cat", "ls", "echo")
    description = "Run a shell command. Allowed commands: cat, ls, echo"
    runner(server, lambda arguments: start(server, listed(arguments["command"], allowed)), WORDS, description)


@toys.toy("pass", "listed-only", near=True)
def talks_of_what_it_refuses(server):
    """Refuses with the command and the list, in a reply that is no error."""

    def run(arguments):
        try:
            return start(server, listed(words_of(arguments["command"]), ("ls",)))
        except Refused as refusal:
            return f"{refusal}; ran nothing of {arguments['command']!r}. Allowed: ls"

    runner(server, run)


@toys.toy("inconclusive", "no-control")
def runs_nothing(server):
    """Refuses every command."""
    runner(server, lambda arguments: listed(words_of(arguments["command"]), ()))


if __name__ == "__main__":
    toys.main()
