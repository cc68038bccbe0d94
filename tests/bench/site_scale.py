"""How long the report site takes, and how large it becomes, for a thousand servers and for three thousand.

    python -m tests.bench.site_scale [SERVERS ...]

Each server has a run of about 150 probes in 16 checks (about 150 KB of JSON), every third one three versions. Pages are
made without downloads, which are counted apart. CPU seconds are those of this process. Limits: 60 s and 100 MB for a
thousand, and three thousand no worse than three times that plus a tenth.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from msgspec.structs import replace

from sealmark.publish.build import publish
from sealmark.record import codec
from sealmark.record.model import Body, Call, Classified, Probe, RunRecord, Tool
from tests import runs

SECONDS, MEGABYTES = 60.0, 100.0
CASES = 40


def record(number: int, version: str) -> RunRecord:
    """A run of server `number`: a few findings, many probes, a surface of twenty tools."""
    tags = {
        "protocol": "pass",
        "tool-poisoning": "fail" if number % 11 == 0 else "pass",
        "robust-input": "part" if number % 5 == 0 else "pass",
        "refusal-quality": "pass",
        "fs-read-escape": "fail" if number % 3 == 0 and version == "1.0.0" else "pass",
        "fs-write-escape": "pass",
        "fs-size-cap": "pass",
        "scope-escape": "na",
    }
    every = list(probes(number))
    verdicts = [
        runs.verdict(check, tag, f"{tag} of server {number}", [p for p in every if p.check == check][:12])
        for check, tag in tags.items()
    ]
    states = (runs.state("core"), runs.state("fs"), runs.state("scope", status="candidate"))
    seen = [runs.seen(p, f"access denied: {p.case} lies outside of the root of server {number} " * 2) for p in every]
    seen = [replace(o, body=f"b{place}") for place, o in enumerate(seen)]
    bodies = {
        f"b{place}": Body(f"{place:064x}", 420, '{"jsonrpc":"2.0","id":7,"result":{"content":[]}} ' * 8)
        for place in range(len(seen))
    }
    made = runs.run(runs.judgement(verdicts, states), every, seen, states)
    names = [f"tool_{place}_{version[0]}" for place in range(20)]
    tools = tuple(Tool(name, name, "Reads a file below the root. " * 5, runs.SCHEMA_OF_READ) for name in names)
    made = runs.but(
        made,
        bodies=bodies,
        server=replace(runs.SERVER, name=f"server-{number}", version=version, package=f"npm:server-{number}"),
        surface=replace(runs.SURFACE, tools=tools),
        classified=tuple(Classified(name, "path", "high", "the parameter path names a file") for name in names),
    )
    return replace(made, started_at=f"2030-0{1 + int(version[0])}-01T00:00:00Z")


def probes(number: int) -> Iterator[Probe]:
    """A hundred and fifty probes, most of them of checks that pass."""
    for check, cases in (("fs-read-escape", CASES), ("fs-write-escape", CASES), ("robust-input", CASES)):
        for case in range(cases):
            path = {"path": f"{{sandbox}}/../{number}/{case}/secret.txt", "content": "x" * 40}
            yield runs.probe(
                check, f"case-{case}", Call("read_file", path), why="decoders that run after the prefix test"
            )
    for check in ("protocol", "tool-poisoning", "fs-size-cap"):
        for case in range(10):
            yield runs.probe(check, f"clause-{case}")


def store(folder: Path, servers: int) -> int:
    """Write the runs of so many servers; returns the bytes."""
    folder.mkdir()
    size = 0
    for number in range(servers):
        for version in ("1.0.0", "2.0.0", "3.0.0")[: 3 if number % 3 == 0 else 1]:
            size += (folder / f"{number}-{version}.json").write_bytes(codec.dump(record(number, version)))
    return size


def measure(servers: int) -> tuple[float, float]:
    """Build the site of so many servers; print and return CPU seconds and megabytes of pages."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size = store(folder / "runs", servers)
        before = time.process_time()
        first = publish([folder / "runs"], folder / "site", today=date(2031, 1, 1), with_downloads=False)
        cpu = time.process_time() - before
        before = time.process_time()
        again = publish([folder / "runs"], folder / "site", today=date(2031, 1, 1), with_downloads=False)
        rebuilt = time.process_time() - before
        assert again.files.written == 0
        full = publish([folder / "runs"], folder / "full", today=date(2031, 1, 1))
        data = sum(path.stat().st_size for path in (folder / "full" / "data").rglob("*") if path.is_file())
        megabytes = first.files.bytes / 1e6
        print(
            f"{servers} servers, {full.runs} runs ({size / 1e6:.0f} MB): {cpu:.1f} s CPU, {megabytes:.1f} MB of pages; "
            f"rebuilt with nothing changed {rebuilt:.1f} s; downloads {data / 1e6:.1f} MB",
            flush=True,
        )
        return cpu, megabytes


def main() -> int:
    """Measure each size given, or a thousand and three thousand, and say whether the limits hold."""
    sizes = [int(word) for word in sys.argv[1:]] or [1000, 3000]
    measure(10)
    wrong = 0
    found = {size: measure(size) for size in sizes}
    for size, (cpu, megabytes) in found.items():
        if cpu > SECONDS * size / 1000 * (1.0 if size <= 1000 else 1.1) or megabytes > MEGABYTES * size / 1000 * 1.1:
            print(f"{size} servers: over the limit")
            wrong = 1
    return wrong


if __name__ == "__main__":
    raise SystemExit(main())
