"""Judge a record, once more or for the first time. Starts nothing; the judgement is appended, older ones are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from sealmark import corpora
from sealmark.check import Pack
from sealmark.errors import UsageError
from sealmark.judging.judge import judge
from sealmark.packs import PACKS
from sealmark.record.model import Judgement, RunRecord, Setting
from sealmark.settings import Origin, Settings
from sealmark.settings.integrity import Build, assess
from sealmark.settings.layers import layer_of
from sealmark.settings.methodology import Methodology, current
from sealmark.settings.table import row_of


def judged(
    record: RunRecord, *, tool_version: str, packs: Sequence[Pack] = PACKS, methodology: Methodology | None = None
) -> RunRecord:
    """The record with one more judgement; as it was when the run failed before anything could be judged."""
    if record.status == "failed":
        return record
    methodology = methodology or current()
    build = Build(corpora.digest(), {check.id: check.revision for pack in packs for check in pack.checks})
    integrity = assess(settings_of(record.gathered.settings), build, methodology)
    judgement = judge(
        record.gathered,
        packs,
        methodology,
        integrity,
        tool_version=tool_version,
        complete=record.status == "complete",
    )
    return msgspec.structs.replace(record, judgements=(*record.judgements, judgement))


def settings_of(recorded: Sequence[Setting]) -> Settings:
    """The settings of a stored run; what it does not name has the built-in default."""
    layers = [layer_of({row.key: row.value}, Origin("code", row.origin)) for row in recorded if row.origin != "default"]
    return Settings.of(*layers)


def again(record: RunRecord, packs: Sequence[Pack] = PACKS) -> Judgement | None:
    """The newest judgement made once more, when this build can: same methodology, same tool version, same revisions.

    None when it cannot, for example because another version judged, or because plugins or custom probes took part.
    """
    from sealmark import __version__

    stored = record.judgement
    if stored is None or record.status == "failed" or stored.methodology != current().version:
        return None
    revisions = {(pack.id, check.id): check.revision for pack in packs for check in pack.checks}
    known = all(revisions.get((entry.pack, entry.check)) == entry.revision for entry in stored.catalogue)
    if not known or stored.tool_version != __version__:
        return None
    applied = {state.pack for state in record.gathered.packs}
    own = tuple(pack for pack in packs if pack.id in applied)
    return judged(msgspec.structs.replace(record, judgements=()), tool_version=__version__, packs=own).judgement


def regrade(
    record: RunRecord,
    *,
    tool_version: str,
    settings: Mapping[str, Any] | None = None,
    packs: Sequence[Pack] = PACKS,
    methodology: Methodology | None = None,
) -> RunRecord:
    """The record judged again under this build, a methodology, and changed judge settings.

    Args:
        record: of any earlier run; its gathered half stays as it is.
        tool_version: of this build.
        settings: settings to change, by key; only those that a judge reads can be.
        packs: to judge with.
        methodology: severities, points and bands; this build's current one when not given.

    Raises:
        UsageError: a setting that gathering reads, or the run holds nothing to judge.
    """
    if record.status == "failed":
        raise UsageError("this run failed before anything was gathered, so there is nothing to judge")
    changed = dict(settings or {})
    for key in changed:
        try:
            row = row_of(key)
        except KeyError as error:
            raise UsageError(str(error.args[0])) from None
        if row.affects != "judge":
            raise UsageError(f"{key} decides what is {row.affects}ed, so a stored run cannot be judged under another")
    kept = tuple(setting for setting in record.gathered.settings if setting.key not in changed)
    added = tuple(Setting(key, value, "regrade") for key, value in changed.items())
    gathered = msgspec.structs.replace(record.gathered, settings=kept + added)
    again = judged(
        msgspec.structs.replace(record, gathered=gathered),
        tool_version=tool_version,
        packs=packs,
        methodology=methodology,
    )
    return msgspec.structs.replace(again, gathered=record.gathered)
