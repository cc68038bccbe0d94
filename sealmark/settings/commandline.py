"""What of a command line starts the server, and what the server itself is told.

`uv run --directory ./x server.py {sandbox}`: all but the last word say which program is meant. Such words may name
places relative to the configuration, and nobody wants them replaced; the rest is the server's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

INTERPRETERS = frozenset(("node", "python", "pypy", "deno", "bun", "ruby", "php", "perl", "java", "tsx", "ts-node"))
"""Programs whose first plain word is a script; subcommands such as `deno run` aside."""

RUNNERS: Mapping[str, frozenset[str]] = {
    "npx": frozenset(),
    "bunx": frozenset(),
    "pnpx": frozenset(),
    "uvx": frozenset(),
    "pipx": frozenset({"run"}),
    "npm": frozenset({"exec", "x"}),
    "pnpm": frozenset({"dlx", "exec"}),
    "yarn": frozenset({"dlx", "exec"}),
    "uv": frozenset({"run", "tool"}),
    "poetry": frozenset({"run"}),
    "hatch": frozenset({"run"}),
    "docker": frozenset({"run", "container"}),
    "podman": frozenset({"run", "container"}),
    "env": frozenset(),
    "cmd": frozenset({"/c", "/C", "/d", "/D"}),
}
"""Programs that run another one, and the words that may stand between."""

CONTAINERS = frozenset({"docker", "podman"})

_SUBCOMMANDS: Mapping[str, frozenset[str]] = {"deno": frozenset({"run"}), "bun": frozenset({"run", "x"})}

_PLACES = frozenset({"--directory", "--project", "--prefix", "--cwd", "-C", "--with-editable", "--import", "--require"})
"""Options whose value is a place."""

_VALUED = _PLACES | {
    "--from",
    "--with",
    "--with-requirements",
    "--python",
    "--package",
    "--index",
    "--index-url",
    "--default-index",
    "--extra-index-url",
    "--extra",
    "--group",
    "--env-file",
    "--loader",
    "--registry",
    "--spec",
    "--pip-args",
    "-r",
    "-W",
    "-X",
    "-cp",
    "-classpath",
    "--name",
    "--network",
    "--mount",
    "--volume",
    "--env",
    "--entrypoint",
    "--platform",
    "--user",
    "--workdir",
    "--add-host",
    "--label",
    "--publish",
}
"""Options that take the next word, for every program here."""

_SHORT_VALUED: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(CONTAINERS, frozenset({"-e", "-v", "-p", "-w", "-u", "-l", "-h"})),
    **dict.fromkeys(("uvx", "uv", "npx"), frozenset({"-p"})),
}

_SCRIPT_OPTIONS = frozenset({"-m", "-jar"})
_CODE_OPTIONS = frozenset({"-c", "-e", "--eval", "-p", "--print"})


class Parts(msgspec.Struct, frozen=True):
    """A command line taken apart.

    Attributes:
        own: the number of the first word that the server itself is told.
        programs: numbers of words that name a program.
        places: numbers of words that name a script or a directory of the program.
        packages: numbers of words that name a package, which may also be a place (`npx ./server`).
        container: whether it runs in a container.
    """

    own: int
    programs: tuple[int, ...] = (0,)
    places: tuple[int, ...] = ()
    packages: tuple[int, ...] = ()
    container: bool = False


def parts(argv: Sequence[str]) -> Parts:
    """Take a command line apart. Programs that are not known here get all their words as their own."""
    reading = _Reading(argv)
    reading.program(0)
    end = len(argv)
    return Parts(
        min(reading.at, end),
        tuple(reading.programs),
        tuple(at for at in reading.places if at < end),
        tuple(at for at in reading.packages if at < end),
        reading.container,
    )


def base_name(program: str) -> str:
    """`/usr/bin/python3.12` -> `python`, `NPX.cmd` -> `npx`."""
    name = re.split(r"[/\\]", program)[-1].lower()
    name = re.sub(r"\.(?:exe|cmd|bat)$", "", name)
    return re.sub(r"(?<=python)[\d.]+$|(?<=pypy)[\d.]+$", "", name)


class _Reading:
    """Walks over the words once."""

    def __init__(self, argv: Sequence[str]) -> None:
        self.argv = argv
        self.at = 0
        self.container = False
        self.programs: list[int] = []
        self.places: list[int] = []
        self.packages: list[int] = []

    def program(self, at: int) -> None:
        """Read the program at a place, and what belongs to it."""
        self.at = at + 1
        if at >= len(self.argv):
            return
        self.programs.append(at)
        name = base_name(self.argv[at])
        if name in INTERPRETERS:
            self.skip(name, _SUBCOMMANDS.get(name, frozenset()))
            self.script()
        elif name in RUNNERS:
            self.container = self.container or name in CONTAINERS
            self.skip(name, RUNNERS[name])
            self.run(name)

    def skip(self, name: str, words: frozenset[str]) -> None:
        """Pass over options and the words that may stand before what is run."""
        while self.at < len(self.argv):
            word = self.argv[self.at]
            if word in _SCRIPT_OPTIONS or (word in _CODE_OPTIONS and name in INTERPRETERS):
                return
            if word in words or (name == "uv" and word == "run") or (name == "env" and re.match(r"\w+=", word)):
                self.at += 1
            elif word == "--":
                self.at += 1
                return
            elif word in _VALUED or word in _SHORT_VALUED.get(name, ()):
                self.places += [self.at + 1] if word in _PLACES else []
                self.packages += [self.at + 1] if word == "--from" else []
                self.at += 2
            elif word.startswith("-") and word != "-":
                self.at += 1
            else:
                return

    def script(self) -> None:
        """Take the script of an interpreter."""
        if self.at >= len(self.argv):
            return
        option = self.argv[self.at]
        if option in _CODE_OPTIONS or option == "-m":
            self.at += 2
            return
        if option == "-jar":
            self.at += 1
        self.places.append(self.at)
        self.at += 1

    def run(self, name: str) -> None:
        """Take what a runner runs: a package, an image, or another program that is known here."""
        if self.at >= len(self.argv):
            return
        if self.argv[self.at] == "-m":
            self.at += 2
            return
        known = base_name(self.argv[self.at])
        if known in INTERPRETERS or known in RUNNERS:
            return self.program(self.at)
        is_script = name in ("uv", "poetry", "hatch") and re.search(r"\.\w+$", self.argv[self.at])
        (self.places if is_script else self.packages).append(self.at)
        self.at += 1
