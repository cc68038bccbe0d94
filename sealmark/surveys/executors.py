"""Executors for the command line: threads here, processes here, or the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any

from sealmark.errors import HarnessError, MissingExtra, UsageError

KINDS = ("threads", "processes", "dask")


@contextmanager
def executor_of(kind: str, jobs: int | None, scheduler: str = "") -> Iterator[Executor | None]:
    """The executor of that kind, closed at the end; None stands for the survey's own threads.

    Args:
        kind: threads, processes or dask.
        jobs: workers here; of no use to a cluster that runs already.
        scheduler: address of a running Dask scheduler; without one a cluster is started on this machine.

    Raises:
        UsageError: another kind, or an address for one that takes none.
        MissingExtra: Dask is not installed.
        HarnessError: the scheduler does not answer.
    """
    if kind not in KINDS:
        raise UsageError(f"unknown executor {kind!r}", hint=f"Executors: {', '.join(KINDS)}.")
    if scheduler and kind != "dask":
        raise UsageError("--scheduler is for --executor dask", hint="Type: --executor dask --scheduler ADDRESS")
    if kind == "threads":
        yield None
    elif kind == "processes":
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
            yield pool
    else:
        with _dask(jobs, scheduler) as pool:
            yield pool


@contextmanager
def _dask(jobs: int | None, scheduler: str) -> Iterator[Executor]:
    try:
        import dask
        import distributed
    except ImportError:
        raise MissingExtra("a Dask cluster", "cluster") from None
    library: Any = distributed
    # a job that kills its worker must not be tried on every other worker in turn
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
        try:
            client = library.Client(scheduler, timeout="20s") if scheduler else _here(library, jobs or 2)
        except OSError as error:
            raise HarnessError(f"no Dask scheduler at {scheduler}: {error}", hint="Start one: dask scheduler") from None
        with client, client.get_executor(pure=False, retries=0) as pool:
            try:
                yield pool
            finally:
                if not scheduler and client.cluster is not None:
                    client.cluster.close()


def _here(library: Any, workers: int) -> Any:
    """A client of a new cluster on this machine, one process per worker."""
    cluster = library.LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None)
    return library.Client(cluster)
