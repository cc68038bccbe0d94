"""Judge a record, once more or for the first time. Starts nothing; the judgement is appended, older ones are kept."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from sealmark import corpora
from sealmark.check import Check, Pack
from sealmark.errors import UsageError
from sealmark.judging.judge import judge
from sealmark.packs import PACKS
from sealmark.packs.custom import with_own
from sealmark.record.model import CatalogueEntry, Judgement, RunRecord, Setting
from sealmark.settings import Origin, Settings
from sealmark.settings.integrity import Build, assess
from sealmark.settings.layers import layer_of
from sealmark.settings.methodology import Methodology, current
from sealmark.settings.table import row_of


def judged(
    record: RunRecord,
    *,
    tool_version: str,
    packs: Sequence[Pack] = PACKS,
    methodology: Methodology | None = None,
    plugins: Mapping[str, str] | None = None,
) -> RunRecord:
    """The record with one more judgement; as it was when the run failed before anything could be judged.

    Args:
        record: what was gathered.
        tool_version: of this build.
        packs: to judge with.
        methodology: this build's current one when not given.
        plugins: module -> hash of its source; those that the run was made with when not given.
    """
    if record.status == "failed":
        return record
    methodology = methodology or current()
    packs = with_own(packs, probes_of(record.gathered.settings))
    build = Build(
        corpora.digest(),
        {check.id: check.revision for pack in packs for check in pack.checks},
        record.gathered.facts.get("plugins", {}) if plugins is None else plugins,
    )
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


def probes_of(recorded: Sequence[Setting]) -> Sequence[Mapping[str, Any]]:
    """The user's own probes of a stored run."""
    return next((row.value for row in recorded if row.key == "probes"), ())


def settings_of(recorded: Sequence[Setting]) -> Settings:
    """The settings of a stored run; what it does not name has the built-in default."""
    layers = [layer_of({row.key: row.value}, Origin("code", row.origin)) for row in recorded if row.origin != "default"]
    return Settings.of(*layers)


def again(record: RunRecord, packs: Sequence[Pack] = PACKS) -> Judgement | None:
    """The newest judgement made once more, when this build can: same methodology, tool version, revisions and corpora.

    None when it cannot, for example because another version judged, or because plugins or custom probes took part.
    """
    from sealmark import __version__

    stored = record.judgement
    if stored is None or record.status == "failed" or stored.methodology != current().version:
        return None
    packs = with_own(packs, probes_of(record.gathered.settings))
    revisions = {(pack.id, check.id): check.revision for pack in packs for check in pack.checks}
    known = all(revisions.get((entry.pack, entry.check)) == entry.revision for entry in stored.catalogue)
    if not known or stored.tool_version != __version__:
        return None
    applied = {state.pack for state in record.gathered.packs}
    own = tuple(pack for pack in packs if pack.id in applied)
    fresh = judged(msgspec.structs.replace(record, judgements=()), tool_version=__version__, packs=own).judgement
    same = fresh is not None and fresh.integrity.hash == stored.integrity.hash
    return fresh if same else None


def regrade(
    record: RunRecord,
    *,
    tool_version: str,
    settings: Mapping[str, Any] | None = None,
    packs: Sequence[Pack] = PACKS,
    methodology: Methodology | None = None,
    plugins: Mapping[str, str] | None = None,
) -> RunRecord:
    """The record judged again under this build, a methodology, and changed judge settings.

    Args:
        record: of any earlier run; its gathered half stays as it is.
        tool_version: of this build.
        settings: settings to change, by key; only those that a judge reads can be.
        packs: to judge with. Checks of the stored judgement that are of none of them become inconclusive.
        methodology: severities, points and bands; this build's current one when not given.
        plugins: module -> hash of its source, for the plugins among the packs.

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
        packs=with_absent(packs, record) if absent_plugins(record, plugins or ()) else packs,
        methodology=methodology,
        plugins=plugins,
    )
    return msgspec.structs.replace(again, gathered=record.gathered)


def absent_plugins(record: RunRecord, plugins: Iterable[str]) -> tuple[str, ...]:
    """Plugins that the run was made with and that are not among those given."""
    return tuple(name for name in record.gathered.facts.get("plugins", {}) if name not in set(plugins))


def with_absent(packs: Sequence[Pack], record: RunRecord) -> tuple[Pack, ...]:
    """The packs, and for each check of a plugin that is not here one that says so, in the pack where it was."""
    stored = record.judgement.catalogue if record.judgement else ()
    here = {check.id for pack in packs for check in pack.checks}
    absent: dict[str, list[Check]] = {}
    for entry in stored:
        if entry.lifecycle == "custom" and entry.pack != "custom" and entry.check not in here:
            absent.setdefault(entry.pack, []).append(_absent(entry))
    joined = [dataclasses.replace(pack, checks=(*pack.checks, *absent.pop(pack.id, ()))) for pack in packs]
    titles = {state.pack: state.title for state in record.gathered.packs}
    for pack_id, checks in absent.items():
        title = titles.get(pack_id, pack_id)
        joined.append(Pack(pack_id, title, "", lambda target: (True, ""), tuple(checks), status="custom"))
    return tuple(joined)


def _absent(entry: CatalogueEntry) -> Check:
    return Check(
        id=entry.check,
        revision=entry.revision,
        title=entry.title,
        question=entry.question,
        page="",
        rules=(),
        plan=lambda target: (),
        judge=lambda seen: seen.decide("plugin-missing"),
        scope=entry.scope,
    )
