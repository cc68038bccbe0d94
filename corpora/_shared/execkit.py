"""What toys that run commands share: the tools in their three shapes, and the ways to start what was asked for."""

import os
import shlex
import subprocess

from toykit import Refused

LISTED = ("cat", "ls", "echo", "git", "tail")
LINE = {"command": {"type": "string", "description": "Shell command to run"}}
WORDS = {"command": {"type": "array", "items": {"type": "string"}, "description": "Command to run, word by word"}}
APART = {
    "command": {"type": "string", "description": "Shell command to run"},
    "args": {"type": "array", "items": {"type": "string"}},
}
CWD = {"cwd": {"type": "string", "description": "Working directory"}}
TIMEOUT = {"timeout": {"type": "integer", "description": "Seconds that the command may take"}}


def runner(server, run, properties=LINE, description="Run a shell command."):
    """Registers the tool; `run(arguments)` gives its output."""
    server.tool("run_command", properties, ["command"], description)(run)


def shell(server, line, cwd=None):
    """What a shell makes of a line."""
    done = subprocess.run(line, shell=True, cwd=cwd or server.root, capture_output=True, text=True, stdin=-3)
    return done.stdout + done.stderr or "No output"


def start(server, words, cwd=None):
    """The output of a program, started without a shell."""
    try:
        done = subprocess.run(words, cwd=cwd or server.root, capture_output=True, text=True, stdin=-3)
    except (OSError, ValueError) as error:
        raise Refused(f"Cannot run {words[0]}") from error
    return done.stdout + done.stderr or "No output"


def words_of(line):
    """The words of a line, or a refusal."""
    try:
        words = shlex.split(line)
    except ValueError:
        words = []
    if not words:
        raise Refused("Not a command")
    return words


def listed(words, allowed=LISTED):
    """The words, if the program is allowed by its whole name."""
    if not words or words[0] not in allowed:
        raise Refused(f"Command not allowed: {words[0] if words else ''}")
    return words


def compares_the_beginning(server):
    """Registers the tool that compares the beginning of the line with the allowed names."""

    def run(arguments):
        if not arguments["command"].startswith(LISTED):
            raise Refused("Command not allowed")
        return shell(server, arguments["command"])

    runner(server, run)


def inside(root, path):
    """A path resolved against the root, if it lies in it."""
    found = os.path.realpath(os.path.join(root, path))
    if os.path.commonpath([os.path.realpath(root), found]) != os.path.realpath(root):
        raise Refused("Outside the working directory")
    return found
