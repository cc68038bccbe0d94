"""Is a run STANDARD? Every setting that can change a grade is compared with the standard profile, and hashed.

Pure: what the code and the corpora are (revisions, digests) is handed in. A run without plugins and custom checks has
the hash of the published standard, however much coverage was added to it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from sealmark.record.model import Difference, Integrity
from sealmark.record.model import Setting as RecordSetting
from sealmark.settings.methodology import CURRENT, Methodology, current
from sealmark.settings.secrets import shown
from sealmark.settings.table import by_key
from sealmark.settings.values import Settings

__all__ = [
    "Build",
    "Difference",
    "Integrity",
    "assess",
    "custom_checks",
    "difference_line",
    "header",
    "integrity_of_record",
]

_ONLY_WHEN_GIVEN = frozenset({"plugins", "plugin_checks", "corpus.add", "corpus.remove"})
"""Locked settings that enter the hash only when there are any."""


class Build(msgspec.Struct, frozen=True):
    """What the running code is made of.

    Attributes:
        corpora: the digest of the corpora; empty when it is not known.
        revisions: check id -> revision of its code, for the checks of this build.
        plugins: module -> hash of its source, for the plugins that are loaded.
    """

    corpora: str = ""
    revisions: Mapping[str, int] = {}
    plugins: Mapping[str, str] = {}


def assess(settings: Settings, build: Build | None = None, methodology: Methodology | None = None) -> Integrity:
    """Compare a run's settings and code with the standard.

    Args:
        settings: the effective settings.
        build: the running code; without it, code and corpora count as the methodology's own.
        methodology: what the run is judged under; the current one when not given.
    """
    origins = {key: str(settings.origin(key)) for key in by_key()}
    values = {key: shown(settings, key) for key in by_key()}  # as a record keeps them, so that both give one answer
    return _assess(values, origins, build or Build(), methodology or current())


def integrity_of_record(
    recorded: Iterable[RecordSetting],
    methodology: Methodology,
    *,
    corpora: str = "",
    revisions: Mapping[str, int] | None = None,
    plugins: Mapping[str, str] | None = None,
) -> Integrity:
    """`assess` for the settings that a record keeps. A setting that the record does not know counts as standard."""
    rows = {setting.key: setting for setting in recorded if setting.key in by_key()}
    values = {**dict(Settings.standard()), **{key: setting.value for key, setting in rows.items()}}
    origins = {key: setting.origin for key, setting in rows.items()}
    return _assess(values, origins, Build(corpora, revisions or {}, plugins or {}), methodology)


def _assess(values: Mapping[str, Any], origins: Mapping[str, str], build: Build, methodology: Methodology) -> Integrity:
    differences = (
        *_setting_differences(values, origins, methodology),
        *_build_differences(build, methodology),
        *_own_checks(values, origins, build),
    )
    return Integrity(not differences, _hash(values, build, methodology), differences)


def header(integrity: Integrity) -> str:
    """The words that every report begins with."""
    if integrity.standard:
        return "STANDARD"
    count = len(integrity.differences)
    return f"CUSTOM (not the published methodology: {count} difference{'' if count == 1 else 's'})"


def difference_line(difference: Difference) -> str:
    """One difference in words: `timeouts.probe_sec: standard 10, effective 2  (flag --timeout-probe)`."""
    pair = (json.dumps(value, ensure_ascii=False) for value in (difference.standard, difference.effective))
    standard, effective = pair
    origin = f"  ({difference.origin})" if difference.origin else ""
    return f"{difference.key}: standard {standard}, effective {effective}{origin}"


def custom_checks(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """The ids of the checks that `probes:` defines, each once, in order."""
    return tuple(dict.fromkeys(probe["check"] for probe in settings["probes"] if probe.get("check")))


def _setting_differences(
    values: Mapping[str, Any], origins: Mapping[str, str], methodology: Methodology
) -> Iterator[Difference]:
    standard = Settings.standard()
    for key, row in by_key().items():
        if not row.locked or key == "plugins":
            continue
        if key == "packs":
            dropped = [pack for pack in methodology.standard_packs if pack not in values["packs"]]
            differs = bool(dropped)
        else:
            differs = _canonical(values[key]) != _canonical(standard[key])
        if differs:
            yield Difference(key, _canonical(standard[key]), _canonical(values[key]), origins.get(key, ""))


def _build_differences(build: Build, methodology: Methodology) -> Iterator[Difference]:
    if methodology.version != CURRENT:
        yield Difference("methodology", CURRENT, methodology.version)
    if methodology.corpora and build.corpora and build.corpora != methodology.corpora:
        yield Difference("corpora", methodology.corpora, build.corpora, "this installation")
    for pack in methodology.packs:
        for check in pack.checks:
            revision = build.revisions.get(check.id, check.revision)
            if revision != check.revision:
                yield Difference(f"revision of {check.id}", check.revision, revision, "this installation")


def _own_checks(values: Mapping[str, Any], origins: Mapping[str, str], build: Build) -> Iterator[Difference]:
    plugins = build.plugins or dict.fromkeys(values["plugins"], "")
    for module, digest in plugins.items():
        yield Difference(f"plugin {module}", None, digest or "loaded", origins.get("plugins", ""))
    if custom_checks(values):
        yield Difference("probes", [], list(custom_checks(values)), origins.get("probes", ""))


def _hash(values: Mapping[str, Any], build: Build, methodology: Methodology) -> str:
    """SHA-256 over all that affects a grade; candidates, plugins and own checks enter only when there are any."""
    candidates = {check.id for pack in methodology.packs for check in pack.checks if not check.in_standard}
    standard = Settings.standard()
    locked: dict[str, Any] = {}
    for key, row in by_key().items():
        if not row.locked:
            continue
        value = _canonical(values[key])
        outside = row.path[0] == "checks" and row.path[1] in candidates
        if (outside or key in _ONLY_WHEN_GIVEN) and value == _canonical(standard[key]):
            continue
        locked[key] = sorted(set(value) & set(methodology.standard_packs)) if key == "packs" else value
    content: dict[str, Any] = {
        "methodology": methodology.version,
        "settings": locked,
        "corpora": build.corpora or methodology.corpora,
        "revisions": {
            check.id: build.revisions.get(check.id, check.revision)
            for pack in methodology.packs
            for check in pack.checks
            if check.in_standard
        },
    }
    if build.plugins:
        content["plugins"] = dict(build.plugins)
    if custom_checks(values):
        content["custom"] = sorted(custom_checks(values))
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def _canonical(value: Any) -> Any:
    """`value` as JSON would have it, with whole numbers as integers, so that 10 and 10.0 are one value."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {key: _canonical(item) for key, item in sorted(value.items())}
    if isinstance(value, tuple | list):
        return [_canonical(item) for item in value]
    return value
