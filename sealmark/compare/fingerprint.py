"""Fingerprints of a run: of its behaviour, of the whole document, of each of its parts; and what an edit leaves behind.

The behaviour is verdicts, rules and surface: never times, commands, settings or versions of the tool or the server, so
that the same behaviour has the same value on any machine. The document is everything but measured times and the
fingerprints themselves, so that a run that is repeated has the same fingerprints.
They are checksums against edits, not signatures: whoever can run the tool can make them anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import msgspec

from sealmark.judging.grade import badge_for, grade_pack
from sealmark.reading.shown import line
from sealmark.record.model import Grade, Judgement, RunRecord, Surface, Verdict
from sealmark.record.timeless import timeless
from sealmark.settings.methodology import load, versions

BEHAVIOUR, DOCUMENT = "behaviour", "document"
_ABOUT_THE_SERVER = ("server_name", "server_title", "server_version", "server_info", "listings")


class Edit(msgspec.Struct, frozen=True):
    """Something in a record that does not fit the rest of it: the part, and what does not fit."""

    part: str
    line: str


def stamp(run: RunRecord) -> RunRecord:
    """The run with its fingerprints, computed anew."""
    return msgspec.structs.replace(run, fingerprints=fingerprints(run))


def fingerprints(run: RunRecord) -> dict[str, str]:
    """Name -> `sha256:…`: `behaviour` (of a judged run), `document`, and one per part, to place an edit."""
    run = timeless(run)
    found = {name: _digest(value) for name, value in _parts(run).items()}
    if run.judgement is not None:
        found[BEHAVIOUR] = behaviour(run)
    found[DOCUMENT] = _digest(msgspec.structs.replace(run, fingerprints={}))
    return found


def behaviour(run: RunRecord) -> str:
    """The fingerprint of verdicts, rules and surface of the newest judgement."""
    verdicts = run.judgement.verdicts if run.judgement else ()
    decided = sorted([verdict.pack, verdict.check, verdict.tag, verdict.rule] for verdict in verdicts)
    return _digest([decided, _surface(run.gathered.surface)])


def _surface(surface: Surface) -> dict[str, Any]:
    """What the surface offers, in an order of our own, without what names the server or its version."""
    offered: dict[str, Any] = msgspec.to_builtins(surface)
    kept = {key: value for key, value in offered.items() if key not in _HIDDEN}
    for key, name in (("tools", "name"), ("prompts", "name"), ("resources", "uri")):
        if key in kept:
            kept[key] = sorted(kept[key], key=lambda item: (str(item[name]), _digest(item)))
    return kept


_HIDDEN = frozenset(field.encode_name for field in msgspec.structs.fields(Surface) if field.name in _ABOUT_THE_SERVER)


def _digest(value: Any) -> str:
    data = msgspec.json.encode(value, order="sorted")
    return "sha256:" + hashlib.sha256(data).hexdigest()


def _parts(run: RunRecord) -> dict[str, Any]:
    gathered, judgement = run.gathered, run.judgement
    parts: dict[str, Any] = {
        "header": [run.schema, run.tool_version, run.started_at, run.duration_ms, run.status, run.failure],
        "server": gathered.server,
        "surface": gathered.surface,
        "settings": [gathered.settings, gathered.facts, gathered.classified, gathered.packs],
        "probes": gathered.probes,
        "observations": [gathered.observations, gathered.bodies, gathered.sessions],
        "limits": [gathered.limits, gathered.warnings],
    }
    if judgement is not None:
        parts |= {
            "methodology": [judgement.methodology, judgement.tool_version, judgement.integrity],
            "catalogue": judgement.catalogue,
            "verdicts": judgement.verdicts,
            "grades": judgement.grades,
            "coverage": [judgement.coverage, judgement.badge],
            "earlier judgements": run.judgements[:-1],
        }
    return parts


def verify(run: RunRecord, again: Judgement | None = None) -> tuple[Edit, ...]:
    """What in a record was edited after it was written; empty when everything fits.

    Args:
        run: any record.
        again: the same gathered half judged once more by the same build and methodology, when the caller has one; then
            a verdict that does not follow from what was observed is found even if the fingerprints were made anew.
    """
    found = [*_checksums(run)]
    if run.judgement is not None:
        found += _consistent(run, run.judgement)
        if again is not None:
            found += _judged_again(run.judgement, again)
    return tuple(found)


def _checksums(run: RunRecord) -> Iterator[Edit]:
    expected = fingerprints(run)
    if not run.fingerprints:
        yield Edit(DOCUMENT, "the record carries no fingerprints, so edits cannot be seen")
        return
    for name in (*expected, *(name for name in run.fingerprints if name not in expected)):
        stored = run.fingerprints.get(name)
        if name not in expected:
            yield Edit("fingerprints", f"{line(name, 60)} is no fingerprint of this build")
        elif stored is None:
            yield Edit("fingerprints", f"the fingerprint {name} is missing")
        elif stored != expected[name]:
            yield Edit(name, f"{name} does not have its fingerprint ({line(stored, 15)}…, is {expected[name][:15]}…)")


def _consistent(run: RunRecord, judgement: Judgement) -> Iterator[Edit]:
    entries = {(entry.pack, entry.check): entry for entry in judgement.catalogue}
    probes = {probe.id for probe in run.gathered.probes}
    for verdict in judgement.verdicts:
        entry = entries.get((verdict.pack, verdict.check))
        name = line(verdict.check, 80)
        if entry is None:
            yield Edit("verdicts", f"{name} is not in the catalogue")
            continue
        rule = next((rule for rule in entry.rules if rule.id == verdict.rule), None)
        if rule is not None and rule.tag != verdict.tag:
            words = f"the rule {line(verdict.rule, 80)} gives {rule.tag}, the verdict says {verdict.tag}"
            yield Edit("verdicts", f"{name}: {words}")
        for evidence in verdict.evidence:
            if evidence.probe and evidence.probe not in probes:
                yield Edit("verdicts", f"{name}: evidence names a probe that the run never sent")
    if judgement.integrity.standard and judgement.integrity.differences:
        yield Edit("methodology", "the run is called STANDARD and lists differences from it")
    yield from _grades(run, judgement)


def _grades(run: RunRecord, judgement: Judgement) -> Iterator[Edit]:
    """Letters and badge as they follow from the verdicts under the methodology, if this build ships it."""
    if judgement.methodology not in versions():
        return
    methodology = load(judgement.methodology)
    entries = {(entry.pack, entry.check): entry for entry in judgement.catalogue}
    states = {state.pack: state for state in run.gathered.packs}
    for grade in judgement.grades:
        pack = line(grade.pack, 60)
        if grade.pack not in states:
            yield Edit("grades", f"pack {pack} is graded and was not part of the run")
            continue
        own = [v for v in judgement.verdicts if v.pack == grade.pack and (v.pack, v.check) in entries]
        found = grade_pack(states[grade.pack], [entries[v.pack, v.check] for v in own], own, methodology)
        if msgspec.structs.replace(found, hygiene_only=grade.hygiene_only) != grade:
            yield Edit("grades", f"pack {pack}: the verdicts give {_said(found)}, the grade says {_said(grade)}")
    badge = badge_for(judgement.grades, judgement.integrity, complete=run.status == "complete")
    if badge != judgement.badge:
        yield Edit("coverage", "the badge does not follow from the grades")


def _said(grade: Grade) -> str:
    if not grade.letter:
        return grade.status
    return f"{line(grade.letter, 2)}{'*' if grade.provisional else ''} ({grade.points:g}/{grade.scored})"


def _judged_again(stored: Judgement, again: Judgement) -> Iterator[Edit]:
    before = {(verdict.pack, verdict.check): verdict for verdict in stored.verdicts}
    after = {(verdict.pack, verdict.check): verdict for verdict in again.verdicts}
    for key in dict.fromkeys((*before, *after)):
        old_verdict, new_verdict = before.get(key), after.get(key)
        if old_verdict == new_verdict:
            continue
        was, now = _decided(old_verdict), _decided(new_verdict)
        words = f"judged again it is {now}, the record says {was}" if was != now else "its words or its evidence differ"
        yield Edit("verdicts", f"{line(key[1], 80)}: {words}")
    for name, old, new in (
        ("catalogue", stored.catalogue, again.catalogue),
        ("grades", stored.grades, again.grades),
        ("methodology", stored.integrity, again.integrity),
        ("coverage", (stored.coverage, stored.badge), (again.coverage, again.badge)),
    ):
        if old != new:
            yield Edit(name, f"{name} of a fresh judgement differ from the record's")


def _decided(verdict: Verdict | None) -> str:
    return f"{verdict.tag} by {line(verdict.rule, 80)}" if verdict else "not there"
