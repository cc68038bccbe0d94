"""The layer of the Python API: what a caller of `sealmark.run` chose, checked by the same table as a file."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from sealmark.errors import ConfigError
from sealmark.settings.layers import Layer, Origin, layer_of, merge_all
from sealmark.settings.table import row_of, split_key
from sealmark.settings.types import Reader


def chosen_layer(
    *,
    start: str | Sequence[str] | None = None,
    url: str | None = None,
    packs: Sequence[str] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Layer:
    """The arguments of a call as one layer above every other.

    Args:
        start: the command line that starts the server, as text or as a list of words.
        url: the server's HTTP endpoint.
        packs: only these packs.
        settings: any settings by key; None restores the built-in default.

    Raises:
        ConfigError: one line for each key that does not exist and each value that does not fit.
    """
    chosen: dict[str, Any] = dict(settings or {})
    if start is not None:
        words = shlex.split(start) if isinstance(start, str) else list(start)
        chosen |= {"server.command": words[0] if words else "", "server.args": words[1:]}
    chosen |= {key: value for key, value in (("server.url", url), ("packs", packs)) if value is not None}
    problems: list[str] = []
    layers = [_layer(key, value, problems) for key, value in chosen.items()]
    if problems:
        raise ConfigError(problems)
    return merge_all(layers)


def _layer(key: str, value: Any, problems: list[str]) -> Layer:
    origin = Origin("code", f"setting {key}")
    try:
        row = row_of(key)
    except KeyError as error:
        problems.append(str(error.args[0]))
        return Layer()
    reader = Reader()
    reader.hide = row.secret
    entry = row.is_map and key != row.key
    type_ = row.type.item if entry and row.type.item else row.type
    read = None if value is None else reader.read(type_, value, split_key(key))
    problems += [problem.says for problem in reader.problems]
    return Layer() if reader.problems else layer_of({key: read}, origin)
