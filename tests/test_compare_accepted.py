"""Accepted findings: bound to check, rule, server and command, for a time; anything else is an error."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from sealmark.compare.accepted import (
    Acceptance,
    accept,
    acceptances,
    binding,
    check,
    entries,
    excused,
    matching,
    unused,
    words,
)
from sealmark.errors import ConfigError, UsageError
from sealmark.report import Options, render
from sealmark.report.gate import gate
from tests import runs

RUN = runs.escapes()
COMMAND = "python server.py {sandbox}"
ONE = Acceptance("fs-read-escape", "reviewed", "2030-06-30", "files", COMMAND, "went-wrong")


def test_an_acceptance_of_a_finding_is_bound_to_rule_server_and_command():
    assert accept(RUN, "fs-read-escape", reason="reviewed", expires="2030-06-30") == ONE
    assert binding(replace(runs.SERVER, command=(), url="https://x/mcp")) == "https://x/mcp"
    assert acceptances(entries([ONE])) == (ONE,)


@pytest.mark.parametrize(
    ("check_id", "reason", "expires"),
    [("protocol", "r", "2030-01-01"), ("nope", "r", "2030-01-01"), ("fs-read-escape", "  ", "2030-01-01")]
    + [("fs-read-escape", "r", day) for day in ("tomorrow", "2030-02-30", "")],
)
def test_what_cannot_be_accepted(check_id, reason, expires):
    with pytest.raises(UsageError):
        accept(RUN, check_id, reason=reason, expires=expires)


def test_one_that_holds_raises_nothing():
    check([ONE], {"files": COMMAND, "other": "x"}, "2030-06-30")


@pytest.mark.parametrize(
    ("one", "today", "says"),
    [
        (ONE, "2030-07-01", "expired on 2030-06-30"),
        (replace(ONE, server="else"), "2030-01-01", "does not have"),
        (replace(ONE, command="python other.py"), "2030-01-01", "which is now"),
        (replace(ONE, command=""), "2030-01-01", f"add command: {COMMAND!r}"),
        (replace(ONE, reason=" "), "2030-01-01", "needs a reason"),
        (replace(ONE, expires="soon"), "2030-01-01", "no date"),
    ],
)
def test_expired_and_foreign_ones_are_an_error(one, today, says):
    with pytest.raises(ConfigError, match=says) as caught:
        check([ONE, one], {"files": COMMAND}, today)
    assert caught.value.exit_code == 2
    assert len(caught.value.problems) == (2 if today > ONE.expires else 1)


def test_it_matches_its_finding_and_nothing_else():
    assert [verdict.check for _, verdict in matching([ONE], RUN)] == ["fs-read-escape"]
    for other in (
        replace(ONE, rule="another"),
        replace(ONE, server="else"),
        replace(ONE, command="else"),
        replace(ONE, check="protocol"),
    ):
        assert matching([other], RUN) == ()
    assert matching([replace(ONE, rule="")], RUN) != ()


def test_it_is_shown_never_hides_the_finding_and_never_improves_the_letter():
    out = render("text", [RUN], Options(accepted=words([ONE], [RUN])))
    assert "accepted      reviewed (until 2030-06-30)" in out
    assert "✗ FAIL            fs-read-escape" in out
    assert "fs          F" in out


def test_it_changes_the_exit_code_only_when_every_miss_is_accepted():
    every = [ONE, replace(ONE, check="fs-write-escape"), replace(ONE, check="robust-input", rule="some-good")]
    assert gate([RUN], accepted=excused([ONE], [RUN])).code == 1
    assert gate([RUN], accepted=excused(every, [RUN])).code == 0


def test_one_whose_finding_is_gone_is_noted():
    assert unused([ONE], [RUN]) == ()
    assert unused([ONE], [runs.clean()]) == (
        "note: fs-read-escape is accepted for files and was not found; remove the entry",
    )
    assert unused([ONE], [runs.broken()]) == ()
