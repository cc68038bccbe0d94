"""How a server is started: its command, its environment and its directory, with placeholders still unfilled.

A confined server gets few variables: the system's, the package managers' caches and registry settings (so that a server
that is started by npx or uvx is not downloaded anew for every run), its sandbox's, the canaries, and its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from sealmark.record.marks import fill, fill_some, names_in
from sealmark.wire.http.client import Endpoint

CACHES: Mapping[str, str] = {
    "npm_config_cache": ".npm",
    "UV_CACHE_DIR": ".cache/uv",
    "UV_PYTHON_INSTALL_DIR": ".local/share/uv/python",
    "PIP_CACHE_DIR": ".cache/pip",
}
"""Variable -> where its default lies in the home; named before it exists too, or every process would download anew."""

REGISTRY_FILES: Mapping[str, str] = {
    "npm_config_userconfig": ".npmrc",
    "UV_CONFIG_FILE": ".config/uv/uv.toml",
    "PIP_CONFIG_FILE": ".config/pip/pip.conf",
}
"""Variable -> a file of registry settings in the user's home; named to the server where it exists."""


ANONYMOUS = "anonymous"
"""The session of nobody."""

CALLERS = frozenset({"caller", "bearer_a", "bearer_b"})
"""Marks of callers' tokens."""


@dataclass(frozen=True)
class Reach:
    """A server behind a URL.

    Attributes:
        url: template.
        headers: templates; credentials among them.
        transport: which transport to use.
        start_sec: how long the URL gets to answer after a start.
        ca_file: certificate authorities to trust instead of the system's.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    transport: Literal["auto", "http", "sse"] = "auto"
    start_sec: float = 60
    ca_file: str = ""

    def endpoint(self, values: Mapping[str, str]) -> Endpoint:
        """The URL and its headers, filled."""
        headers = {name: fill(text, values) for name, text in self.headers.items()}
        return Endpoint(fill(self.url, values), headers, self.ca_file)


@dataclass(frozen=True)
class Launch:
    """A server that the harness starts, reaches, or both.

    Attributes:
        argv: templates; argv[0] is the program. Empty when the server runs already.
        env: templates of the server's own variables.
        inherit: patterns of the user's variables that a confined server gets.
        forward: names of the user's variables that it gets as they are, whatever the bench would set them to.
        cwd: template; empty for the sandbox.
        confined: False when the server inherits the whole environment.
        shutdown_sec: what it gets to end by itself, and again after SIGTERM.
        reach: the URL of a server that is reached over HTTP; such a server inherits the whole environment.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    inherit: tuple[str, ...] = ()
    forward: tuple[str, ...] = ()
    cwd: str = ""
    confined: bool = True
    shutdown_sec: float = 1
    reach: Reach | None = None

    @property
    def placeholders(self) -> frozenset[str]:
        """Names of the marks that the command, the environment and the directory use."""
        reach = [self.reach.url, *self.reach.headers.values()] if self.reach else []
        return names_in([*self.argv, *self.env.values(), self.cwd, *reach])

    def for_session(self, name: str) -> Launch:
        """As it is for a session: nobody's has no caller's token, so all that would hold one is left out.

        Headers and variables that hold one are gone; in an argument nothing stands in its place.
        """
        if name.partition("/")[0] != ANONYMOUS:
            return self
        argv = tuple(fill_some(item, dict.fromkeys(CALLERS, "")) for item in self.argv)
        env = {variable: text for variable, text in self.env.items() if not names_in(text) & CALLERS}
        reach = self.reach
        if reach is not None:
            reach = replace(
                reach, headers={header: text for header, text in reach.headers.items() if not names_in(text) & CALLERS}
            )
        return replace(self, argv=argv, env=env, reach=reach)

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
        passed = dict(environ) if not self.confined or self.reach else self._inherited(environ)
        forwarded = {name: environ[name] for name in self.forward if name in environ}
        return passed | dict(own) | forwarded | {name: fill(text, values) for name, text in self.env.items()}

    def _inherited(self, environ: Mapping[str, str]) -> dict[str, str]:
        passed = {
            name: value
            for name, value in environ.items()
            if any(fnmatchcase(name, pattern) for pattern in self.inherit)
        }
        home = environ.get("HOME")
        if home:
            named = {variable: Path(home, below) for variable, below in {**CACHES, **REGISTRY_FILES}.items()}
            passed |= {
                variable: str(path)
                for variable, path in named.items()
                if variable not in passed and (variable in CACHES or path.exists())
            }
        return passed
