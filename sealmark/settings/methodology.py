"""Methodologies: what each check is worth, how verdicts become a letter, which revisions a STANDARD run has.

A methodology is a file, `methodology/<version>.yaml` beside this module. Severities and points live there and
nowhere else; older files stay, so that a stored run can be judged under the methodology of its day.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
import yaml

from sealmark.errors import UsageError
from sealmark.record.model import Lifecycle, Severity

CURRENT = "0.3-draft"
"""The version that new runs are judged under."""

_FOLDER = Path(__file__).parent / "methodology"


class CheckRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one check is worth, and the revision of its code that the methodology was published with."""

    id: str
    severity: Severity
    revision: int
    lifecycle: Lifecycle = "standard"

    @property
    def in_standard(self) -> bool:
        """Whether it belongs to the published standard (a candidate does not, until it is promoted)."""
        return self.lifecycle == "standard"


class PackRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One pack: whether it is part of the standard, its checks in order, and whether it needs --active."""

    id: str
    status: Lifecycle
    checks: tuple[CheckRow, ...]
    active_only: bool = False


class Band(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A letter and the least percentage of points that earns it."""

    letter: str
    percent: float


class Points(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"passed": "pass"}):
    """Points per verdict; the other verdicts are left out of the score."""

    passed: float
    part: float
    fail: float


class Methodology(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One published way to grade.

    `bands` are in falling order and end at 0 percent. `corpora` is the digest of the corpora that it was
    published with; empty while it is a draft, when any corpora count as its own.
    """

    version: str
    status: str
    points: Points
    bands: tuple[Band, ...]
    critical_cap: str
    packs: tuple[PackRow, ...]
    corpora: str = ""

    def pack(self, pack_id: str) -> PackRow | None:
        """The row of a pack, if the methodology knows it."""
        return next((pack for pack in self.packs if pack.id == pack_id), None)

    def check(self, check_id: str) -> CheckRow | None:
        """The row of a check, if the methodology knows it."""
        return next((check for pack in self.packs for check in pack.checks if check.id == check_id), None)

    @property
    def standard_packs(self) -> tuple[str, ...]:
        """Packs that a STANDARD run must not leave out."""
        return tuple(pack.id for pack in self.packs if pack.status == "standard" and not pack.active_only)

    def letter(self, percent: float) -> str:
        """The letter of a percentage of points."""
        return next(band.letter for band in self.bands if percent >= band.percent)


def versions() -> tuple[str, ...]:
    """Every methodology that this build ships, oldest first."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.yaml")))


@cache
def load(version: str) -> Methodology:
    """The methodology of that version.

    Raises:
        UsageError: this build does not ship it.
    """
    if version not in versions():
        raise UsageError(f"no methodology {version!r}", hint="Known here: " + ", ".join(versions()))
    return parse((_FOLDER / f"{version}.yaml").read_text("utf-8"))


def parse(text: str) -> Methodology:
    """A methodology from its YAML text.

    Raises:
        UsageError: it does not follow the format, repeats an id, or its bands do not fall to 0.
    """
    try:
        found = msgspec.convert(yaml.load(text, Loader=_Loader), Methodology)
    except (yaml.YAMLError, msgspec.ValidationError) as error:
        raise UsageError(f"not a methodology: {error}") from None
    ids = [pack.id for pack in found.packs] + [check.id for pack in found.packs for check in pack.checks]
    percents = [band.percent for band in found.bands]
    letters = [band.letter for band in found.bands]
    if len(set(ids)) != len(ids):
        raise UsageError("not a methodology: an id of a pack or check is repeated")
    if percents != sorted(set(percents), reverse=True) or not percents or percents[-1] != 0:
        raise UsageError("not a methodology: the bands must fall and end at 0 percent")
    if found.critical_cap not in letters:
        raise UsageError(f"not a methodology: no band has the letter of the cap, {found.critical_cap!r}")
    return found


def current() -> Methodology:
    """The methodology that new runs are judged under."""
    return load(CURRENT)


_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
