"""One server of a survey: what is to be run, running it, and the record that comes of it whatever happens."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial

import msgspec

from sealmark import __version__
from sealmark.arrange import recorded_settings, server_facts
from sealmark.compare.fingerprint import stamp
from sealmark.conductor import Conductor
from sealmark.configfile import Loaded
from sealmark.errors import SealmarkError
from sealmark.plugins import load_plugins
from sealmark.record import codec
from sealmark.record.model import SCHEMA, Failure, Gathered, RunRecord
from sealmark.settings import Settings
from sealmark.settings.secrets import redact, secret_values
from sealmark.store.files import config_hash

LOST = "SURVEY_JOB_LOST"
"""Code of a run that was started and of which nothing came back; such a run is done again when a survey is resumed."""


Identity = tuple[str, str, str]
"""Server, version (empty: whatever the server says), hash of the configuration."""


class Job(msgspec.Struct, frozen=True):
    """One server to run. It can be sent to another machine: what is secret in it is still a reference.

    Attributes:
        entry: its name in the survey.
        settings: merged, variables unexpanded.
        warnings: about its configuration.
    """

    entry: str
    settings: Settings
    warnings: tuple[str, ...] = ()

    @property
    def server(self) -> str:
        """What the run's record will call the server."""
        return str(self.settings["server.name"] or self.entry)

    @property
    def identity(self) -> Identity:
        """What tells its runs from those of every other job, before and after they are done."""
        config = config_hash(server_facts(self.settings), recorded_settings(self.settings))
        return self.server, str(self.settings["server.version"] or ""), config


def jobs_of(loaded: Loaded) -> tuple[Job, ...]:
    """A job for every entry of a survey's servers.

    Raises:
        UsageError: one of them has neither a command nor a URL.
    """
    prepared = loaded.prepared("all") if loaded.several else ()
    return tuple(Job(server.name, server.settings, server.warnings) for server in prepared)


class Running:
    """The runs that are going on in this process, so that they can be stopped from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._conductors: dict[Conductor, asyncio.AbstractEventLoop] = {}
        self._stopped = ""

    def add(self, conductor: Conductor) -> None:
        """A run begins, on the loop of this thread."""
        with self._lock:
            self._conductors[conductor] = asyncio.get_running_loop()
            if self._stopped:
                conductor.stop(self._stopped)

    def remove(self, conductor: Conductor) -> None:
        """A run has ended."""
        with self._lock:
            del self._conductors[conductor]

    def stop(self, reason: str) -> None:
        """Stop every run, and those that begin from now on until `again`."""
        with self._lock:
            self._stopped = reason
            for conductor, loop in self._conductors.items():
                loop.call_soon_threadsafe(conductor.stop, reason)

    def again(self) -> None:
        """Let runs begin."""
        with self._lock:
            self._stopped = ""


RUNNING = Running()


def run_job(job: Job) -> bytes:
    """Run one server here and return its record as JSON; this never raises on account of the server."""
    try:
        return codec.dump(asyncio.run(_run(job, os.environ)))
    except SealmarkError as error:
        return codec.dump(failed(job, error.code, error.message, error.hint))
    except Exception as error:
        text = f"the harness failed: {type(error).__name__}: {error}"
        return codec.dump(failed(job, "HARNESS_FAILED", text, "Report it, with the survey's file."))


async def _run(job: Job, environ: Mapping[str, str]) -> RunRecord:
    secrets = secret_values(job.settings, environ)
    plugins = load_plugins(job.settings)
    conductor = Conductor(
        job.settings,
        environ=environ,
        redact=partial(_without, secrets=secrets),
        packs=plugins.packs,
        plugins=plugins.digests,
        warnings=job.warnings,
    )
    RUNNING.add(conductor)
    try:
        return await conductor.run()
    finally:
        RUNNING.remove(conductor)


def _without(text: str, secrets: frozenset[str]) -> str:
    return redact(text, secrets)


def failed(job: Job, code: str, message: str, hint: str) -> RunRecord:
    """The record of a run that could not be carried out."""
    secrets = secret_values(job.settings, os.environ)
    facts = server_facts(job.settings)
    return stamp(
        RunRecord(
            schema=SCHEMA,
            tool_version=__version__,
            started_at=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            duration_ms=0,
            status="failed",
            gathered=Gathered(
                server=msgspec.structs.replace(facts, name=job.server),
                settings=recorded_settings(job.settings),
            ),
            failure=Failure(code, redact(message, secrets), hint),
        )
    )
