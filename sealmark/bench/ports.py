"""A free port on loopback for a server that the harness starts behind a URL."""

from __future__ import annotations

import socket
from collections.abc import Mapping

from sealmark.bench.part import Part
from sealmark.bench.sandbox import Sandbox


class ServerPort(Part):
    """What `{server_port}` stands for: a port that was free when the run began."""

    def start(self, sandboxes: Mapping[str, Sandbox]) -> None:
        """Choose the port; the operating system gives out another one each time."""
        self._port = free_port()

    def values(self, pack: str, session: str) -> Mapping[str, str]:
        """The port as text."""
        return {"server_port": self._port}

    def marks(self) -> Mapping[str, str]:
        """The port, wherever it is written."""
        return {"server_port": self._port}


def free_port() -> str:
    """A port on loopback that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])
