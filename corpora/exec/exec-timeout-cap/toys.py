"""Servers that end commands after a time: the shell only, in words only, the whole group, or not at all."""

import os
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from execkit import LINE, TIMEOUT, WORDS, listed, runner, words_of
from toykit import Refused, Toys

OTHERS = ("arg-injection", "allow-list", "cwd")
toys = Toys(
    active=True,
    **{f"checks.exec-{name}.enabled": False for name in OTHERS},
    **{"checks.exec-timeout-cap.sleep_sec": 3, "timeouts.probe_sec": 3, "timeouts.call_sec": 20},
)
BOTH = {**LINE, **TIMEOUT}


def ending(server, end, properties=BOTH, seconds=30, prefix="", reply="Command timed out and was killed"):
    """Runs lines in a shell; when the time is over, `end(child)` is called and `reply` given."""

    def run(arguments):
        command = arguments["command"]
        line = prefix + (command if isinstance(command, str) else " ".join(command))
        child = subprocess.Popen(
            line, shell=True, cwd=server.root, stdin=-3, stdout=-1, stderr=-2, start_new_session=True
        )
        try:
            return child.communicate(timeout=arguments.get("timeout", seconds))[0].decode() or "No output"
        except subprocess.TimeoutExpired:
            end(child)
            return reply

    runner(server, run, properties)


def the_group(child):
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()


@toys.toy("fail", "outlived")
def kills_the_shell_only(server):
    """Kills the shell, and not what the shell has started."""

    def end(child):
        child.kill()
        child.wait()

    ending(server, end)


@toys.toy("fail", "outlived")
def says_killed(server):
    """Says that the command was killed, and lets it go on."""
    ending(server, lambda child: None)


@toys.toy("fail", "outlived")
def starts_in_another_session(server):
    """Kills the group, which the command has left at once."""
    ending(server, the_group, prefix="setsid -w ")


@toys.toy("fail", "outlived")
def asks_politely(server):
    """Sends a signal that the shell ignores, and does not wait."""
    ending(server, lambda child: child.send_signal(signal.SIGTERM), prefix="trap '' TERM; ")


@toys.toy("fail", "no-cap")
def waits_for_ever(server):
    """Waits for the end of every command, whatever time it is told."""
    runner(
        server,
        lambda arguments: (
            subprocess.run(
                arguments["command"], shell=True, cwd=server.root, stdin=-3, capture_output=True, text=True
            ).stdout
        ),
        BOTH,
    )


@toys.toy("fail", "no-cap")
def has_no_limit(server):
    """Takes no time to wait, and has none of its own."""
    ending(server, the_group, LINE, seconds=None)


@toys.toy("part", "left-running")
def goes_on_behind(server):
    """Says that the command goes on in the background, as it does."""
    ending(server, lambda child: None, reply="Still running in the background as job 1")


@toys.toy("pass", "ended", near=True)
def kills_the_group(server):
    """Kills the group and waits for it, and says nothing of it."""
    ending(server, the_group, reply="No output")


@toys.toy("pass", "ended", near=True)
def has_a_limit_of_its_own(server):
    """Takes no time to wait, and ends every command after a second."""
    ending(server, the_group, WORDS, seconds=1)


@toys.toy("pass", "ended", near=True)
def talks_of_the_background(server):
    """Says that the command goes on in the background, and has ended it."""
    ending(server, the_group, reply="Still running in the background as job 1")


@toys.toy("inconclusive", "no-control")
def runs_nothing(server):
    """Refuses every command."""

    def run(arguments):
        listed(words_of(arguments["command"]), ())
        raise Refused("Nothing is allowed")

    runner(server, run)


if __name__ == "__main__":
    toys.main()
