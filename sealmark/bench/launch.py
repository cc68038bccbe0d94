"""How a server is started: its command, its environment and its directory, with placeholders still unfilled.

A confined server gets few variables: the system's, the package managers' caches and registry settings (so that a server
that is started by npx or uvx is not downloaded anew for every run), its sandbox's, the canaries, and its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from sealmark.record.marks import fill, names_in

PACKAGE_MANAGERS: Sequence[tuple[str, str]] = (
    ("npm_config_cache", ".npm"),
    ("npm_config_userconfig", ".npmrc"),
    ("UV_CACHE_DIR", ".cache/uv"),
    ("UV_PYTHON_INSTALL_DIR", ".local/share/uv/python"),
    ("UV_CONFIG_FILE", ".config/uv/uv.toml"),
    ("PIP_CACHE_DIR", ".cache/pip"),
    ("PIP_CONFIG_FILE", ".config/pip/pip.conf"),
)
"""Variable, and where in the user's home its default lies: named to the server because its home is another."""


@dataclass(frozen=True)
class Launch:
    """A server that the harness starts.

    Attributes:
        argv: templates; argv[0] is the program.
        env: templates of the server's own variables.
        inherit: patterns of the user's variables that a confined server gets.
        forward: names of the user's variables that it gets as they are, whatever the bench would set them to.
        cwd: template; empty for the sandbox.
        confined: False when the server inherits the whole environment.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    inherit: tuple[str, ...] = ()
    forward: tuple[str, ...] = ()
    cwd: str = ""
    confined: bool = True

    @property
    def placeholders(self) -> frozenset[str]:
        """Names of the marks that the command, the environment and the directory use."""
        return names_in([*self.argv, *self.env.values(), self.cwd])

    def arguments(self, values: Mapping[str, str]) -> tuple[str, ...]:
        """The command line, filled."""
        return tuple(fill(item, values) for item in self.argv)

    def environment(
        self, values: Mapping[str, str], environ: Mapping[str, str], own: Mapping[str, str]
    ) -> dict[str, str]:
        """The whole environment of the server.

        Args:
            values: what placeholders stand for.
            environ: the user's environment.
            own: variables of the bench (home, temporary directory, canaries), which beat inherited ones.
        """
        passed = dict(environ) if not self.confined else self._inherited(environ)
        forwarded = {name: environ[name] for name in self.forward if name in environ}
        return passed | dict(own) | forwarded | {name: fill(text, values) for name, text in self.env.items()}

    def _inherited(self, environ: Mapping[str, str]) -> dict[str, str]:
        passed = {
            name: value
            for name, value in environ.items()
            if any(fnmatchcase(name, pattern) for pattern in self.inherit)
        }
        home = Path(environ.get("HOME", "/nonexistent"))
        for variable, below in PACKAGE_MANAGERS:
            if variable not in passed and (home / below).exists():
                passed[variable] = str(home / below)
        return passed
