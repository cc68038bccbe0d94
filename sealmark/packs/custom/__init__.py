"""The user's own checks, made of `probes:` in the configuration. What they are worth is the user's word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sealmark.check import Check, Pack, Target
from sealmark.packs.custom.checks import compile_checks, coverage
from sealmark.packs.custom.own import COVERAGE, PACK

__all__ = ["COVERAGE", "PACK", "coverage", "pack_of", "with_own"]


def pack_of(probes: Sequence[Mapping[str, Any]]) -> Pack:
    """The pack of some probes; it applies when one of them names a check."""
    checks = compile_checks(probes)

    def applies(target: Target) -> tuple[bool, str]:
        if checks:
            return True, f"checks of your own: {', '.join(check.id for check in checks)}"
        return False, "no probe names a check: they are sent, and add coverage only"

    return Pack(
        id=PACK,
        title="Yours",
        question="Does the server do what you wrote down for it?",
        applies=applies,
        checks=checks,
        status="custom",
    )


def with_own(packs: Sequence[Pack], probes: Sequence[Mapping[str, Any]] | None) -> tuple[Pack, ...]:
    """The packs with the one of the user's probes at the end; without probes, and when it is there, as they are."""
    if not probes or any(pack.id == PACK for pack in packs):
        return tuple(packs)
    return (*packs, pack_of(probes))


def own_check(probes: Sequence[Mapping[str, Any]], check_id: str) -> Check | None:
    """The check of that id among those that the probes make."""
    return next((check for check in compile_checks(probes) if check.id == check_id), None)
