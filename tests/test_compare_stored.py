"""Two stored runs of a published file server: a version that escapes its root, and one that was mended.

Made by `sealmark run --name filesystem --start "npx -y @modelcontextprotocol/server-filesystem@VERSION {sandbox}"`
with `--format json --out FILE`, then packed with `gzip -9 -n`.
"""

from __future__ import annotations

import gzip

import pytest

from sealmark.compare.diff import diff_all, exit_code, lines
from sealmark.compare.fingerprint import behaviour, stamp, verify
from sealmark.record.codec import load
from sealmark.report import FORMATS, render
from tests.golden import DATA


def stored(version):
    path = DATA / "runs" / f"filesystem-{version}.json.gz"
    return load(gzip.decompress(path.read_bytes()), path.name)


OLD, NEW = stored("0.6.2"), stored("2026.8.31")


def test_the_mended_version_improves_and_regresses_in_nothing():
    found = diff_all([OLD], [NEW])
    assert {change.check or change.pack for change in found[0].improvements} >= {
        *("fs-read-escape", "fs-write-escape", "fs-link-escape"),
        "fs",
    }
    assert found[0].regressions == ()
    assert exit_code(found) == 1, "its surface drifted in breaking ways"
    printed = list(lines(found))
    assert "drift: breaking: tool write_file: required parameter content added" in printed
    assert "drift: notable: tool read_media_file added" in printed
    assert "drift: info: protocol version 2024-11-05 → 2025-11-25" in printed


def test_the_way_back_regresses():
    (found,) = diff_all([NEW], [OLD])
    assert {"fs-read-escape", "fs-write-escape", "fs-link-escape"} <= {change.check for change in found.regressions}
    assert "drift: breaking: tool read_media_file removed" in list(lines([found]))


def test_the_behaviour_drifted_probe_by_probe():
    (found,) = diff_all([OLD], [NEW])
    effects = [item.line for item in found.behaviour if item.kind == "effect"]
    wrote = "fs-write-escape · write_file: created {sibling}/escaped.txt → nothing changed"
    assert any(line.startswith(wrote) for line in effects)
    assert {item.kind for item in found.behaviour} == {"reply", "effect", "payload"}
    assert behaviour(OLD) != behaviour(NEW)


def test_no_line_of_drift_holds_a_description():
    (found,) = diff_all([OLD], [NEW])
    descriptions = [tool.description for run in (OLD, NEW) for tool in run.gathered.surface.tools]
    phrases = {text[start : start + 24] for text in descriptions for start in range(0, max(1, len(text) - 24), 12)}
    shown = "\n".join(drift.line for drift in found.drift)
    assert not [phrase for phrase in phrases if len(phrase) == 24 and phrase in shown]


@pytest.mark.parametrize("form", FORMATS)
def test_real_runs_render_in_every_format(form):
    assert render(form, [OLD])
    assert render(form, [NEW]) == render(form, [NEW])


def test_real_runs_are_consistent():
    for run in (OLD, NEW):
        assert verify(stamp(run)) == ()
