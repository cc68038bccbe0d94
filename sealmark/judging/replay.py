"""What an earlier report was made with: the settings that decide a grade, restored only if they still mean the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sealmark import corpora
from sealmark.errors import UsageError
from sealmark.judging.regrade import settings_of
from sealmark.packs import PACKS
from sealmark.record.model import Judgement, RunRecord
from sealmark.settings import Origin
from sealmark.settings.flags import flags_layer
from sealmark.settings.integrity import Build, assess
from sealmark.settings.layers import Layer, layer_of, merge
from sealmark.settings.methodology import current
from sealmark.settings.table import by_key
from sealmark.settings.values import load_defaults

NOT_RESTORED = ("plugins", "plugin_checks", "server.transport")
"""Locked settings that a report never brings: they name code, or say how the server is reached."""


def replayed(record: RunRecord, name: str, flags: Mapping[str, Any]) -> Layer:
    """The locked settings of an earlier run as a layer above every other.

    Args:
        record: the earlier run.
        name: of its file, for messages and origins.
        flags: what was given on the command line; it may not give a locked setting.

    Raises:
        UsageError: the run was never judged, its hash is not that of its settings under this build, or a flag gives
            what the report decides.
    """
    judgement = record.judgement
    if judgement is None:
        raise UsageError(f"{name}: this run was never judged, so it has no configuration hash", hint="Name another.")
    settings = settings_of(record.gathered.settings)
    build = Build(
        corpora.digest(),
        {check.id: check.revision for pack in PACKS for check in pack.checks},
        record.gathered.facts.get("plugins", {}),
    )
    if assess(settings, build, current()).hash != judgement.integrity.hash:
        raise UsageError(f"{name}: cannot be replayed: {_why(judgement)}", hint="Run without --replay, then compare.")
    keys = [key for key, row in by_key().items() if row.locked and key not in NOT_RESTORED]
    given = flags_layer(flags).layer
    both = sorted(key for key in keys if any(at == key or at.startswith(key + ".") for at in _keys(given)))
    if both:
        raise UsageError(f"--replay restores {', '.join(both)}, and a flag gives another value", hint="Remove one.")
    origin = Origin("flag", f"--replay {name}")
    defaults = load_defaults()
    restored = {key: settings[key] for key in keys if settings[key] != defaults[key]}
    return merge(layer_of(dict.fromkeys(keys), origin), layer_of(restored, origin))


def notes(record: RunRecord) -> tuple[str, ...]:
    """What a replay does not bring back, one sentence each."""
    declared = [one.key for one in record.gathered.settings if one.key == "probes" and one.value]
    declared += [f"plugin {name}" for name in record.gathered.facts.get("plugins", {})]
    lines = []
    if declared:
        lines.append(f"--replay restores locked settings only; declare the same yourself: {', '.join(declared)}")
    if record.gathered.facts.get("active"):
        lines.append("the report was made with --active; without it those packs and probes are left out")
    return tuple(lines)


def _keys(layer: Layer) -> tuple[str, ...]:
    return (*layer.values, *layer.appends, *layer.resets)


def _why(judgement: Judgement) -> str:
    if judgement.methodology != current().version:
        return f"it was judged under methodology {judgement.methodology}, and this build has {current().version}"
    return (
        f"its settings do not give its configuration hash {judgement.integrity.hash[:12]} under this build: its "
        f"corpora or checks are others (tool {judgement.tool_version}), or the file was edited"
    )
