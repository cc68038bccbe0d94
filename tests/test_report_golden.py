"""The stored golden files are what this build renders. `python -m tests.golden` writes them anew."""

from __future__ import annotations

import pytest

from sealmark import __version__, corpora
from sealmark.compare.fingerprint import stamp, verify
from sealmark.judging.regrade import again, regrade
from sealmark.record.codec import dump, load
from sealmark.report import FORMATS, render
from tests import golden

WANTED = dict(golden.goldens())


@pytest.mark.parametrize("path", WANTED, ids=lambda path: path.name)
def test_golden(path):
    assert path.is_file(), "run: python -m tests.golden"
    assert path.read_text("utf-8") == WANTED[path]


def test_no_golden_file_is_left_over():
    assert set(golden.GOLDEN.iterdir()) == set(WANTED)


RECORDS = [sorted(folder.glob("*.json")) for folder in sorted(corpora.root().glob("*/*/records"))]
STORED = [paths[0] for paths in RECORDS if paths]
"""One stored run of each check."""


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.parent.parent.name)
def test_a_stored_run_that_is_judged_again_gives_the_same_reports(path):
    record = load(path.read_bytes())
    fresh = regrade(record, tool_version=__version__)
    renewed = load(dump(regrade(fresh, tool_version=__version__)))
    for form in FORMATS.keys() - {"json"}:
        assert render(form, [renewed]) == render(form, [fresh])
    assert verify(stamp(renewed), again(renewed)) == ()
