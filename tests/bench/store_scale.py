"""A store of many generated runs: how long frames take to load, in what memory, and what adding one run rewrites.

    python tests/bench/store_scale.py [--runs 20000] [--checks 60] [--probes 400] [--folder DIR]

Every run has a server, a time, texts and latencies of its own. With `--folder` the store is kept and used again.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sealmark.record import codec
from sealmark.record.model import (
    Body,
    Call,
    CatalogueEntry,
    Coverage,
    Evidence,
    Gathered,
    Grade,
    Integrity,
    Judgement,
    Observation,
    Probe,
    Readings,
    RuleText,
    RunRecord,
    ServerFacts,
    Surface,
    Tool,
    Verdict,
)
from sealmark.store.cache import compact, refresh
from sealmark.store.files import file_name

WORDS = "path file read write denied outside allowed error root folder secret listing entry value server tool".split()
RULE = RuleText("rule-one", "pass", "Says.")
TAGS = ("pass", "pass", "pass", "fail", "part", "inconclusive", "na")


def text(chance: random.Random, words: int) -> str:
    return " ".join(chance.choice(WORDS) + str(chance.randrange(1000)) for _ in range(words))


def made(number: int, checks: int, probes: int) -> RunRecord:
    """One generated run: `checks` checks with `probes` probes in all, each with a reply of its own."""
    chance = random.Random(number)
    names = [f"check-{at:02d}" for at in range(checks)]
    planned, seen, bodies = [], [], {}
    for at in range(probes):
        check = names[at % checks]
        probe_id = f"{check}/tool_{at % 12}/case-{at // checks}"
        planned.append(
            Probe(
                probe_id,
                "core",
                check,
                "attack",
                (Call(f"tool_{at % 12}", {"path": f"{{sandbox}}/{text(chance, 2)}"}),),
                tool=f"tool_{at % 12}",
                case=f"case-{at // checks}",
            )
        )
        answer = text(chance, 18)
        key = f"{number:08x}{at:08x}"
        bodies[key] = Body(key * 4, len(answer) + 60, answer)
        seen.append(
            Observation(
                probe_id,
                0,
                "result",
                body=key,
                is_error=at % 3 == 0,
                elapsed_ms=round(chance.expovariate(0.2), 1),
                readings=Readings(text=answer, text_length=len(answer), shape="content[text]"),
            )
        )
    verdicts = tuple(
        Verdict(
            "core",
            check,
            chance.choice(TAGS),
            "rule-one",
            text(chance, 8),  # type: ignore[arg-type]
            (Evidence(text(chance, 6), f"{check}/tool_{at % 12}/case-0", (0,)),),
            probes // checks,
            probes // checks,
        )
        for at, check in enumerate(names)
    )
    catalogue = tuple(
        CatalogueEntry("core", check, f"Title of {check}", "scored", "standard", 1, "server", (RULE,))
        for check in names
    )
    judgement = Judgement(
        "0.3",
        "0.1.0",
        Integrity(True, "c0ffee"),
        catalogue,
        verdicts,
        (Grade("core", "graded", "B", "B", checks * 0.8, checks, checks, 80.0),),
        Coverage(12, 12, (), probes, probes),
    )
    tools = tuple(Tool(f"tool_{at}", description=text(chance, 12), input_schema={"type": "object"}) for at in range(12))
    started = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(1_790_000_000 + number)) + ".000Z"
    gathered = Gathered(
        ServerFacts(f"server-{number % 4000}", f"1.{number // 4000}.0", command=("npx", f"server-{number % 4000}")),
        surface=Surface(tools=tools),
        probes=tuple(planned),
        observations=tuple(seen),
        bodies=bodies,
    )
    return RunRecord(1, "0.1.0", started, 1000, "complete", gathered, (judgement,))


def store(folder: Path, run: RunRecord) -> None:
    (folder / file_name(run)).write_bytes(codec.dump(run))


READ = """
import sys, time
from pathlib import Path
folder, what = Path(sys.argv[1]), sys.argv[2]
import pandas, pyarrow.parquet
from sealmark.frames import cache, files, tables
started, cpu = time.perf_counter(), time.process_time()
if what == "bare":
    parts = sorted(folder.glob(".sealmark-cache/*/checks.parquet"))
    rows = sum(pyarrow.parquet.read_table(path).num_rows for path in parts)
elif what == "keys":
    rows = len(files.load(folder))
else:
    runs = files.load(folder)
    keep = [runs.frame(name) for name in what.split(",")]
    rows = sum(map(len, keep))
memory = next(int(line.split()[1]) / 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(rows, time.perf_counter() - started, time.process_time() - cpu, memory)
"""


def measure(folder: Path, what: str, rounds: int = 3) -> tuple[int, float, float, float]:
    """Rows, wall and CPU seconds (best of the rounds) and peak memory in MB of loading something in a fresh process."""
    found = []
    for _ in range(rounds):
        done = subprocess.run(
            [sys.executable, "-c", READ, str(folder), what], capture_output=True, text=True, check=True
        )
        rows, wall, cpu, memory = done.stdout.split()
        found.append((int(rows), float(wall), float(cpu), float(memory)))
    return found[0][0], min(f[1] for f in found), min(f[2] for f in found), max(f[3] for f in found)


def main() -> None:
    parser = argparse.ArgumentParser()
    for name, default in (("runs", 20_000), ("checks", 60), ("probes", 400)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sealmark-bench-") as temporary:
        bench(asked.folder or Path(temporary), asked)


def bench(folder: Path, asked: argparse.Namespace) -> None:
    folder.mkdir(exist_ok=True)
    clock = time.process_time()
    have = sum(1 for _ in folder.glob("*.json"))
    for number in range(have, asked.runs):
        store(folder, made(number, asked.checks, asked.probes))
    files = list(folder.glob("*.json"))
    size = sum(path.stat().st_size for path in files) / 2**20
    each, spent = size * 1024 / len(files), time.process_time() - clock
    print(f"{len(files)} runs, {size:.0f} MiB of JSON, {each:.0f} KiB each; made in {spent:.0f} s CPU")
    clock = time.process_time()
    added = refresh(folder)
    print(f"cache: {added} runs added in {time.process_time() - clock:.0f} s CPU")
    parts = sum(path.stat().st_size for path in (folder / ".sealmark-cache").rglob("*.parquet")) / 2**20
    print(f"cache: {parts:.0f} MiB, {parts / size:.3f} of the JSON")

    print(f"{'loading':<34}{'rows':>10}{'wall s':>9}{'CPU s':>9}{'MB':>8}")
    results = {}
    for what, name in (
        ("keys", "which runs there are"),
        ("bare", "pyarrow alone: checks"),
        ("checks", "checks"),
        ("checks,probes", "checks and probes"),
        ("packs,runs", "packs and runs"),
    ):
        results[what] = rows, wall, cpu, memory = measure(folder, what)
        print(f"{name:<34}{rows:>10}{wall:>9.2f}{cpu:>9.2f}{memory:>8.0f}")
    ratio = results["checks"][2] / results["bare"][2]
    wall = results["checks"][1] / results["bare"][1]
    print(f"checks over pyarrow alone: {ratio:.2f} in CPU, {wall:.2f} in wall (goal: 3)")
    print(f"checks and probes: {results['checks,probes'][3]:.0f} MB (goal: 3000)")

    before = {path: path.stat().st_mtime_ns for path in (folder / ".sealmark-cache").rglob("*") if path.is_file()}
    store(folder, made(asked.runs, asked.checks, asked.probes))
    clock, cpu = time.perf_counter(), time.process_time()
    refresh(folder)
    wall, cpu = time.perf_counter() - clock, time.process_time() - cpu
    after = {path: path.stat().st_mtime_ns for path in (folder / ".sealmark-cache").rglob("*") if path.is_file()}
    rewritten = sum(after.get(path) != changed for path, changed in before.items())
    new = len(after) - len(before)
    print(f"adding one run: {wall:.2f} s wall, {cpu:.2f} s CPU, {rewritten} old files rewritten, {new} new")
    print(f"peak memory here: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    compact(folder)


if __name__ == "__main__":
    main()
