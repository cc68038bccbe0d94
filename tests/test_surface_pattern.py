"""Regular expressions of schemas, parsed and walked by our own automaton."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealmark.surface.pattern import Pattern, Unsupported, parse

SUPPORTED = [
    r"^\d{4}-\d{2}-\d{2}$",
    r"^[a-z][a-z0-9_-]*$",
    r"^(?:foo|bar)+$",
    r"^(GET|POST|)$",
    r"[^a-z]",
    r"^$",
    r"",
    r"x{3,5}y",
    r"x{2}",
    r"^[\w.-]+@[\w-]+\.\w{2,}$",
    r"(a+)+$",
    r"^[^\s]{8,}$",
    r"a|^b$",
    r"^a{2,}?b*?c+?$",
    r"^([a-f0-9]{40}|[a-f0-9]{64})$",
    r"^(?P<year>\d{4})$",
    r"^.{3}$",
    r"^\/[^\/]+\/$",
    r"\S\D\W",
    r"^[\]\-^]$",
    r"^[-a]$",
    r"^[a-]$",
    r"a{x}",
    r"^(a?){20}a{20}$",
]


@pytest.mark.parametrize("source", SUPPORTED)
def test_a_shortest_match_is_one_and_nothing_shorter_is(source):
    built = parse(source).shortest()
    assert built is not None
    assert parse(source).matches(built)
    assert re.search(source, built) is not None


@pytest.mark.parametrize("source", SUPPORTED)
@pytest.mark.parametrize(
    "text",
    ["", "a", "b", "ab", "aab", "2026-01-02", "foobar", "x@y.zz", "xxxy", "aabbcc", "///", "-", "]", "a{x}", "a{,3}"],
)
def test_matching_agrees_with_a_regex_engine(source, text):
    assert parse(source).matches(text) == (re.search(source, text) is not None)


UNSUPPORTED = [
    *(r"(?=a)b", r"(?!a)b", r"(?<=a)b", r"(a)\1", r"\bword\b", r"\p{L}", r"(?i)a", r"\Aa\Z"),
    *(r"a***", r"*a", r"(", r")", r"[a", "a\\", r"a{2000}", r"a{3,2}", r"[z-a]", r"[[:alpha:]]", r"a++"),
    *(r"a{,3}", r"[]a]", r"[^]", "a" * 1_001, "(" * 50 + ")" * 50),
    *(r"(((a{1000}){1000}){1000})", r"(((){1000}){1000}){1000}"),
]


@pytest.mark.parametrize("source", UNSUPPORTED, ids=lambda source: source[:20])
def test_what_is_not_supported_is_said(source):
    with pytest.raises(Unsupported):
        parse(source)


def test_ecmascript_escapes():
    assert parse(r"^\u0041\x42\u{1F600}$").matches("AB\U0001f600")
    assert parse(r"^\t\n\0$").matches("\t\n\0")


def test_lengths():
    pattern = parse("^[a-z]+$")
    assert pattern.shortest(5) == "aaaaa"
    assert pattern.shortest(5, 4) is None
    assert parse("ab").shortest(6) is not None
    assert len(parse("ab").shortest(6) or "") == 6
    assert parse("^ab$").shortest(6) is None
    assert parse("a$b").shortest() is None


def test_the_work_is_bounded():
    assert not parse("(a+)+$").matches("a" * 4_000 + "b")
    assert not parse("^a*$").matches("a" * 5_000)
    parse("^(a{1,30}b{1,30}){1,20}$").shortest(700)


def test_the_same_pattern_gives_the_same_text():
    assert Pattern("[^a]|b+").shortest(3) == Pattern("[^a]|b+").shortest(3)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="ab^$.*+?|()[]{}\\dw-,12", max_size=14))
def test_any_pattern_is_parsed_or_refused(source):
    try:
        pattern = parse(source)
    except Unsupported:
        return
    built = pattern.shortest(0, 60)
    if built is not None:
        assert pattern.matches(built)
