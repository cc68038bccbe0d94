"""Marks: filling, marking, escaping, and that they are each other's inverse."""

import base64
from urllib.parse import quote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sealmark.record.marks import FILTERS, GENERATORS, NAMES, Marks, escape, fill, fill_json, names_in

ROOT = "/tmp/sealmark-0123456789ab"
VALUES = {
    "sandbox": f"{ROOT}/sandbox",
    "sibling": f"{ROOT}/sandbox-copy",
    "outside_secret": "sm-outside-5f3c9a",
    "canary": "sm-canary-77aa",
    "root_name": "sealmark-0123456789ab",
}
MARKS = Marks(VALUES.items())
HOME = "/root"


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        (f"open {ROOT}/sandbox/a.txt", "open {sandbox}/a.txt"),
        (f"{ROOT}/sandbox-copy/b", "{sibling}/b"),
        (quote(f"{ROOT}/sandbox", safe=""), "{sandbox|percent}"),
        (quote(f"{ROOT}/sandbox", safe="").replace("%2F", "%2f"), "{sandbox|percent-lower}"),
        (f"{ROOT}/sandbox".replace("/", "\\/"), "{sandbox|json-slash}"),
        (f"{ROOT}/sandbox".replace("/", "\\"), "{sandbox|backslash}"),
        (base64.b64encode(b"sm-canary-77aa").decode(), "{canary|base64}"),
        (b"sm-canary-77aa".hex(), "{canary|hex}"),
        ("sealmark-01234567", "{root_name|cut}"),
        ("sealmark-0123", "{root_name|cut}"),
        ("sealmark-listen", "sealmark-listen"),
        ("sealmark-012", "sealmark-012"),
        ("a {sandbox} of its own", "a {=sandbox} of its own"),
        ("{=sandbox} and {==sandbox}", "{==sandbox} and {===sandbox}"),
        ("{name} {0} {a:b} {}", "{name} {0} {a:b} {}"),
    ],
)
def test_mark(text, marked):
    assert MARKS.mark(text) == marked


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{sandbox}/../x", f"{ROOT}/sandbox/../x"),
        ("{sandbox|percent}", quote(f"{ROOT}/sandbox", safe="")),
        ("{sandbox|percent-twice}", quote(quote(f"{ROOT}/sandbox", safe=""), safe="")),
        ("{sandbox|file-url}", f"file://{ROOT}/sandbox"),
        ("{repeat:ab:3}", "ababab"),
        ("{nested:[:3}", "[[[]]]"),
        ("{=sandbox}", "{sandbox}"),
        ("{nothing}", "{nothing}"),
    ],
)
def test_fill(template, text):
    assert fill(template, VALUES) == text


def test_fill_of_a_name_without_a_value_names_it():
    with pytest.raises(KeyError, match="dsn"):
        fill("{dsn}", VALUES)


def test_a_name_that_is_not_known_and_an_empty_value_are_refused():
    with pytest.raises(ValueError, match="not a mark"):
        Marks([("unheard_of", "x")])
    with pytest.raises(ValueError, match="not a mark"):
        Marks([("sandbox", "")])


def test_secrets_are_redacted_before_anything_else():
    marks = Marks(VALUES.items(), redact=lambda text: text.replace("hunter2", "<redacted>"))
    assert marks.mark(f"hunter2 in {ROOT}/sandbox") == "<redacted> in {sandbox}"


def test_names_in_nested_values():
    assert names_in({"a": ["{sandbox}/x", {"b": "{sibling|percent} {=canary}"}]}) == {"sandbox", "sibling"}


PIECES = st.sampled_from(
    [*VALUES.values(), *(FILTERS["percent"](v) for v in VALUES.values()), "{sandbox}", "{=canary}", "{", "}", "=", "x/"]
)


@given(st.lists(PIECES | st.text(max_size=8), max_size=12).map("".join))
def test_filling_what_was_marked_gives_the_text_again(text):
    marked = MARKS.mark(text)
    assume("{root_name|cut}" not in marked)
    assert fill(marked, VALUES) == text


@given(st.text(alphabet="{}=|:sandboxcanry ", max_size=60))
def test_escaped_text_fills_to_itself_and_names_nothing(text):
    assert fill(escape(text), VALUES) == text
    assert not names_in(escape(text))


@given(st.recursive(st.text(max_size=5), lambda inner: st.lists(inner, max_size=3), max_leaves=8))
def test_values_without_marks_stay_as_they_are(value):
    assert fill_json(value, VALUES) == value


def test_every_generator_and_filter_is_a_name_of_its_own():
    assert not set(GENERATORS) & NAMES
    assert all(FILTERS[name]("a/b") is not None for name in FILTERS)


def test_the_tag_of_a_process_is_marked_without_being_known():
    text = f"SEALMARK_RUN_TAG=sealmark-run-{'0f' * 16}, sealmark-run-x"
    assert Marks([]).mark(text) == "SEALMARK_RUN_TAG={run_tag}, sealmark-run-x"
    assert Marks([]).mark("{run_tag}") == "{=run_tag}"


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        (f"at x ({HOME}/.npm/_npx/a.js:1)", "at x ({user_home}/.npm/_npx/a.js:1)"),
        (f"file://{HOME}/x", "file://{user_home}/x"),
        (HOME, "{user_home}"),
        (f'{{"m":"a\\n{HOME}/x"}}', '{"m":"a\\n{user_home}/x"}'),
        (f"in {HOME}.", "in {user_home}."),
        (f"/proc/self{HOME}/etc", f"/proc/self{HOME}/etc"),
        (f"{HOME}less and {HOME}-2 and {HOME}.txt", f"{HOME}less and {HOME}-2 and {HOME}.txt"),
        (f"~{HOME}/x ..{HOME} .{HOME}", f"~{HOME}/x ..{HOME} .{HOME}"),
        (f"C:\\root /srv{HOME}", f"C:\\root /srv{HOME}"),
        ("{user_home}/x", "{=user_home}/x"),
    ],
)
def test_the_users_home_is_marked_where_a_path_begins_with_it(text: str, marked: str) -> None:
    """`/root` is a home and a word of many other paths; a record must not name the one and not blur the other."""
    own = Marks([("user_home", HOME)])
    assert own.mark(text) == marked
    assert fill(marked, {"user_home": HOME}) == text
