"""Runs servers one after another for the command line: progress, signals, and a clean end."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from sealmark.cli.progress import Progress
from sealmark.errors import Interrupted, SealmarkError
from sealmark.reading.visible import visible
from sealmark.record.model import RunRecord

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sealmark.conductor import Conductor
    from sealmark.configfile import Prepared

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Signals:
    """What arrived. The first signal stops the run in an orderly way; a clock ends it if that takes too long."""

    def __init__(self, cleanup_sec: float) -> None:
        self.signum = 0
        self._cleanup_sec = cleanup_sec
        self._conductor: Conductor | None = None
        self._clock: threading.Timer | None = None

    def watch(self, conductor: Conductor) -> None:
        """Stop this conductor when a signal comes, or at once if one came already."""
        self._conductor = conductor
        if self.signum:
            conductor.stop("interrupted")

    def arrived(self, signum: int) -> None:
        """Take a signal; only the first counts."""
        if self.signum:
            return
        self.signum = signum
        self._clock = threading.Timer(self._cleanup_sec, self._give_up)
        self._clock.daemon = True
        self._clock.start()
        if self._conductor is not None:
            self._conductor.stop("interrupted")

    def settled(self) -> None:
        """Everything was cleaned up in time."""
        if self._clock is not None:
            self._clock.cancel()

    def _give_up(self) -> None:
        from sealmark.processes import shutdown_all

        shutdown_all()
        bench = self._conductor.bench if self._conductor else None
        for path in bench.paths if bench else ():
            click.echo(f"cleanup did not finish: {visible(path)} (remove it by hand)", err=True)
        last_line(self.signum)
        sys.stderr.flush()
        os._exit(128 + self.signum)


def last_line(signum: int) -> None:
    """Say on stderr with which code the run ends, and why."""
    word = str(Interrupted(signum))
    click.echo(f"sealmark exit {128 + signum}: {word}", err=True)


@contextmanager
def _handlers(loop: asyncio.AbstractEventLoop, signals: Signals) -> Iterator[None]:
    for signum in SIGNALS:
        loop.add_signal_handler(signum, signals.arrived, signum)
    try:
        yield
    finally:
        for signum in SIGNALS:
            loop.remove_signal_handler(signum)


@dataclass
class Conducted:
    """What running several servers brought.

    Attributes:
        records: one per server that was started or tried.
        signum: the signal that stopped the run, or 0.
        stderr: what the servers that did not start wrote to stderr.
    """

    records: list[RunRecord] = field(default_factory=list)
    signum: int = 0
    stderr: str = ""


def conduct(servers: Sequence[Prepared], *, quiet: bool) -> Conducted:
    """Run each server, one after another."""
    return asyncio.run(_conduct(servers, quiet))


async def _conduct(servers: Sequence[Prepared], quiet: bool) -> Conducted:
    from sealmark.arrange import transcript_file
    from sealmark.conductor import Conductor

    signals = Signals(max(server.settings["timeouts.cleanup_sec"] for server in servers))
    done = Conducted()
    with (
        transcript_file(servers[0].settings) as transcript,
        _handlers(asyncio.get_running_loop(), signals),
        Progress(quiet=quiet) as progress,
    ):
        for server in servers:
            if signals.signum:
                break
            progress.name = visible(server.name, newlines="escape", limit=60)
            conductor = Conductor.of(server, os.environ, on_progress=progress.show, transcript=transcript)
            signals.watch(conductor)
            try:
                done.records.append(await conductor.run())
            except SealmarkError as error:
                if len(servers) == 1:
                    raise
                done.records.append(conductor.failed(error))
            done.stderr += conductor.stderr
            _say_kept(conductor)
        if transcript is not None and transcript.limit:
            click.echo(f"warning: the transcript is not complete ({transcript.limit})", err=True)
        signals.settled()
        done.signum = signals.signum
    return done


def _say_kept(conductor: Conductor) -> None:
    bench = conductor.bench
    if bench and not conductor.settings["output.redact"] and not bench.kept:
        click.echo(f"sandboxes (gone now): {' '.join(map(visible, bench.paths))}", err=True)
    for path in bench.kept if bench else ():
        click.echo(f"kept sandbox: {visible(path)}", err=True)
    for path in bench.not_removed if bench else ():
        click.echo(f"cleanup did not finish: {visible(path)} (remove it by hand)", err=True)
