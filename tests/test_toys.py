"""Every toy, run for real, gives the stored record byte for byte (measured times aside)."""

import asyncio

import pytest

from sealmark.record.codec import dump
from sealmark.toys import run_toy, toys


@pytest.mark.parametrize("toy", list(toys()), ids=lambda toy: f"{toy.check}-{toy.name}")
def test_toy_gives_its_record(toy):
    fresh = dump(asyncio.run(run_toy(toy))).decode()
    assert fresh == toy.record_path.read_text("utf-8")
