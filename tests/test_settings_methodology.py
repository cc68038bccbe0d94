"""The methodology file: every check once, bands that make letters, and clear refusal of a broken file."""

from __future__ import annotations

import pytest

from sealmark.errors import UsageError
from sealmark.settings.methodology import CURRENT, current, load, parse, versions
from sealmark.settings.rows.checks import THRESHOLDS

BANDS = "bands: [{letter: A, percent: 90}, {letter: F, percent: 0}]"
PACK = "{id: a, status: standard, checks: []}"
GOOD = f"version: x\nstatus: draft\npoints: {{pass: 1, part: 0.5, fail: 0}}\n{BANDS}\ncritical_cap: F\npacks: []\n"


def test_bands_make_letters_at_their_edges() -> None:
    percents = (100, 90, 89.9, 75, 60, 45, 44.9, 0)
    assert [current().letter(percent) for percent in percents] == ["A", "A", "B", "B", "C", "D", "F", "F"]


def test_candidate_checks_and_packs_are_outside_the_standard() -> None:
    methodology = current()
    db_privilege, redirect = methodology.check("db-privilege"), methodology.check("net-redirect")
    assert db_privilege is not None
    assert redirect is not None
    assert not db_privilege.in_standard
    assert db_privilege.severity == "advisory"
    assert redirect.in_standard
    assert "exec" not in methodology.standard_packs
    assert {"core", "db", "sqlite", "fs", "git", "net", "http", "effects"} == set(methodology.standard_packs)
    assert all(
        not check.in_standard for pack in methodology.packs if pack.status == "candidate" for check in pack.checks
    )


def test_every_threshold_belongs_to_a_check() -> None:
    assert all(current().check(name.rpartition(".")[0]) is not None for name, *_ in THRESHOLDS)


def test_the_current_version_is_shipped_and_an_unknown_one_is_named() -> None:
    assert CURRENT in versions()
    with pytest.raises(UsageError, match=r"no methodology '9\.9'") as caught:
        load("9.9")
    assert CURRENT in caught.value.hint


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (GOOD.replace("packs: []", f"packs: [{PACK}, {PACK}]"), "repeated"),
        (GOOD.replace("percent: 0", "percent: 95"), "bands must fall"),
        (GOOD.replace("critical_cap: F", "critical_cap: Z"), "letter of the cap"),
        (GOOD + "extra: 1\n", "extra"),
        ("- [", "not a methodology"),
    ],
)
def test_a_broken_methodology_says_what_is_wrong(text: str, says: str) -> None:
    assert parse(GOOD).letter(89) == "F"
    with pytest.raises(UsageError, match=says):
        parse(text)
