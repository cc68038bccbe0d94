"""What a session costs over a bare loop of write, readline and json.loads, per call, with the same server.

Run: ``python -m tests.bench.wire_overhead [CALLS] [WORK_MS]``. WORK_MS is what the server pretends to work for each
call. Prints medians over interleaved rounds, so that the load of the machine hits both alike.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time

from sealmark.wire import Session, StdioConnection

ROUNDS = 5
SERVER = """
import json, sys, time
work = float(sys.argv[1]) / 1000
for line in sys.stdin.buffer:
    message = json.loads(line)
    if work:
        time.sleep(work)
    if "id" in message:
        result = {"protocolVersion": "2025-11-25", "content": [{"type": "text", "text": "x" * 200}]}
        sys.stdout.buffer.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode() + b"\\n")
        sys.stdout.buffer.flush()
"""


def bare(argv: list[str], calls: int) -> tuple[float, float]:
    """Milliseconds for start, handshake and end, and per call."""
    began = time.perf_counter()
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def ask(number: int, method: str) -> None:
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": {"name": "t", "arguments": {}}}
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == number

        ask(0, "initialize")
        asked = time.perf_counter()
        for number in range(calls):
            ask(number + 1, "tools/call")
        answered = time.perf_counter()
        process.stdin.close()
        process.wait()
    return (time.perf_counter() - began - (answered - asked)) * 1000, (answered - asked) * 1000 / calls


async def ours(argv: list[str], calls: int) -> tuple[float, float]:
    """Milliseconds for start, handshake and end, and per call."""
    began = time.perf_counter()
    session = Session(lambda transcript: StdioConnection(argv, env=dict(os.environ), transcript=transcript))
    await session.open()
    asked = time.perf_counter()
    for _ in range(calls):
        reply = await session.request("tools/call", {"name": "t", "arguments": {}}, timeout=30)
        assert reply.outcome == "result"
    answered = time.perf_counter()
    await session.close()
    return (time.perf_counter() - began - (answered - asked)) * 1000, (answered - asked) * 1000 / calls


def main() -> None:
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    work = sys.argv[2] if len(sys.argv) > 2 else "0"
    argv = [sys.executable, "-I", "-S", "-c", SERVER, work]
    rounds = [(bare(argv, calls), asyncio.run(ours(argv, calls))) for _ in range(ROUNDS)]
    for index, what in ((0, "start, handshake and end"), (1, "one call")):
        loop = statistics.median(each[0][index] for each in rounds)
        session = statistics.median(each[1][index] for each in rounds)
        print(f"{what}: bare loop {loop:.3f} ms, session {session:.3f} ms, ratio {session / loop:.2f}")


if __name__ == "__main__":
    main()
