"""Servers with a list of programs that hand lines to a shell, carelessly and carefully."""

import shlex
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

import execkit
from execkit import APART, WORDS, listed, runner, shell, start, words_of
from toykit import Refused, Toys

OTHERS = ("allow-list", "cwd", "timeout-cap")
OFF = {f"checks.exec-{name}.enabled": False for name in OTHERS}
toys = Toys(active=True, **OFF, **{"timeouts.call_sec": 20})


@toys.toy("fail", "command-started")
def looks_at_the_first_word(server):
    """Splits like a shell, compares the first word, and hands the whole line to a shell."""

    def run(arguments):
        listed(words_of(arguments["command"]))
        return shell(server, arguments["command"])

    runner(server, run)


@toys.toy("fail", "command-started")
def compares_the_beginning(server):
    """Compares the beginning of the line with the allowed names."""
    execkit.compares_the_beginning(server)


@toys.toy("fail", "command-started")
def forgets_line_breaks(server):
    """Refuses every character that separates commands, and not the line break."""

    def run(arguments):
        if set(arguments["command"]) & set(";&|`$()<>"):
            raise Refused("Character not allowed")
        listed(words_of(arguments["command"]))
        return shell(server, arguments["command"])

    runner(server, run)


@toys.toy("fail", "command-started")
def joins_words(server):
    """Takes words one by one, and joins them for a shell."""

    def run(arguments):
        return shell(server, " ".join(listed(arguments["command"])))

    runner(server, run, WORDS)


@toys.toy("fail", "command-started")
def puts_quotes_around(server):
    """Puts quotes around each argument, and leaves the quotes in it as they are."""

    def run(arguments):
        program, *_ = listed([arguments["command"]])
        return shell(server, " ".join([program, *(f"'{word}'" for word in arguments.get("args", []))]))

    runner(server, run, APART)


@toys.toy("fail", "command-started")
def refuses_too_late(server):
    """Runs the line, then finds that it should not have, and says so."""

    def run(arguments):
        words = listed(words_of(arguments["command"]))
        said = shell(server, arguments["command"])
        if set(arguments["command"]) & set(";&|`$()<>\n"):
            raise Refused(f"Character not allowed after {words[0]}")
        return said

    runner(server, run)


@toys.toy("pass", "arguments-stay-arguments", near=True)
def starts_without_a_shell(server):
    """Splits like a shell, compares the first word, and starts the program itself."""
    runner(server, lambda arguments: start(server, listed(words_of(arguments["command"]))))


@toys.toy("pass", "arguments-stay-arguments", near=True)
def quotes_for_the_shell(server):
    """Hands a line to a shell in which every word is quoted as the shell's own rules say."""

    def run(arguments):
        return shell(server, shlex.join(listed(words_of(arguments["command"]))))

    runner(server, run)


@toys.toy("pass", "arguments-stay-arguments", near=True)
def claims_to_have_run_it(server):
    """Repeats what it was asked and says that it was done, also when it was not."""

    def run(arguments):
        try:
            said = start(server, listed(arguments["command"]))
        except Refused:
            said = "done"
        return f"$ {' '.join(arguments['command'])}\n{said}"

    runner(server, run, WORDS)


@toys.toy("na", "runs-anything")
def is_a_shell(server):
    """Runs any line, which is what it is for."""
    runner(server, lambda arguments: shell(server, arguments["command"]))


@toys.toy("inconclusive", "no-control")
def runs_nothing(server):
    """Refuses every command."""
    runner(server, lambda arguments: listed(words_of(arguments["command"]), ()))


if __name__ == "__main__":
    toys.main()
