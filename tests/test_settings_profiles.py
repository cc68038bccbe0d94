"""Shipped profiles and those of a user: what they change, chains of `extends`, and what makes a run CUSTOM."""

from __future__ import annotations

import pytest

from sealmark.errors import UsageError
from sealmark.settings import Origin, Settings
from sealmark.settings.integrity import assess
from sealmark.settings.layers import Layer, layer_of
from sealmark.settings.methodology import current
from sealmark.settings.profiles import differences, profile_layer, shipped, shipped_layer

MINE = Origin("profile", "sealmark.yaml", 3, 5, "mine")


def of(name: str, **defined: tuple[str, Layer]) -> Settings:
    return Settings.of(profile_layer(name, defined))


def test_only_standard_and_ci_can_be_standard() -> None:
    assert {name for name in shipped() if assess(of(name)).standard} == {"standard", "ci"}


def test_ci_changes_only_output() -> None:
    changed = {key for key, value in of("ci").items() if value != Settings.standard()[key]}
    assert changed == {"output.formats", "output.out_dir", "output.exit_policy.treat_inconclusive_as"}


def test_quick_leaves_out_packs_and_every_check_that_waits() -> None:
    quick = of("quick")
    assert set(quick["packs"]) < set(Settings.standard()["packs"])
    assert not quick["checks.net-caps.enabled"]
    assert quick["checks.fs-read-escape.enabled"]


def test_strict_scores_every_advisory_check_of_the_standard_packs() -> None:
    strict = of("strict")
    for pack in current().packs:
        for check in pack.checks:
            wanted = "scored" if check.severity == "advisory" and pack.status == "standard" else check.severity
            assert strict[f"checks.{check.id}.severity"] == wanted


def test_paranoid_builds_on_strict_and_says_which_gave_what() -> None:
    paranoid = of("paranoid")
    assert paranoid["checks.db-privilege.severity"] == "scored"
    assert str(paranoid.origin("checks.db-privilege.severity")) == "profile strict"
    assert str(paranoid.origin("checks.http-tls.severity")) == "profile paranoid"


def test_a_profile_of_the_user_lies_over_what_it_extends() -> None:
    mine = ("quick", layer_of({"timeouts.call_sec": 5, "checks.net-caps.enabled": True}, MINE))
    settings = of("mine", mine=mine)
    assert (settings["timeouts.call_sec"], settings["checks.net-caps.enabled"]) == (5, True)
    assert settings["checks.fs-size-cap.enabled"] is False
    assert str(settings.origin("timeouts.call_sec")) == "profile mine (sealmark.yaml:3:5)"
    assert settings.origin("timeouts.call_sec").position == "sealmark.yaml:3:5"


def test_a_user_can_replace_a_shipped_profile_by_name() -> None:
    assert of("quick", quick=("standard", layer_of({"timeouts.call_sec": 5}, MINE)))["packs"] == of("standard")["packs"]


def test_circles_and_unknown_names_are_refused() -> None:
    with pytest.raises(UsageError, match="circle: a -> b -> a"):
        of("a", a=("b", Layer()), b=("a", Layer()))
    with pytest.raises(UsageError, match="circle: quick -> quick"):
        of("quick", quick=("quick", Layer()))
    with pytest.raises(UsageError, match="no profile 'srict'; did you mean 'strict'"):
        of("srict")


def test_the_list_of_profiles_says_what_each_changes() -> None:
    rows = {
        row["name"]: row for row in differences({"mine": ("ci", layer_of({"tools.exclude": ["x"]}, MINE), "Ours.")})
    }
    assert list(rows) == [*shipped(), "mine"]
    assert rows["standard"]["settings"] == {}
    assert rows["mine"]["settings"]["tools.exclude"] == ("x",)
    assert rows["mine"]["custom"] == ["tools.exclude"]
    assert rows["ci"]["custom"] == []
    assert rows["paranoid"]["extends"] == "strict"


def test_a_shipped_profile_is_made_once() -> None:
    assert shipped_layer("strict") is shipped_layer("strict")
