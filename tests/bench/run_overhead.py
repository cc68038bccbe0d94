"""Wall time of a whole run over bare replays of the same calls on the same number of server starts. Goal: 1.3 or less.

The replay starts as many processes, opens each session the same way, sends the same requests one after another per
session, as many sessions at a time as the engine, and reads a line per request. It keeps and judges nothing.

Run: python tests/bench/run_overhead.py "node …/dist/index.js {sandbox}" [ROUNDS]
"""

import asyncio
import json
import os
import shlex
import sys
import tempfile
import time
from pathlib import Path

from sealmark.bench import Bench
from sealmark.conductor import Conductor
from sealmark.engine.engine import PARALLEL_SESSIONS
from sealmark.record.marks import fill, fill_json
from sealmark.record.model import Call, ListAll, Notify, Open, Raw, Request
from sealmark.settings import Origin, Settings

HELLO = {"capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}}


def settings_for(command):
    program, *arguments = shlex.split(command)
    return Settings.standard().replace(
        {"server.command": program, "server.args": tuple(arguments)}, Origin("code", "bench")
    )


def scripts(gathered):
    """(pack, session) -> steps in the order in which they were carried out, answered ones only."""
    steps = {probe.id: probe for probe in gathered.probes}
    found = {}
    for seen in gathered.observations:
        probe = steps[seen.probe]
        answered = seen.outcome in ("result", "error", "opened", "listing", "done")
        step = probe.steps[seen.step]
        if answered and isinstance(step, Call | Request | ListAll | Notify | Raw | Open):
            found.setdefault((probe.pack, probe.session, seen.generation), []).append((step, seen.outcome))
    return found


async def replay(bench, key, steps):
    pack = key[0]
    values = bench.values(pack, "main")
    sandbox_env = bench._sandboxes[pack].env
    env = bench.launch.environment(values, os.environ, sandbox_env)
    process = await asyncio.create_subprocess_exec(
        *bench.launch.arguments(values),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=env,
        cwd=values["sandbox"],
        limit=64 * 2**20,
    )
    number = 0

    async def ask(method, params):
        nonlocal number
        number += 1
        line = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        process.stdin.write(line.encode() + b"\n")
        while True:
            answer = await process.stdout.readline()
            if not answer or json.loads(answer).get("id") == number:
                return

    version = next((step.version for step, _ in steps if isinstance(step, Open) and step.version), "2025-11-25")
    modern = any(isinstance(step, Open) and step.era == "modern" for step, _ in steps)
    if not modern:
        await ask("initialize", {"protocolVersion": version, **HELLO})
        process.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    for step, _ in steps:
        if isinstance(step, Call):
            await ask("tools/call", {"name": step.tool, "arguments": fill_json(step.arguments, values)})
        elif isinstance(step, Request):
            await ask(step.method, fill_json(step.params, values) or {})
        elif isinstance(step, ListAll):
            await ask(step.method, {})
        elif isinstance(step, Raw):
            process.stdin.write(fill(step.text, values).encode() + b"\n")
    process.kill()
    await process.wait()


async def replay_all(settings, gathered):
    from sealmark.arrange import launch_of

    with Bench(launch_of(settings, os.environ), os.environ, ("core", "fs")) as bench:
        gate = asyncio.Semaphore(PARALLEL_SESSIONS)

        async def one(key, steps):
            async with gate:
                await replay(bench, key, steps)

        await asyncio.gather(*(one(key, steps) for key, steps in scripts(gathered).items()))


def main():
    command, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    settings = settings_for(command)
    ratios = []
    for _ in range(rounds):
        started = time.perf_counter()
        record = asyncio.run(Conductor(settings, environ=os.environ).run())
        whole = time.perf_counter() - started
        started = time.perf_counter()
        asyncio.run(replay_all(settings, record.gathered))
        bare = time.perf_counter() - started
        ratios.append(whole / bare)
        print(f"run {whole:.2f} s, bare {bare:.2f} s, ratio {whole / bare:.2f}, {len(record.gathered.sessions)} starts")
    print(f"best ratio {min(ratios):.2f} (goal 1.3)")
    return 0


if __name__ == "__main__":
    tempfile.tempdir = str(Path(tempfile.gettempdir()).resolve())
    sys.exit(main())
