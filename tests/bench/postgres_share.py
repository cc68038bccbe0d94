"""The share of a db run's wall time that starting Postgres takes: nothing cached (cold), and with a template (warm).

Run: python tests/bench/postgres_share.py [ROUNDS]

The server is a small one that connects and reads in a read-only transaction. A cold run makes the template in a cache
of its own. `--all` runs every check with its real deadlines; else the one that waits is left out, so that the share
is the largest that a run can have.
"""

import asyncio
import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from sealmark.bench.postgres import PostgresPart
from sealmark.conductor import Conductor
from sealmark.packs import PACKS
from sealmark.settings import Origin, Settings

TOYS = Path(__file__).resolve().parents[2] / "corpora" / "db" / "db-read-only" / "toys.py"
SPENT = []


class Timed(PostgresPart):
    """Notes how long a start takes."""

    def start(self, sandboxes):
        """Start, with a clock beside."""
        before = time.perf_counter()
        super().start(sandboxes)
        SPENT.append(time.perf_counter() - before)


def settings_for(every):
    chosen = {
        "server.command": sys.executable,
        "server.args": (str(TOYS), "reads_in_a_transaction", "{sandbox}"),
        "server.env": {"DATABASE_URL": "{dsn}"},
        "packs": ("db",),
    }
    if not every:
        chosen["checks.db-timeout.enabled"] = False
    return Settings.standard().replace(chosen, Origin("code", "bench"))


def run(settings, cache):
    """Seconds of one run, and of the start of Postgres in it."""
    environ = {**os.environ, "XDG_CACHE_HOME": cache, "PYTHONDONTWRITEBYTECODE": "1"}
    packs = tuple(pack for pack in PACKS if pack.id == "db")
    before = time.perf_counter()
    record = asyncio.run(Conductor(settings, environ=environ, packs=packs).run())
    seconds = time.perf_counter() - before
    assert record.failure is None, record.failure
    return seconds, SPENT.pop()


def main():
    """Print medians of several rounds."""
    import sealmark.bench.parts

    sealmark.bench.parts.PostgresPart = Timed
    words = [word for word in sys.argv[1:] if word != "--all"]
    rounds, settings = int(words[0]) if words else 3, settings_for("--all" in sys.argv)
    found = {"cold": [], "warm": []}
    for _ in range(rounds):
        cache = tempfile.mkdtemp(prefix="sealmark-share-", dir="/var/tmp")
        os.chmod(cache, 0o755)
        try:
            found["cold"].append(run(settings, cache))
            found["warm"].append(run(settings, cache))
        finally:
            shutil.rmtree(cache)
    for name, pairs in found.items():
        whole, start = (statistics.median(column) for column in zip(*pairs, strict=True))
        print(f"{name}: {start:.2f} s of {whole:.2f} s to start Postgres, {start / whole:.0%} of the run")


if __name__ == "__main__":
    main()
