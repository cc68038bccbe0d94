"""The stored golden files are what this build renders. `python -m tests.golden` writes them anew."""

from __future__ import annotations

import pytest

from tests import golden

WANTED = dict(golden.goldens())


@pytest.mark.parametrize("path", WANTED, ids=lambda path: path.name)
def test_golden(path):
    assert path.is_file(), "run: python -m tests.golden"
    assert path.read_text("utf-8") == WANTED[path]


def test_no_golden_file_is_left_over():
    assert set(golden.GOLDEN.iterdir()) == set(WANTED)
