"""The Python API behind `sealmark.run`, `load`, `regrade` and `diff`."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sealmark import __version__
from sealmark.errors import RecordError
from sealmark.record.model import RunRecord

if TYPE_CHECKING:
    from sealmark.compare.diff import Diff
    from sealmark.frames.run import Run
    from sealmark.frames.runs import Runs

T = TypeVar("T")


def run(
    start: str | None = None,
    *,
    config: str | Path | None = None,
    server: str | None = None,
    profile: str | None = None,
    packs: Sequence[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    url: str | None = None,
) -> Run:
    """Grade one server and return the run.

    Works in a script and inside a notebook's running event loop alike.

    Args:
        start: the command line that starts the server; placeholders such as `{sandbox}` are filled.
        config: a configuration file; without it and without `start`, `sealmark.yaml` in the working directory.
        server: which entry of `servers:` to run.
        profile: standard, quick, ci, strict, paranoid, or one of the configuration's.
        packs: only these packs.
        settings: any other settings, by key (docs/settings.md).
        url: the server's HTTP endpoint; with `start` the server is started and the URL awaited.

    Raises:
        UsageError, ConfigError: before anything is started.
        ServerError: the server could not be started; nothing was gathered.
    """
    return _anywhere(
        arun(start, config=config, server=server, profile=profile, packs=packs, settings=settings, url=url)
    )


async def arun(
    start: str | None = None,
    *,
    config: str | Path | None = None,
    server: str | None = None,
    profile: str | None = None,
    packs: Sequence[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    url: str | None = None,
) -> Run:
    """`run` for code that is asynchronous already."""
    from sealmark.arrange import transcript_file
    from sealmark.conductor import Conductor
    from sealmark.configfile import load as load_config
    from sealmark.errors import ServerError
    from sealmark.frames.run import Run
    from sealmark.settings.arguments import chosen_layer

    chosen = chosen_layer(start=start, url=url, packs=packs, settings=settings or {})
    look = start is None and url is None
    loaded = load_config(config, profile=profile, environ=os.environ, chosen=chosen, look=look)
    prepared = loaded.one(server)
    with transcript_file(prepared.settings) as transcript:
        record = await Conductor.of(prepared, os.environ, transcript=transcript).run()
    if record.failure is not None:
        raise ServerError(record.failure.message, hint=record.failure.hint, code=record.failure.code)
    return Run(record)


def load(*paths: str | Path) -> Runs:
    """Stored runs, from files and folders.

    A file that cannot be read becomes a row of `Runs.problems`; nothing else is lost.

    Raises:
        RecordError: a path that does not exist, or nothing that could be read at all.
    """
    from sealmark.frames.files import load as read

    return read(*paths)


def regrade(
    run: Run | RunRecord,
    *,
    settings: Mapping[str, Any] | None = None,
    methodology: Any = None,
    plugins: Sequence[str] = (),
) -> Run:
    """Judge a run again with this build, offline; the new judgement is the run's newest.

    Args:
        run: a run or its record.
        settings: settings to change that only a judge reads, for example `{"checks.protocol.severity": "critical"}`.
        methodology: a `Methodology`, for another formula; this build's when not given.
        plugins: modules to judge with; checks of other plugins that the run was made with become inconclusive.

    Raises:
        UsageError: a setting that gathering reads, or a run in which nothing was gathered.
        ConfigError: a plugin that cannot be used.
    """
    from sealmark.compare.fingerprint import stamp
    from sealmark.frames.run import Run
    from sealmark.judging.regrade import regrade as again
    from sealmark.plugins import named_plugins

    record = run.record if isinstance(run, Run) else run
    found = named_plugins(plugins)
    judged = again(
        record,
        tool_version=__version__,
        settings=settings,
        methodology=methodology,
        packs=found.packs,
        plugins=found.digests or None,
    )
    return Run(stamp(judged))


def diff(before: Run | RunRecord | str | Path, after: Run | RunRecord | str | Path) -> Diff:
    """What changed between two runs of one server: regressions, improvements, drift of surface and behaviour.

    Raises:
        RecordError: a path that holds no readable record.
    """
    from sealmark.compare.diff import diff as compare

    return compare(_record(before), _record(after))


def _record(given: Run | RunRecord | str | Path) -> RunRecord:
    if isinstance(given, RunRecord):
        return given
    if isinstance(given, str | Path):
        from sealmark.record.codec import load as read

        try:
            return read(Path(given).read_bytes(), str(given))
        except OSError as error:
            raise RecordError(f"{given}: {error.strerror}") from None
    return given.record


def _anywhere(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine, also when this thread's event loop is already running (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    box: dict[str, Any] = {}

    def target() -> None:
        try:
            box["value"] = asyncio.run(work)
        except BaseException as error:
            box["error"] = error

    thread = threading.Thread(target=target, name="sealmark-run")
    thread.start()
    thread.join()
    if "error" in box:
        raise box["error"]
    value: T = box["value"]
    return value
