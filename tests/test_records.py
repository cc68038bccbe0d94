"""Every stored record judges offline to what is stored, with processes and sockets out of reach."""

import re
import socket
import subprocess
from pathlib import Path

import msgspec
import pytest

from sealmark import __version__
from sealmark.compare.fingerprint import verify
from sealmark.judging.regrade import again, judged, regrade
from sealmark.record.codec import dump, load
from sealmark.toys import toys

TOYS = list(toys())


@pytest.fixture(autouse=True)
def no_world(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("a judge reached for the world")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setattr(socket, "socket", refuse)


@pytest.mark.parametrize("toy", TOYS, ids=lambda toy: f"{toy.check}-{toy.name}")
def test_record_judges_to_what_is_stored(toy):
    data = toy.record_path.read_bytes()
    record = load(data, toy.record_path.name)
    assert dump(record) == data
    stored = record.judgements[-1]
    again = regrade(record, tool_version=__version__).judgements[-1]
    assert again.verdicts == stored.verdicts
    assert again.grades == stored.grades
    assert msgspec.structs.replace(again, integrity=stored.integrity) == stored


@pytest.mark.parametrize("toy", TOYS, ids=lambda toy: f"{toy.check}-{toy.name}")
def test_toy_got_the_verdict_that_it_must(toy):
    record = load(toy.record_path.read_bytes(), toy.record_path.name)
    verdict = next(v for v in record.judgements[-1].verdicts if v.check == toy.check)
    assert (verdict.tag, verdict.rule) == (toy.verdict, toy.rule), verdict.summary


@pytest.mark.parametrize("toy", TOYS, ids=lambda toy: f"{toy.check}-{toy.name}")
def test_no_judge_passes_on_nothing(toy):
    record = load(toy.record_path.read_bytes(), toy.record_path.name)
    unsent = tuple(
        msgspec.structs.replace(seen, outcome="unsent", body="", readings=None, sightings=(), facts=None, is_error=None)
        for seen in record.gathered.observations
    )
    gathered = msgspec.structs.replace(record.gathered, observations=unsent, sessions=())
    emptied = judged(msgspec.structs.replace(record, gathered=gathered, judgements=()), tool_version=__version__)
    for verdict in emptied.judgements[-1].verdicts:
        assert verdict.tag in ("inconclusive", "na", "fail", "part"), f"{verdict.check} passed on nothing"
        if verdict.tag != "na":
            assert verdict.tag == "inconclusive" or verdict.rule, verdict


PROJECT = Path(__file__).parents[1]
STORED = sorted([*PROJECT.glob("site/runs/*.json"), *PROJECT.glob("corpora/*/*/records/*.json")])
HOMES = re.compile(r"(?<![\w./~-])/(?:root|home/[a-z]+|Users/[A-Za-z]+)/")


def test_no_stored_record_names_a_home_of_the_machine_that_made_it():
    assert STORED
    named = {path.name: match[0] for path in STORED if (match := HOMES.search(path.read_text()))}
    assert named == {}


@pytest.mark.parametrize("path", sorted(PROJECT.glob("site/runs/*.json")), ids=lambda path: path.name)
def test_a_published_run_verifies_under_this_build(path):
    """What the project publishes must survive the reviewer's first command."""
    record = load(path.read_bytes(), path.name)
    assert [edit.line for edit in verify(record, again(record))] == []
