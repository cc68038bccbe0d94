"""From flags to settings: what every command that starts a server does first."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sealmark.cli.options import given as chosen

if TYPE_CHECKING:
    from sealmark.configfile import Loaded, Prepared


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
    return load(path, environ=os.environ, flags=flags, look=not without), flags


def load_servers(params: Mapping[str, Any]) -> tuple[Loaded, tuple[Prepared, ...]]:
    """The configuration, and the servers to run.

    Raises:
        ConfigError: mistakes in files, variables or flags, all at once.
        UsageError: no server, or not the one that was named.
    """
    loaded, flags = load_configuration(params)
    return loaded, loaded.prepared(flags.get("server"))
