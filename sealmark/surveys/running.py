"""Grades many servers and versions of servers into a store, on any `concurrent.futures` executor."""

from __future__ import annotations

import os
import re
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sealmark.arrange import package_of
from sealmark.configfile import Loaded, read
from sealmark.configfile import load as load_config
from sealmark.errors import ConfigError, Interrupted, UsageError
from sealmark.frames.files import load
from sealmark.frames.runs import Runs
from sealmark.record import codec
from sealmark.record.model import RunRecord
from sealmark.settings.arguments import chosen_layer
from sealmark.settings.document import Document
from sealmark.store import Store
from sealmark.surveys.jobs import LOST, RUNNING, Job, failed, jobs_of, run_job
from sealmark.surveys.packages import expand
from sealmark.surveys.rounds import begin, done

Servers = str | os.PathLike[str] | Sequence[str | Mapping[str, Any]]
"""A survey file, or a list of command lines and of entries as in `servers:` or `packages:`."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a survey is, after each run.

    Attributes:
        entry: the server that has just been run; empty at the start.
        done: runs that came to their end, those of earlier rounds included.
        total: servers of the survey.
        failed: runs of this survey that could not be carried out.
        left_sec: a guess of the time left in seconds; None as long as nothing is known.
        run: the record of that run.
    """

    entry: str
    done: int
    total: int
    failed: int
    left_sec: float | None
    run: RunRecord | None


def survey(
    servers: Servers,
    *,
    store: str | os.PathLike[str] = "runs",
    jobs: int | None = None,
    executor: Executor | None = None,
    resume: bool = False,
    profile: str | None = None,
    packs: Sequence[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    flags: Mapping[str, Any] | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Runs:
    """Grade many servers; store a record of each; return the runs.

    A server that hangs or crashes costs only its own run. When the survey is stopped, `resume` does what is missing.

    Args:
        servers: a survey file (docs/survey.md), or a list of command lines and entries.
        store: the folder for the records.
        jobs: how many at a time; by default as many as there are processors, at most 4.
        executor: runs the jobs, instead of threads here; it is not shut down. `jobs` is then its own affair.
        resume: take up the last round of this survey in this store.
        profile: standard, quick, ci, strict, paranoid, or one of the file's.
        packs: only these packs.
        settings: any other settings, by key (docs/settings.md).
        flags: as the command line gives them.
        on_progress: called in the caller's thread, at the start and after each run.

    Raises:
        UsageError, ConfigError: before anything is started.
        Interrupted: Ctrl-C; the runs that had ended are stored.
    """
    name, loaded = _configuration(servers, profile, packs, settings, flags)
    home, wanted = Store(Path(store)), jobs_of(loaded)
    round_ = begin(home, name, wanted, resume=resume)
    finished = dict(done(home, round_))
    left = [job for job in wanted if job.identity not in finished]
    tracker = _Tracker(len(wanted), len(wanted) - len(left), max(1, jobs or min(4, os.cpu_count() or 1)))
    on_progress(tracker.state("", None))
    with _pool(executor, tracker.jobs) as pool:
        for job, run in _results(pool, left):
            if run.status == "interrupted":
                continue
            finished[job.identity] = home.write(run)
            on_progress(tracker.after(job, run))
    home.update_cache()
    if len(finished) < len(wanted):
        raise Interrupted(2)
    paths = [finished[job.identity] for job in wanted if job.identity in finished]
    return load(*paths) if paths else Runs([])


def _configuration(
    servers: Servers,
    profile: str | None,
    packs: Sequence[str] | None,
    settings: Mapping[str, Any] | None,
    flags: Mapping[str, Any] | None,
) -> tuple[str, Loaded]:
    """The survey's name and the configuration of every server of it."""
    chosen = chosen_layer(packs=packs, settings=settings)
    if isinstance(servers, str | os.PathLike):
        path = Path(servers)
        if not path.is_file():
            raise UsageError(f"no survey file {str(path)!r}", hint="docs/survey.md says how to write one.")
        document = expand(read(path))
        loaded = load_config(path, profile, flags=flags, chosen=chosen, project=document)
        if not loaded.several:
            raise UsageError(f"{path} names no server", hint="Write `servers:` or `packages:`; see docs/survey.md.")
        return path.stem, loaded
    document = expand(Document("survey", "", _listed(servers)))
    return "survey", load_config(None, profile, flags=flags, chosen=chosen, project=document, look=False)


def _listed(servers: Sequence[str | Mapping[str, Any]]) -> dict[str, Any]:
    """A list of command lines and entries as a survey file would hold them."""
    found: dict[str, Any] = {}
    packages: list[Mapping[str, Any]] = []
    problems: list[str] = []
    for at, item in enumerate(servers):
        if not isinstance(item, str) and ("npm" in item or "pypi" in item):
            packages.append(item)
            continue
        body = _from_command(item) if isinstance(item, str) else dict(item)
        if not body.get("name"):
            problems.append(f"servers[{at}] has no name; give it one, as {{'name': 'mine', 'command': …}}")
            continue
        key = f"{body['name']}@{body['version']}" if "version" in body else str(body["name"])
        if key in found:
            problems.append(f"servers[{at}]: a server called {key!r} is there already")
        found[key] = body
    if problems:
        raise ConfigError(problems)
    return {"servers": found, **({"packages": packages} if packages else {})}


def _from_command(text: str) -> dict[str, Any]:
    """An entry for a command line, named after its package, else after the line itself."""
    words = shlex.split(text)
    if not words:
        return {}
    package = re.sub(r"^\w+:", "", package_of(words))
    parts = re.fullmatch(r"(@?[^@=]+)(?:@|==)?(.*)", package)
    named = {"name": parts[1].rsplit("/", 1)[-1], "version": parts[2]} if parts else {"name": text}
    return {key: value for key, value in named.items() if value} | {"command": words[0], "args": words[1:]}


@contextmanager
def _pool(given: Executor | None, jobs: int) -> Iterator[Executor]:
    """The executor; whatever happens, nothing of ours goes on running after it."""
    pool = given or ThreadPoolExecutor(jobs, thread_name_prefix="sealmark-survey")
    RUNNING.again()
    try:
        yield pool
    finally:
        RUNNING.stop("interrupted")
        if given is None:
            pool.shutdown(cancel_futures=True)
        RUNNING.again()


def _results(pool: Executor, jobs: Sequence[Job]) -> Iterator[tuple[Job, RunRecord]]:
    """Every job with its record, as they end. Ctrl-C stops what runs, gives what had ended, and ends the survey."""
    futures: dict[Future[bytes], Job] = {}
    for job in jobs:
        try:
            futures[pool.submit(run_job, job)] = job
        except RuntimeError as error:
            yield job, failed(job, LOST, f"the executor took no more work: {error}", "Resume the survey.")
    pending = dict(futures)
    try:
        for future in as_completed(futures):
            del pending[future]
            yield futures[future], _record(futures[future], future)
    except KeyboardInterrupt:
        RUNNING.stop("interrupted")
        for future in pending:
            future.cancel()
        for future in [future for future in pending if future.done() and not future.cancelled()]:
            yield pending[future], _record(pending[future], future)


def _record(job: Job, future: Future[bytes]) -> RunRecord:
    """What came of a job; a worker that died with it gives a failed record."""
    try:
        return codec.load(future.result(), job.entry)
    except (Exception, CancelledError) as error:
        text = f"the worker did not come back: {type(error).__name__}: {error}"
        return failed(job, LOST, text[:500], "Resume the survey to run it again.")


class _Tracker:
    """Counts what is done and guesses the time left."""

    def __init__(self, total: int, before: int, jobs: int) -> None:
        self.total, self.before, self.jobs = total, before, jobs
        self.ended = self.failed = 0
        self._started = time.monotonic()

    def after(self, job: Job, run: RunRecord) -> Progress:
        """The state after one more run."""
        self.ended += 1
        self.failed += run.status == "failed"
        return self.state(job.entry, run)

    def state(self, entry: str, run: RunRecord | None) -> Progress:
        """The state now."""
        left = self.total - self.before - self.ended
        pace = (time.monotonic() - self._started) / self.ended if self.ended else None
        guess = None if pace is None else pace * left
        return Progress(entry, self.before + self.ended, self.total, self.failed, guess, run)
