"""Hostile text becomes visible text."""

from hypothesis import given
from hypothesis import strategies as st

from sealmark.reading.visible import visible


def test_controls_become_escapes():
    assert visible("a\x1b[31mb") == "a\\x1b[31mb"
    assert visible("\u202e\u200b\U000e0041\ud800\x7f\x9b") == "\\u202e\\u200b\\U000e0041\\ud800\\x7f\\x9b"


def test_newlines():
    assert visible("a\tb\nc\r\nd\re") == "a\tb\nc\nd\\re"
    assert visible("a\tb\nc", newlines="escape") == "a\\tb\\nc"


def test_limits():
    assert visible("abcdef", limit=4) == "abc…"
    assert visible("abcd", limit=4) == "abcd"
    assert visible("\x1b" * 10, limit=6) == "\\x1b\\…"
    assert visible("abc", limit=0) == ""


def test_letters_of_every_script_stay():
    text = "grün 你好 עברית مرحبا 👍"
    assert visible(text) == text


@given(st.text())
def test_nothing_hidden_is_left(text):
    shown = visible(text, newlines="escape")
    assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or c in "\u200b\u202e\u2066" for c in shown)
    shown.encode()
