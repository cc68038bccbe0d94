"""Merging keeps exactly one origin per value, in whatever order neighbours are merged."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealmark.settings import DEFAULT, Origin, Settings, load_defaults
from sealmark.settings.layers import Layer, default_layer, layer_of, merge, merge_all
from sealmark.settings.table import by_key, join_key, row_of, split_key, table

PROJECT = Origin("project", "sealmark.yaml", 3, 5)
FLAG = Origin("flag", "--timeout-probe")

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "timeouts.probe_sec": st.integers(1, 60),
    "packs": st.lists(st.sampled_from(["core", "fs"]), min_size=1, max_size=2).map(tuple),
    "server.env": st.dictionaries(st.sampled_from(["A", "B.c", "D"]), st.text("xyz", max_size=2), max_size=3),
    "server.headers": st.dictionaries(st.sampled_from(["X-A", "Accept"]), st.text("xyz", max_size=2), max_size=2),
    "tools.exclude": st.lists(st.sampled_from(["a*", "b*", "c*"]), max_size=3),
    "not_covered.extra": st.lists(st.sampled_from(["one", "two"]), max_size=2),
    "checks.fs-size-cap.enabled": st.booleans(),
}
GIVEN = st.fixed_dictionaries({}, optional={key: st.none() | value for key, value in VALUES.items()})
ORIGINS = st.builds(Origin, st.sampled_from(["user", "project", "local"]), st.just("f"), st.integers(1, 9))
LAYERS = st.builds(layer_of, GIVEN, ORIGINS)


@given(LAYERS, LAYERS, LAYERS)
def test_merging_is_associative(low: Layer, middle: Layer, high: Layer) -> None:
    assert merge(merge(low, middle), high) == merge(low, merge(middle, high))


@given(st.lists(LAYERS, max_size=5))
def test_every_value_has_exactly_one_origin_that_gave_it(layers: list[Layer]) -> None:
    settings = Settings.of(*layers)
    sources = [default_layer(), *layers]
    seen: list[tuple[str, Any]] = []
    for row, key, value in settings.items_with_origin():
        giving = [layer for layer in sources if value in (layer.values.get(key), *layer.appends.get(key, ()))]
        assert giving, f"{key} has a value and origin that no layer gave"
        assert key == row.key or row.is_map
        seen.append((key, value.value if row.merge == "append" else None))
    assert len({repr(one) for one in seen}) == len(seen)
    single = {row.key for row in table() if not row.is_map and row.merge == "replace"}
    assert single <= {key for key, _ in seen}


@given(st.lists(LAYERS, max_size=5))
def test_the_last_layer_that_speaks_decides(layers: list[Layer]) -> None:
    expected: Any = 10
    for layer in layers:
        if "timeouts.probe_sec" in layer.resets:
            expected = 10
        if "timeouts.probe_sec" in layer.values:
            expected = layer.values["timeouts.probe_sec"].value
    assert Settings.of(*layers)["timeouts.probe_sec"] == expected


def test_lists_replace_and_named_ones_add_up() -> None:
    low = layer_of({"packs": ("core", "fs"), "tools.exclude": ("a*",)}, PROJECT)
    high = layer_of({"packs": ("core",), "tools.exclude": ("b*", "a*")}, FLAG)
    settings = Settings.of(low, high)
    assert settings["packs"] == ("core",)
    assert settings["tools.exclude"] == ("a*", "b*")
    assert settings.origins("tools.exclude") == (PROJECT, FLAG)


def test_maps_merge_by_entry_and_each_entry_keeps_its_origin() -> None:
    low = layer_of({"server.env": {"A": "1", "B.c": "2"}}, PROJECT)
    settings = Settings.of(low, layer_of({"server.env": {"A": "3"}}, FLAG))
    assert settings["server.env"] == {"A": "3", "B.c": "2"}
    assert settings.origin("server.env.A") == FLAG
    assert settings.origin('server.env."B.c"') == PROJECT


def test_null_restores_the_default_and_empties_maps_and_adding_lists() -> None:
    low = layer_of({"timeouts.call_sec": 5, "server.env": {"A": "1"}, "tools.exclude": ["x"]}, PROJECT)
    high = layer_of({"timeouts.call_sec": None, "server.env": None, "tools.exclude": None}, FLAG)
    settings = Settings.of(low, high)
    assert settings["timeouts.call_sec"] == 30
    assert settings.origin("timeouts.call_sec") == DEFAULT
    assert settings["server.env"] == {}
    assert settings["tools.exclude"] == ()


def test_a_value_above_a_reset_stays() -> None:
    low = layer_of({"server.env": {"A": "1"}}, PROJECT)
    reset = layer_of({"server.env": None}, PROJECT)
    high = layer_of({"server.env": {"B": "2"}}, FLAG)
    assert Settings.of(merge_all((low, reset, high)))["server.env"] == {"B": "2"}


def test_replace_changes_a_copy_and_names_its_origin() -> None:
    standard = Settings.standard()
    changed = standard.replace({"timeouts.call_sec": 5, "tools.exclude": ["z"], "server.env": {"K": "v"}}, FLAG)
    again = changed.replace({"server.env": {"L": "w"}, "tools.exclude": ["y"]})
    assert (standard["timeouts.call_sec"], changed["timeouts.call_sec"]) == (30, 5)
    assert changed.origin("timeouts.call_sec") == FLAG
    assert again["server.env"] == {"L": "w"}
    assert again["tools.exclude"] == ("y",)
    assert again.origin("server.env").kind == "code"
    assert changed.replace({"timeouts.call_sec": None})["timeouts.call_sec"] == 30


def test_what_a_caller_does_with_a_value_does_not_change_the_settings() -> None:
    settings = Settings.standard()
    settings["upstream.default_reply"]["status"] = 500
    assert settings["upstream.default_reply"]["status"] == 200


def test_an_unknown_key_names_the_closest() -> None:
    with pytest.raises(KeyError, match=r"timeouts\.call_sec"):
        load_defaults()["timeout.call_sec"]
    with pytest.raises(KeyError, match="no entry"):
        load_defaults()["server.env.HOME"]
    with pytest.raises(KeyError, match="not a settings key"):
        row_of("server..env")


@given(st.lists(st.text(min_size=1), min_size=1, max_size=4).map(tuple))
def test_keys_split_as_they_were_joined(path: tuple[str, ...]) -> None:
    assert split_key(join_key(path)) == path


def test_the_settings_of_the_standard_profile_are_the_built_in_defaults() -> None:
    assert dict(Settings.standard()) == dict(load_defaults())
    assert len(Settings.standard()) == len(by_key())


def test_a_record_keeps_what_affects_a_grade_and_what_was_changed() -> None:
    rows = {row.key: row for row in Settings.standard().replace({"output.out": "x.json"}, FLAG).to_record()}
    assert rows["timeouts.probe_sec"].value == 10
    assert rows["output.out"].origin == "flag --timeout-probe"
    assert "output.template" not in rows
