"""Every edit of a stored run is found; the same behaviour has the same fingerprint wherever it was seen."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from sealmark.compare.fingerprint import behaviour, fingerprints, stamp, verify
from sealmark.record.codec import dump, load
from sealmark.record.model import Difference, Integrity
from tests import runs

STORED = stamp(runs.escapes())


def test_a_stored_run_is_unedited():
    assert verify(STORED) == ()
    assert verify(load(dump(STORED))) == ()
    assert verify(stamp(runs.broken())) == ()
    assert verify(stamp(runs.undecided())) == ()


def test_a_run_without_fingerprints_cannot_be_verified():
    assert [edit.part for edit in verify(runs.escapes())] == ["document"]


J = STORED.judgement


def judgement(**more):
    return replace(STORED, judgements=(replace(J, **more),))


def verdicts(index, **more):
    changed = list(J.verdicts)
    changed[index] = replace(changed[index], **more)
    return judgement(verdicts=tuple(changed))


def gathered(**more):
    return runs.but(STORED, **more)


FAILED = next(index for index, verdict in enumerate(J.verdicts) if verdict.check == "fs-read-escape")
EDITS = {
    "verdict": (verdicts(FAILED, tag="pass"), "verdicts"),
    "rule": (verdicts(FAILED, rule="all-good"), "verdicts"),
    "summary": (verdicts(FAILED, summary="All good."), "verdicts"),
    "hint": (verdicts(FAILED, hint=""), "verdicts"),
    "evidence line": (
        verdicts(FAILED, evidence=(replace(J.verdicts[FAILED].evidence[0], line="nothing"),)),
        "verdicts",
    ),
    "verdict removed": (judgement(verdicts=J.verdicts[1:]), "verdicts"),
    "letter": (judgement(grades=(replace(J.grades[0], letter="A"), *J.grades[1:])), "grades"),
    "cap": (judgement(grades=(*J.grades[:1], replace(J.grades[1], hygiene_only=True), *J.grades[2:])), "grades"),
    "severity": (judgement(catalogue=(replace(J.catalogue[0], severity="advisory"), *J.catalogue[1:])), "catalogue"),
    "rule text": (judgement(catalogue=(replace(J.catalogue[0], rules=()), *J.catalogue[1:])), "catalogue"),
    "integrity": (judgement(integrity=Integrity(False, J.integrity.hash)), "methodology"),
    "hash": (judgement(integrity=Integrity(True, "sha256:0")), "methodology"),
    "methodology": (judgement(methodology="0.4"), "methodology"),
    "judging version": (judgement(tool_version="9"), "methodology"),
    "badge": (judgement(badge=replace(J.badge, message="core A")), "coverage"),
    "coverage": (judgement(coverage=replace(J.coverage, exercised=0)), "coverage"),
    "status": (replace(STORED, status="partial"), "header"),
    "server name": (gathered(server=replace(runs.SERVER, name="other")), "server"),
    "command": (gathered(server=replace(runs.SERVER, command=("x",))), "server"),
    "description": (gathered(surface=replace(runs.SURFACE, tools=(replace(runs.READ, description="x"),))), "surface"),
    "setting": (gathered(settings=(runs.Setting("a", 1),)), "settings"),
    "probe": (gathered(probes=STORED.gathered.probes[1:]), "probes"),
    "observation": (gathered(observations=STORED.gathered.observations[1:]), "observations"),
    "warning": (gathered(warnings=()), "limits"),
    "an earlier judgement": (replace(STORED, judgements=(J, J)), "earlier judgements"),
    "a fingerprint changed": (
        replace(STORED, fingerprints={**STORED.fingerprints, "behaviour": "sha256:0"}),
        "behaviour",
    ),
    "a fingerprint removed": (
        replace(STORED, fingerprints={k: v for k, v in STORED.fingerprints.items() if k != "verdicts"}),
        "fingerprints",
    ),
}


@pytest.mark.parametrize(("edited", "part"), EDITS.values(), ids=EDITS)
def test_an_edit_is_found_and_placed(edited, part):
    assert part in {edit.part for edit in verify(edited)}


TIMES = {"startedAt", "durationMs", "elapsedMs", "openedMs"}


def test_measured_times_do_not_enter_so_that_a_repeated_run_has_the_same_fingerprints():
    later = gathered(observations=tuple(replace(o, elapsed_ms=1) for o in STORED.gathered.observations))
    assert not verify(replace(later, started_at="2031-01-01T00:00:00Z", duration_ms=7))


def test_every_leaf_of_the_document_is_covered():
    """Any string, number or flag of the stored JSON that is changed is found, unless it is a measured time."""
    document = msgspec.json.decode(dump(STORED))
    missed = []
    for path in _leaves(document):
        changed = msgspec.json.decode(dump(STORED))
        if path[0] == "fingerprints" or path[-1] in TIMES or not _change(changed, path):
            continue
        try:
            edited = load(msgspec.json.encode(changed))
        except Exception:
            continue  # not a record any more: refused, so found
        if not verify(edited):
            missed.append(path)
    assert missed == []


def _leaves(value, path=()):
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        if isinstance(item, dict | list):
            yield from _leaves(item, (*path, key))
        else:
            yield (*path, key)


def _change(document, path):
    for key in path[:-1]:
        document = document[key]
    old = document[path[-1]]
    document[path[-1]] = (not old) if isinstance(old, bool) else old + 1 if isinstance(old, int | float) else f"{old}x"
    return document[path[-1]] != old


def restamped(record):
    return stamp(replace(record, fingerprints={}))


INCONSISTENT = {
    "a verdict against its rule": restamped(verdicts(FAILED, tag="pass")),
    "a letter that does not follow": restamped(judgement(grades=(replace(J.grades[0], letter="A"), *J.grades[1:]))),
    "a verdict outside the catalogue": restamped(verdicts(FAILED, check="other")),
    "evidence of a probe that was not sent": restamped(gathered(probes=STORED.gathered.probes[:2])),
    "STANDARD with differences": restamped(
        judgement(integrity=Integrity(True, "h", (Difference("packs", [], ["core"]),))),
    ),
    "a badge that does not follow": restamped(judgement(badge=replace(J.badge, message="core A"))),
    "a graded pack that was not run": restamped(gathered(packs=())),
}


@pytest.mark.parametrize("edited", INCONSISTENT.values(), ids=INCONSISTENT)
def test_an_edit_is_found_even_with_new_fingerprints_where_the_parts_disagree(edited):
    assert verify(edited)


def test_judging_again_finds_what_new_fingerprints_hide():
    changed = restamped(verdicts(FAILED, tag="pass", rule="all-good"))
    graded = restamped(
        replace(changed, judgements=(runs.judgement(changed.judgement.verdicts, changed.gathered.packs),))
    )
    assert not [edit for edit in verify(graded) if edit.part == "verdicts"]
    lines = [edit.line for edit in verify(graded, J)]
    assert "fs-read-escape: judged again it is fail by went-wrong, the record says pass by all-good" in lines
    assert verify(STORED, J) == ()


def test_the_behaviour_is_the_same_on_another_machine():
    elsewhere = runs.but(
        runs.escapes(),
        server=replace(runs.SERVER, command=("node", "x.js"), version="9", env={"A": "b"}),
        sessions=(),
        observations=tuple(replace(o, elapsed_ms=0) for o in STORED.gathered.observations),
        surface=replace(runs.SURFACE, server_version="9", tools=runs.SURFACE.tools[::-1]),
    )
    elsewhere = runs.judged(replace(elsewhere, tool_version="9", started_at="x", duration_ms=1), tool_version="9")
    assert behaviour(elsewhere) == behaviour(STORED)
    assert fingerprints(elsewhere)["document"] != STORED.fingerprints["document"]


@pytest.mark.parametrize(
    "other",
    [
        verdicts(FAILED, tag="pass"),
        verdicts(FAILED, rule="all-good"),
        gathered(surface=replace(runs.SURFACE, instructions="x")),
        gathered(surface=replace(runs.SURFACE, tools=(replace(runs.READ, description="x"), runs.WRITE))),
        gathered(surface=replace(runs.SURFACE, protocol_version="2024-11-05")),
    ],
)
def test_another_behaviour_has_another_fingerprint(other):
    assert behaviour(other) != behaviour(STORED)
