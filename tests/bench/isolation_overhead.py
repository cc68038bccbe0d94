"""What isolation costs: a start of a bare program with and without a box, and a whole fs run as a ratio.

Run: python tests/bench/isolation_overhead.py "node …/dist/index.js {sandbox}" [ROUNDS]
"""

import asyncio
import os
import shlex
import statistics
import sys
import tempfile
import time

from sealmark.bench.isolation import level
from sealmark.bench.isolation.box import Wanted, start_boxed
from sealmark.bench.isolation.world import PLACES
from sealmark.conductor import Conductor
from sealmark.processes import start
from sealmark.settings import Origin, Settings


async def started(boxed):
    """Milliseconds from the start of `cat` to the end of it."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        wanted = Wanted(share=(folder,), listen=PLACES)
        env = {"PATH": os.environ["PATH"]}
        starting = start_boxed(["cat"], env=env, cwd=folder, wanted=wanted) if boxed else start(["cat"], env=env)
        process = await starting
        up = (time.perf_counter() - began) * 1000
        await process.stop()
        return up, (time.perf_counter() - began) * 1000


async def ran(command, isolation):
    """Seconds of a whole run of pack fs."""
    program, *arguments = shlex.split(command)
    values = {"server.command": program, "server.args": tuple(arguments), "packs": ("fs",), "isolation": isolation}
    began = time.perf_counter()
    record = await Conductor(Settings.standard().replace(values, Origin("code", "bench")), environ=os.environ).run()
    assert record.failure is None, record.failure
    return time.perf_counter() - began


async def main():
    command, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    print("level:", *level())
    for boxed in (False, True):
        rows = [await started(boxed) for _ in range(10)]
        up, end = (statistics.median(column) for column in zip(*rows, strict=True))
        print(f"{'boxed' if boxed else 'plain'}: started in {up:.0f} ms, ended after {end:.0f} ms (medians of 10)")
    pairs = [(await ran(command, "none"), await ran(command, "full")) for _ in range(rounds)]
    ratios = [inside / outside for outside, inside in pairs]
    shown = ", ".join(f"{outside:.1f} s and {inside:.1f} s" for outside, inside in pairs)
    print(f"fs runs, plain and isolated: {shown}; ratio {statistics.median(ratios):.2f} (median of {rounds})")


asyncio.run(main())
