"""What tests of isolation share: boxes are tried where this machine can make them, else the reason is told."""

import asyncio
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from sealmark.bench.isolation.box import Wanted, start_boxed
from sealmark.bench.isolation.changes import Change
from sealmark.bench.isolation.level import level
from sealmark.processes import Ended

LEVEL = level()
full = pytest.mark.skipif(LEVEL.name != "full", reason=f"this machine isolates: {LEVEL.name} ({LEVEL.reason})")
some = pytest.mark.skipif(LEVEL.name == "none", reason=f"this machine isolates: none ({LEVEL.reason})")


@dataclass
class Ran:
    """What came of a program in a box."""

    out: str
    err: str
    ended: Ended
    changes: list[Change] = field(default_factory=list)

    def change(self, path: str | Path) -> str:
        return next((change.how for change in self.changes if change.path == str(path)), "")


async def ran(*argv: str, cwd: Path, share: bool = True, **wanted) -> Ran:
    """Run a program in a box to its end."""
    asked = Wanted(share=(str(cwd),) if share else (), **wanted)
    changes: list[Change] = []

    def end(held):
        changes.extend(held.looked())
        held.release()

    process = await start_boxed(argv, env=dict(os.environ), cwd=str(cwd), wanted=asked, end=end)
    stdout, stderr = process.stdout, process.stderr
    process.stdout = process.stderr = None
    with stdout, stderr:
        out, err = await asyncio.gather(asyncio.to_thread(stdout.read), asyncio.to_thread(stderr.read))
        await process.wait()
    ended = await process.stop()
    return Ran(out.decode(), err.decode(), ended, changes)


def python(code: str, cwd: Path, **wanted) -> Ran:
    """Run Python in a box to its end."""
    return asyncio.run(ran(sys.executable, "-I", "-S", "-B", "-c", code, cwd=cwd, **wanted))


def shell(code: str, cwd: Path, **wanted) -> Ran:
    """Run a shell in a box to its end."""
    return asyncio.run(ran("/bin/sh", "-c", code, cwd=cwd, **wanted))
