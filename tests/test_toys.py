"""Every toy, run for real, gives the stored record byte for byte (measured times aside)."""

import asyncio

import pytest

from sealmark.bench.isolation import level
from sealmark.record.codec import dump
from sealmark.toys import run_toy, toys


@pytest.mark.parametrize("toy", list(toys()), ids=lambda toy: f"{toy.check}-{toy.name}")
def test_toy_gives_its_record(toy):
    wanted = toy.settings.get("isolation", "none")
    if wanted != "none" and not level().allows(wanted):
        pytest.skip(f"this machine isolates: {level().name} ({level().reason})")
    fresh = dump(asyncio.run(run_toy(toy))).decode()
    assert fresh == toy.record_path.read_text("utf-8")
