"""Hostile text made safe to read."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealmark.reading.visible import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\x00b\x7fc\x9bd", "a\\x00b\\x7fc\\x9bd"),
        ("\u202eevil\u2066", "\\u202eevil\\u2066"),
        ("a\u200bb\ufeff", "a\\u200bb\\ufeff"),
        ("\U000e0041\U000e0100", "\\U000e0041\\U000e0100"),
        ("\ud800", "\\ud800"),
        ("one\ntwo\tthree\r\nfour\rfive", "one\ntwo\tthree\nfour\\rfive"),
        ("Grüße, 世界, שלום, 😀 <b>&amp;`*_", "Grüße, 世界, שלום, 😀 <b>&amp;`*_"),
        ("back\\slash", "back\\slash"),
    ],
)
def test_what_steers_is_shown_and_what_is_text_stays(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_one_line_on_demand() -> None:
    assert visible("a\nb\tc\r\nd", newlines=False) == "a\\nb\\tc\\r\\nd"


@given(st.text(st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp", "L", "M"])))
def test_nothing_that_steers_is_left(text: str) -> None:
    left = visible(text, newlines=False)
    allowed = {
        "\u0600",
        "\u0601",
        "\u0602",
        "\u0603",
        "\u0604",
        "\u0605",
        "\u06dd",
        "\u070f",
        "\u0890",
        "\u0891",
        "\u08e2",
    }
    steering = [c for c in left if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") and c not in allowed]
    hieroglyphs = [c for c in steering if "\U000110bd" <= c <= "\U000110cd" or "\U00013430" <= c <= "\U0001343f"]
    assert steering == hieroglyphs
    left.encode("utf-8")
