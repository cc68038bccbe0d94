"""Regressions against a baseline, drift of the behaviour, and what `diff` says of both."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from sealmark.compare.baseline import changes
from sealmark.compare.behaviour import behaviour
from sealmark.compare.diff import against, diff, diff_all, document, exit_code, lines
from sealmark.record.model import Integrity, Look, Observation, Readings
from tests import runs

GOOD = runs.simple({"protocol": "pass", "fs-read-escape": "pass", "fs-size-cap": "pass"})


def kinds(before, after):
    return [(change.kind, change.check or change.pack) for change in changes(before, after)]


def with_tags(**tags):
    return runs.simple({"protocol": "pass", "fs-read-escape": "pass", "fs-size-cap": "pass"} | tags)


RANKS = {
    "pass to part": ("pass", "part", "regression"),
    "pass to fail": ("pass", "fail", "regression"),
    "part to fail": ("part", "fail", "regression"),
    "fail to part": ("fail", "part", "improvement"),
    "fail to pass": ("fail", "pass", "improvement"),
    "pass to inconclusive": ("pass", "inconclusive", "note"),
    "pass to n/a": ("pass", "na", "note"),
    "inconclusive to fail": ("inconclusive", "fail", "note"),
    "fail to n/a": ("fail", "na", "note"),
}


@pytest.mark.parametrize(("before", "after", "kind"), RANKS.values(), ids=RANKS)
def test_a_verdict_ranks_pass_over_part_over_fail(before, after, kind):
    old = runs.simple({"refusal-quality": before, "protocol": "pass"})
    new = runs.simple({"refusal-quality": after, "protocol": "pass"})
    assert kinds(old, new) == [(kind, "refusal-quality")]


def test_a_letter_that_drops_is_a_regression_of_its_own():
    worse = runs.simple({"protocol": "part", "fs-read-escape": "pass", "fs-size-cap": "pass"})
    assert kinds(GOOD, worse) == [("regression", "protocol"), ("regression", "core")]
    assert [change.line for change in changes(GOOD, worse)][1] == "pack core: A → D"
    assert kinds(worse, GOOD) == [("improvement", "protocol"), ("improvement", "core")]


def test_a_pack_that_is_not_graded_any_more_is_a_regression():
    undecided = runs.simple({"protocol": "pass", "fs-read-escape": "inconclusive", "fs-size-cap": "na"})
    assert ("regression", "fs") in kinds(GOOD, undecided)
    only_core = runs.simple({"protocol": "pass"})
    assert kinds(GOOD, only_core) == [
        ("note", "fs-read-escape"),
        ("note", "fs-size-cap"),
        ("regression", "fs"),
    ]
    assert [kind for kind, _ in kinds(GOOD, runs.broken())] == ["note", "regression", "regression"]


def test_new_checks_and_packs_are_never_regressions():
    only_core = runs.simple({"protocol": "pass"})
    more = runs.simple({"protocol": "pass", "robust-input": "pass", "fs-read-escape": "fail"})
    assert kinds(only_core, more) == []


def test_another_configuration_is_noted_and_another_methodology_leaves_letters_alone():
    other = runs.judged(GOOD, integrity=Integrity(False, "sha256:other"))
    assert [change.line for change in changes(GOOD, other)] == [
        "different configuration (STANDARD → CUSTOM, the hashes differ)"
    ]
    older = runs.judged(runs.simple({"protocol": "part", "fs-read-escape": "pass"}), methodology="0.2")
    assert kinds(GOOD, older)[0] == ("note", "")
    assert ("regression", "core") not in kinds(GOOD, older)
    assert ("regression", "protocol") in kinds(GOOD, older)


def test_a_provisional_letter_is_noted():
    starred = runs.simple({"protocol": "pass", "tool-poisoning": "inconclusive"})
    proven = runs.simple({"protocol": "pass", "tool-poisoning": "pass"})
    assert ("note", "core") in kinds(proven, starred)


ONE = runs.probe("fs-read-escape", "one")
TWO = runs.probe("fs-read-escape", "two")
WATCH = runs.probe("fs-write-escape", "w", runs.Call("write_file", {}), Look("outside"), tool="write_file")
LOOKED = Observation(WATCH.id, 1, "look", facts={"changes": []})


def answered(*observations, probes=(ONE, TWO, WATCH)):
    return runs.run(None, probes, observations).gathered


def found(before, after):
    return [(item.kind, item.line) for item in behaviour(answered(*before), answered(*after))]


def test_another_kind_of_reply():
    refused = replace(runs.seen(ONE), is_error=True, readings=Readings(text="no", refusal="path"))
    assert found([runs.seen(ONE)], [refused]) == [
        ("reply", "fs-read-escape · read_file: result → tool error, a refusal (path) (1 probe)")
    ]
    assert found([runs.seen(ONE)], [runs.seen(ONE, outcome="timeout", readings=None)])[0][1].endswith(
        "result → no answer in time (1 probe)"
    )
    assert found([runs.seen(ONE, outcome="error", error_code=-1)], [runs.seen(ONE, outcome="error", error_code=-2)])


def test_another_effect_and_another_payload():
    created = replace(LOOKED, facts={"changes": [{"path": "{outside}/x", "change": "created"}]})
    assert found([runs.seen(WATCH), LOOKED], [runs.seen(WATCH), created]) == [
        ("effect", "fs-write-escape · write_file: nothing changed → created {outside}/x (1 probe)")
    ]
    refused = runs.seen(WATCH, outcome="error", error_code=-1)
    assert [kind for kind, _ in found([refused, LOOKED], [runs.seen(WATCH), created])] == ["reply", "effect"]
    shaped = runs.seen(ONE, readings=Readings(text="hello", shape="content[text]+structured{a}"))
    assert found([runs.seen(ONE)], [shaped]) == [
        ("payload", "fs-read-escape · read_file: content[text] → content[text]+structured{a} (1 probe)")
    ]


def test_other_text_or_time_is_no_drift_of_the_behaviour():
    assert found([runs.seen(ONE, "hello")], [runs.seen(ONE, "goodbye", elapsed_ms=9999)]) == []


def test_probes_that_were_not_sent_or_that_differ_are_not_compared():
    assert found([runs.seen(ONE)], [runs.seen(ONE, outcome="unsent", readings=None)]) == []
    other = replace(ONE, steps=(runs.Call("read_file", {"path": "else"}),))
    before = answered(runs.seen(ONE))
    after = answered(runs.seen(ONE, outcome="error", error_code=1), probes=(other,))
    assert behaviour(before, after) == ()


def test_alike_changes_are_one_line():
    failed = [runs.seen(probe, outcome="error", error_code=-32602) for probe in (ONE, TWO)]
    items = behaviour(answered(runs.seen(ONE), runs.seen(TWO)), answered(*failed))
    assert [(item.line, item.probes) for item in items] == [
        ("fs-read-escape · read_file: result → error -32602 (2 probes)", (ONE.id, TWO.id))
    ]


def test_diff_of_a_run_with_itself_says_so():
    result = diff_all([runs.escapes()], [runs.escapes()])
    assert list(lines(result)) == ["no change"]
    assert exit_code(result) == 0


def test_diff_prints_regressions_or_improvements_and_both_kinds_of_drift():
    after = runs.but(runs.escapes(), surface=replace(runs.SURFACE, tools=(runs.READ,), server_version="2"))
    printed = list(lines(diff_all([runs.clean()], [after])))
    assert "regression: fs-read-escape in fs: pass → fail (all-good → went-wrong)" in printed
    assert "regression: pack fs: A → F" in printed
    assert "drift: breaking: tool write_file removed" in printed
    assert "drift: info: server version 1.0.0 → 2" in printed
    assert exit_code(diff_all([runs.clean()], [after])) == 1
    reverse = list(lines(diff_all([after], [runs.clean()])))
    assert "improved: pack fs: F → A" in reverse
    assert not [line for line in reverse if line.startswith("regression")]
    assert "drift: notable: tool write_file added" in reverse


def test_info_drift_alone_exits_0():
    after = runs.but(GOOD, surface=replace(runs.SURFACE, server_version="2"))
    assert exit_code([diff(GOOD, after)]) == 0


def test_servers_are_matched_by_name_and_lone_runs_whatever_their_name():
    renamed = runs.but(GOOD, server=replace(runs.SERVER, name="renamed"))
    (one,) = diff_all([GOOD], [renamed])
    assert one.notes[0].line == "the server was called files and is called renamed"
    several = diff_all([GOOD, renamed], [GOOD])
    assert [(d.server, [n.line for n in d.notes]) for d in several] == [
        ("files", []),
        ("renamed", ["no server called renamed after"]),
    ]


def test_a_baseline_is_matched_by_name_only():
    renamed = runs.but(GOOD, server=replace(runs.SERVER, name="renamed"))
    (one,) = against([GOOD], [renamed])
    assert [note.line for note in one.notes] == ["no server called renamed before"]
    assert [d.server for d in against([GOOD, renamed], [GOOD])] == ["files"]


def test_a_failed_run_compares_no_surface():
    result = diff(GOOD, runs.broken())
    assert result.drift == ()
    assert result.regressions


def test_the_document_is_machine_readable():
    made = document(diff_all([runs.clean()], [runs.escapes()]))
    assert made["format"] == "sealmark.diff/1"
    assert made["exitCode"] == 1
    assert {"server", "regressions", "improvements", "notes", "drift", "behaviour"} == set(made["servers"][0])


def test_hostile_names_stay_on_their_line():
    before = runs.but(runs.hostile("a"), server=replace(runs.SERVER, name=runs.NASTY))
    for line in lines(diff_all([before], [runs.hostile()])):
        assert line.isprintable()
