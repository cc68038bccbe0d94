"""Profiles: named sets of settings to start from. Five are shipped; a configuration may define more.

`standard` is the published methodology. `ci` changes only what is reported and the exit code, so a run with
it can be STANDARD; the others cannot.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from sealmark.errors import UsageError
from sealmark.settings.layers import Layer, Origin, layer_of, merge_all
from sealmark.settings.methodology import current
from sealmark.settings.table import Setting
from sealmark.settings.types import did_you_mean

NEVER_IN_A_PROFILE = frozenset(
    {"schema_version", "profile", "profiles", "servers", "server", "variables", "probes", "identities", "db.pg"}
)
"""Keys (and everything under them) that a profile cannot set: they say what is tested, not how."""

DEPTH = 16
"""Most profiles in one chain of `extends`."""

_WAITING = (
    "db-row-cap",
    "db-timeout",
    "sqlite-row-cap",
    "sqlite-timeout",
    "fs-size-cap",
    "net-caps",
    "exec-timeout-cap",
    "upstream-slow",
)
"""Checks of caps and time-outs: most of a run's waiting is theirs."""


def _quick() -> dict[str, Any]:
    return {
        "packs": ("core", "fs", "git", "net", "effects"),
        **{f"checks.{check}.enabled": False for check in _WAITING},
    }


def _strict() -> dict[str, Any]:
    standard = [pack for pack in current().packs if pack.status == "standard"]
    advisory = [check.id for pack in standard for check in pack.checks if check.severity == "advisory"]
    return {f"checks.{check}.severity": "scored" for check in advisory}


def _paranoid() -> dict[str, Any]:
    return {
        "timeouts.probe_sec": 30,
        "checks.db-row-cap.max_rows": 200,
        "checks.sqlite-row-cap.max_rows": 200,
        "checks.fs-size-cap.max_mib": 1,
        "checks.net-caps.max_mib": 4,
        "checks.http-tls.severity": "critical",
        "checks.robust-input.severity": "critical",
        "checks.credential-exposure.severity": "critical",
        "output.exit_policy.treat_inconclusive_as": "fail",
        "output.exit_policy.critical_fail": 1,
    }


_CI: Mapping[str, Any] = {
    "output.formats": ("summary", "junit", "json"),
    "output.out_dir": "sealmark-report",
    "output.exit_policy.treat_inconclusive_as": "fail",
}


def in_a_profile(row: Setting) -> bool:
    """Whether a profile may set it."""
    return row.key not in NEVER_IN_A_PROFILE and row.path[0] not in NEVER_IN_A_PROFILE


@cache
def shipped() -> Mapping[str, tuple[str, str, Mapping[str, Any]]]:
    """Name -> (the profile it extends or nothing, one sentence, flat keys and values)."""
    return {
        "standard": ("", "The published methodology; the only one whose grade is official.", {}),
        "quick": ("standard", "Fewer packs, and no probe that waits for a cap or a time-out.", _quick()),
        "ci": (
            "standard",
            "For pipelines: a summary, JUnit and JSON; an inconclusive pack fails the job.",
            _CI,
        ),
        "strict": ("standard", "Every advisory check is scored, candidates included.", _strict()),
        "paranoid": (
            "strict",
            "strict with tighter caps, longer waits, and nothing left inconclusive.",
            _paranoid(),
        ),
    }


@cache
def shipped_layer(name: str) -> Layer:
    """The layer of a shipped profile, with those that it extends below it.

    Raises:
        KeyError: no such profile is shipped.
    """
    below, _, given = shipped()[name]
    own = layer_of(given, Origin("profile", name))
    return merge_all((shipped_layer(below), own)) if below else own


def profile_layer(name: str, defined: Mapping[str, tuple[str, Layer]]) -> Layer:
    """The layer of a profile, shipped or defined by the user, with those that it extends below it.

    Args:
        name: the profile.
        defined: the user's own profiles: name -> (the profile it extends, its layer).

    Raises:
        UsageError: no such profile, or a chain of `extends` that comes back to itself.
    """
    chain: list[Layer] = []
    seen: list[str] = []
    while name:
        if name in seen or len(seen) > DEPTH:
            raise UsageError(
                "profiles extend each other in a circle: " + " -> ".join([*seen, name]),
                hint="Let one of them extend standard.",
            )
        seen.append(name)
        if name in defined:
            name, own = defined[name]
            chain.append(own)
        elif name in shipped():
            chain.append(shipped_layer(name))
            break
        else:
            names = (*shipped(), *defined)
            raise UsageError(
                f"no profile {name!r}{did_you_mean(name, names)}",
                hint="Known: " + ", ".join(names) + ". `sealmark config profiles` says what each changes.",
            )
    return merge_all(reversed(chain))


def differences(defined: Mapping[str, tuple[str, Layer, str]]) -> list[dict[str, Any]]:
    """Every profile, shipped ones first: its name, what it extends, its sentence, what it changes from the standard.

    `settings` holds the flat keys that differ and their values; `custom` those of them that make a run CUSTOM.
    """
    from sealmark.settings.integrity import assess
    from sealmark.settings.values import Settings

    own = {name: (below, layer) for name, (below, layer, _) in defined.items()}
    texts = {name: (below, says) for name, (below, says, _) in shipped().items()}
    texts |= {name: (below, says) for name, (below, _, says) in defined.items()}
    standard = Settings.standard()
    rows = []
    for name, (below, says) in texts.items():
        settings = Settings.of(profile_layer(name, own))
        changed = {key: settings[key] for key in settings if settings[key] != standard[key]}
        custom = [difference.key for difference in assess(settings).differences]
        rows.append({"name": name, "extends": below, "doc": says, "settings": changed, "custom": custom})
    return rows
