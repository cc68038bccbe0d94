"""From flags to settings: what every command that starts a server does first."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from sealmark.cli.options import given as chosen
from sealmark.reading.visible import visible

if TYPE_CHECKING:
    from sealmark.check import Pack
    from sealmark.configfile import Loaded, Prepared
    from sealmark.settings.layers import Layer


def load_configuration(params: Mapping[str, Any]) -> tuple[Loaded, dict[str, Any]]:
    """The configuration with every layer merged, and the flags that were given.

    `sealmark.yaml` is read with `--start` too: flags lie over the file. `--no-config` leaves it out.

    Raises:
        ConfigError: mistakes in files, variables or flags, all at once.
        UsageError: a file or a server that does not exist, or `--config` with `--no-config`.
    """
    from sealmark.configfile import load
    from sealmark.errors import UsageError

    flags = chosen(params)
    path, without = flags.pop("config", None), flags.pop("no_config", False)
    if path and without:
        raise UsageError("--config and --no-config exclude each other", hint="Remove one of them.")
    restored = _replayed(flags)
    return load(path, environ=os.environ, flags=flags, look=not without, chosen=restored), flags


def _replayed(flags: dict[str, Any]) -> Layer | None:
    """What `--replay` restores, which is taken out of the flags.

    Raises:
        UsageError: the report holds several runs and none is named, or cannot be replayed.
        RecordError: it cannot be read.
    """
    path = flags.pop("replay", None)
    if path is None:
        return None
    from pathlib import Path

    from sealmark.cli.ratchet import read_runs
    from sealmark.errors import UsageError
    from sealmark.judging.replay import notes, replayed

    runs = read_runs(Path(path))
    wanted = [run for run in runs if run.gathered.server.name == flags.get("server")] or runs
    if len(wanted) != 1:
        names = ", ".join(visible(run.gathered.server.name, newlines="escape", limit=60) for run in runs)
        raise UsageError(f"{path} holds {len(runs)} runs", hint=f"Name one with --server: {names}.")
    layer = replayed(wanted[0], path, flags)
    for note in notes(wanted[0]):
        click.echo(f"note: {note}", err=True)
    return layer


def load_servers(params: Mapping[str, Any]) -> tuple[Loaded, tuple[Prepared, ...]]:
    """The configuration, and the servers to run.

    Raises:
        ConfigError: mistakes in files, variables or flags, all at once.
        UsageError: no server, or not the one that was named.
    """
    loaded, flags = load_configuration(params)
    return loaded, loaded.prepared(flags.get("server"))


def packs_of(config: str | None) -> Sequence[Pack]:
    """The packs of this build; with a configuration also the checks that its plugins and its probes make.

    Raises:
        ConfigError: mistakes in the file.
        UsageError: there is no such file.
    """
    from sealmark.packs import PACKS
    from sealmark.packs.custom import with_own

    if config is None:
        return PACKS
    from sealmark.configfile import load

    loaded = load(config, environ=os.environ)
    name, settings = loaded.servers[0]
    return with_own(loaded.plugins_of(name).packs, settings["probes"])
