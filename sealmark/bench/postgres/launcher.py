"""Starts the programs of Postgres: as an ordinary user, on loopback, and no longer than the harness lives."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from sealmark.bench.postgres.binaries import Binaries
from sealmark.bench.postgres.places import Account
from sealmark.errors import HarnessError

READY_SEC = 30
_ATTEMPTS = 5
_PR_SET_PDEATHSIG = 1

SETTINGS = {
    "listen_addresses": "'127.0.0.1'",
    "unix_socket_directories": "''",
    "max_connections": "60",
    "shared_buffers": "16MB",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "min_wal_size": "'2MB'",
    "max_wal_size": "'64MB'",
    "max_wal_senders": "0",
    "max_parallel_workers_per_gather": "0",
    "autovacuum": "off",
    "jit": "off",
    "timezone": "'UTC'",
    "password_encryption": "'scram-sha-256'",
    "log_min_messages": "error",
}
"""What the data may lose when the machine stops is no loss: it is made anew for each run."""


def init(binaries: Binaries, account: Account, data: Path, user: str, password_file: Path) -> None:
    """Make a data directory whose superuser is `user`.

    Raises:
        HarnessError: initdb failed.
    """
    command = [
        binaries.program("initdb"),
        *("--pgdata", str(data)),
        *("--username", user, "--pwfile", str(password_file)),
        *("--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C"),
        *("--no-sync", "--wal-segsize", "1"),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd="/", env=_environment(), check=False, **account.spawn()
    )
    if done.returncode:
        raise HarnessError(f"initdb failed: {_end(done.stderr)}", hint="Name another db.bin_dir.", code="NO_POSTGRES")
    lines = (f"{name} = {value}\n" for name, value in SETTINGS.items())
    with (data / "postgresql.conf").open("a") as file:
        file.writelines(lines)


class Postmaster:
    """A running server on one data directory."""

    def __init__(self, binaries: Binaries, account: Account, data: Path) -> None:
        """Start it and wait until it takes connections.

        Raises:
            HarnessError: it does not start.
        """
        self.data, self._log = data, data.parent / "log"
        self._popen: subprocess.Popen[bytes] | None = None
        for attempt in range(_ATTEMPTS):
            self.port = _free_port()
            self._popen = self._start(binaries, account)
            if self._ready():
                return
            self.stop()
            if "Address already in use" not in self._log.read_text("utf-8", "replace") or attempt == _ATTEMPTS - 1:
                break
        says = _end(self._log.read_text("utf-8", "replace"))
        raise HarnessError(f"Postgres did not start: {says}", hint="Name another db.bin_dir.", code="NO_POSTGRES")

    def _start(self, binaries: Binaries, account: Account) -> subprocess.Popen[bytes]:
        with self._log.open("wb") as log:
            return subprocess.Popen(
                [binaries.program("postgres"), "-D", str(self.data), "-p", str(self.port)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                env=_environment(),
                start_new_session=True,
                preexec_fn=_dies_with_parent(),
                **account.spawn(),
            )

    def _ready(self) -> bool:
        """Wait for the last line of its own file to say so, or for its end."""
        assert self._popen is not None
        ends = time.monotonic() + READY_SEC
        while time.monotonic() < ends:
            if self._popen.poll() is not None:
                return False
            with suppress(OSError, IndexError):
                lines = (self.data / "postmaster.pid").read_text().splitlines()
                if int(lines[0]) == self._popen.pid and lines[7].strip() == "ready":
                    return True
            time.sleep(0.005)
        return False

    def close(self) -> None:
        """End it so that its data is whole."""
        self._end(signal.SIGINT)

    def stop(self) -> None:
        """End it at once; its data is thrown away."""
        self._end(signal.SIGQUIT)

    def _end(self, first: int) -> None:
        popen, self._popen = self._popen, None
        if popen is None:
            return
        for signum, seconds in ((first, 10), (signal.SIGKILL, 5)):
            with suppress(OSError):
                popen.send_signal(signum)
            with suppress(subprocess.TimeoutExpired):
                popen.wait(seconds)
                return


def _environment() -> dict[str, str]:
    """Nothing of the user's: variables such as PGDATA would be read."""
    return {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}


def _dies_with_parent() -> Callable[[], None] | None:
    """What a new process calls so that the kernel ends it with the thread that started it; None where it cannot."""
    if not sys.platform.startswith("linux"):
        return None
    prctl, parent = ctypes.CDLL(None).prctl, os.getpid()

    def bind() -> None:
        prctl(_PR_SET_PDEATHSIG, int(signal.SIGQUIT), 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)

    return bind


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _end(text: str) -> str:
    """The last line that says something."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "it said nothing"
