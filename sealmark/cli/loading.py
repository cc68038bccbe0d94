"""From flags to settings: what every command that starts a server does first."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sealmark.cli.options import given as chosen

if TYPE_CHECKING:
    from sealmark.configfile import Loaded, Prepared


def load_servers(params: Mapping[str, Any]) -> tuple[Loaded, tuple[Prepared, ...]]:
    """The configuration with every layer merged, and the servers to run.

    Raises:
        ConfigError: mistakes in files, variables or flags, all at once.
        UsageError: no server, or not the one that was named.
    """
    from sealmark.configfile import load

    flags = chosen(params)
    loaded = load(flags.pop("config", None), environ=os.environ, flags=flags, look="start" not in flags)
    return loaded, loaded.prepared(flags.get("server"))
