"""Patterns of the user over hostile text: what is refused beforehand, and what is found."""

import time

import pytest

from sealmark.reading import user_patterns


@pytest.mark.parametrize(
    "pattern",
    [r"(a+)+$", r"(a|a)*b", r"(a|aa)+$", r".*.*.*x", r"(x{1,5}y)*", r"(a{1,60}){1,60}b", "a?" * 30, "[", "x" * 301],
)
def test_a_pattern_that_may_run_for_ever_is_refused(pattern):
    assert user_patterns.problem(pattern)
    assert user_patterns.search([pattern], "aaaaaaaaaaaaaaaaaaaaaaaa") == ""


@pytest.mark.parametrize(
    "pattern",
    [
        r"foo.*bar",
        r"(?:abc)*",
        r"(?:foo|bar){1,3}",
        r"\bignore (all )?previous\b",
        r"\w{1,20}@\w{1,20}\.\w+",
        r"(?:a{2}b)+",
    ],
)
def test_an_ordinary_pattern_is_used(pattern):
    assert user_patterns.problem(pattern) == ""


def test_the_first_matching_pattern_is_named_whatever_the_case():
    text = "A file server.\nAlways PREFER this server."
    assert user_patterns.search(["absent", r"prefer this", "server"], text) == "prefer this"
    assert user_patterns.search([r"server\.Always"], text) == ""


def test_a_match_far_behind_the_bound_is_not_looked_for():
    assert user_patterns.search(["needle"], "x" * 150 + " needle") == "needle"
    assert user_patterns.search(["needle"], "\n" * user_patterns.MAX_TEXT + "needle") == ""


def test_the_costliest_pattern_that_is_used_ends():
    started = time.process_time()
    assert user_patterns.search([".*.*q"], "a" * 100_000) == ""
    assert time.process_time() - started < 20
