"""Every hostile server: the outcome is right, nothing hangs, no process is left, memory stays flat."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Coroutine
from typing import Any

import pytest

from sealmark import processes
from sealmark.processes import Grace
from sealmark.wire import Reply, Session, TranscriptLimits, WireLimits
from tests.hostile import QUICK, SAFETY, SHORT, hostile

MEBIBYTE = 1024 * 1024
FLAT = 300 * MEBIBYTE

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs the process table of Linux")


def run(story: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(story, 2 * SAFETY))


async def call(session: Session, name: str = "", *, timeout: float = SAFETY, **arguments: Any) -> Reply:
    return await session.request("tools/call", {"name": name, "arguments": arguments}, timeout=timeout)


# mode -> seconds granted, outcome, flags, limit, kinds of strays, exit code at the close
ANSWERS: dict[str, tuple[float, str, tuple[str, ...], str, list[str], int]] = {
    "answers": (SAFETY, "result", (), "", [], 0),
    "exits-mid-call": (SAFETY, "closed", (), "", [], 7),
    "half-line": (SAFETY, "closed", (), "", ["unparsable"], 0),
    "no-newline": (SAFETY, "result", ("unterminated",), "", [], 0),
    "holds-pipes": (SAFETY, "closed", (), "", [], 5),
    "no-answer": (SHORT, "timeout", (), "", [], 0),
    "wrong-id": (SHORT, "timeout", (), "", ["unmatched"], 0),
    "wrong-ids": (
        SAFETY,
        "result",
        (),
        "",
        ["unmatched", "unmatched", "bad-id", "id-null", "bad-id", "bad-id", "no-id"],
        0,
    ),
    "invalid-utf8": (SAFETY, "result", ("invalid-utf8",), "", ["unparsable"], 0),
    "nan": (SAFETY, "result", ("nan", "overflow"), "", [], 0),
    "deep": (SAFETY, "limit", ("too-deep",), "too-deep", [], 0),
    "surrogate": (SAFETY, "result", ("lone-surrogate",), "", [], 0),
    "batch": (SHORT, "timeout", (), "", ["batch"], 0),
    "some-notifications": (SAFETY, "result", (), "", [], 0),
    "asks": (SAFETY, "result", (), "", ["request"] * 4, 0),
    "banner": (SAFETY, "result", (), "", ["unparsable", "blank", "unparsable", "batch", "unparsable"], 0),
    "stderr": (SAFETY, "result", (), "", [], 0),
    "huge-line": (SAFETY, "limit", ("too-long",), "line-bytes", [], 0),
    "crowd": (SAFETY, "result", (), "", [], 0),
}


@pytest.mark.parametrize("mode", ANSWERS)
def test_each_hostile_answer_has_its_outcome(mode: str) -> None:
    seconds, outcome, flags, limit, strays, exit_code = ANSWERS[mode]

    async def story() -> None:
        session = hostile(mode)
        await session.open(timeout=SAFETY)
        reply = await call(session, timeout=seconds)
        assert (reply.outcome, reply.flags, reply.limit) == (outcome, flags, limit)
        if session.alive:
            assert (await call(session, "answers")).outcome == "result"
        else:
            assert reply.exit_code == exit_code
        assert [stray.kind for stray in session.strays] == strays
        assert (await session.close()).exit_code == exit_code
        assert processes.living(session.tag) == []

    run(story())


def test_the_second_of_two_replies_is_a_stray() -> None:
    async def story() -> None:
        session = hostile("duplicate")
        await session.open(timeout=SAFETY)
        reply = await call(session)
        assert reply.result["content"][0]["text"] == "first"
        assert (await session.request("echo", timeout=SAFETY)).outcome == "result"
        (stray,) = session.strays
        assert (stray.kind, json.loads(stray.head)["result"]["content"][0]["text"]) == ("duplicate", "second")
        await session.close()

    run(story())


def test_requests_of_the_server_are_refused_at_once() -> None:
    async def story() -> None:
        session = hostile("asks")
        await session.open(timeout=SAFETY)
        reply = await call(session)
        answers = {answer["id"]: answer for answer in reply.result["answers"]}
        assert answers["s0"] == {"jsonrpc": "2.0", "id": "s0", "result": {}}
        assert [answers[f"s{n}"]["error"]["code"] for n in (1, 2, 3)] == [-32601] * 3
        assert [(request.method, request.answered) for request in session.server_requests] == [
            ("ping", True),
            ("sampling/createMessage", True),
            ("roots/list", True),
            ("elicitation/create", True),
        ]
        await session.close()

    run(story())


def test_in_the_modern_era_requests_of_the_server_get_no_answer() -> None:
    async def story() -> None:
        session = hostile("modern-asks")
        await session.open(era="modern", timeout=SAFETY)
        assert await session.notify("tools/call", {"name": "asks"})
        while session.server_request_count < 4:
            await asyncio.sleep(0.01)
        assert [request.answered for request in session.server_requests] == [False] * 4
        await session.close()

    run(story())


def test_a_banner_on_stdout_is_noise_and_is_kept() -> None:
    async def story() -> None:
        session = hostile("banner")
        await session.open(timeout=SAFETY)
        assert session.stdout_noise == (4, (b"Welcome to the server!", b"", b"Listening on stdio", b"17"))
        await session.close()

    run(story())


def test_of_megabytes_on_stderr_the_beginning_and_the_end_are_kept() -> None:
    async def story() -> None:
        session = hostile("stderr")
        await session.open(timeout=SAFETY)
        await session.close()
        assert session.stderr_bytes == 4096 * 1024
        assert len(session.stderr_head) == len(session.stderr_tail) == 64 * 1024
        assert session.stderr_head.startswith(b"000000 xxx")
        assert b"\n004095 xxx" in session.stderr_tail
        assert session.stderr_tail.endswith(b"x\n")

    run(story())


@pytest.mark.parametrize(
    ("mode", "limits", "limit"),
    [
        ("flood", WireLimits(frames=5000), "session-frames"),
        ("byte-flood", WireLimits(bytes=20 * MEBIBYTE), "session-bytes"),
        ("stderr", WireLimits(stderr_bytes=1 * MEBIBYTE), "stderr-bytes"),
        ("newlines", WireLimits(), "session-frames"),
    ],
)
def test_a_flood_ends_the_session_and_its_limit_is_named(mode: str, limits: WireLimits, limit: str) -> None:
    async def story() -> None:
        session = hostile(mode, limits=limits, grace=QUICK)
        await session.open(era="none", timeout=SAFETY)
        reply = await call(session)
        assert (reply.outcome, reply.limit) == ("limit", limit)
        assert not session.alive
        assert session.limits == (limit,)
        again = await call(session)
        assert (again.outcome, again.limit) == ("unsent", limit)
        await session.close()
        assert processes.living(session.tag) == []

    run(story())


def test_a_server_that_stops_reading_cannot_hang_a_request() -> None:
    async def story() -> None:
        session = hostile("stops-reading", grace=QUICK)
        await session.open(timeout=SAFETY)
        assert (await call(session)).outcome == "result"
        began = time.monotonic()
        large = await call(session, timeout=SHORT, text="x" * MEBIBYTE)
        assert (large.outcome, large.flags) == ("timeout", ("partly-sent",))
        small = await call(session, timeout=SHORT)
        assert (small.outcome, small.sent) == ("unsent", 0)
        assert await session.notify("notifications/x", timeout=SHORT) is False
        closed = await session.close()
        assert closed.graces == ("eof", "term")
        assert time.monotonic() - began < SAFETY

    run(story())


def test_a_server_that_closes_its_input_or_dies_while_reading() -> None:
    async def story() -> None:
        session = hostile("closes-stdin", grace=QUICK)
        await session.open(timeout=SAFETY)
        assert (await call(session)).outcome == "result"
        assert (await call(session, timeout=SHORT)).outcome == "unsent"
        await session.close()
        session = hostile("dies-while-reading")
        await session.open(timeout=SAFETY)
        await session.notify("tools/call", {"name": "dies-while-reading"})
        reply = await call(session, text="x" * 4 * MEBIBYTE)
        assert (reply.outcome, reply.exit_code) == ("closed", 6)
        await session.close()

    run(story())


def test_a_server_that_closes_its_output_is_gone_though_it_runs() -> None:
    async def story() -> None:
        session = hostile("closes-stdout", grace=QUICK)
        await session.open(timeout=SAFETY)
        reply = await call(session)
        assert (reply.outcome, reply.exit_code) == ("closed", None)
        assert not session.alive
        assert (await session.close()).signal == "SIGTERM"

    run(story())


def test_a_close_takes_no_longer_than_its_graces() -> None:
    async def story() -> None:
        grace = Grace(eof=0.2, term=0.2, kill=10)
        session = hostile("deaf", grace=grace)
        await session.open(timeout=SAFETY)
        began = time.monotonic()
        closed = await session.close()
        assert (closed.signal, closed.graces, closed.survivors) == ("SIGKILL", ("eof", "term", "kill"), ())
        assert 0.4 <= time.monotonic() - began < 0.4 + 10 + 2

    run(story())


@linux
@pytest.mark.parametrize(("mode", "exit_code"), [("grandchildren", None), ("grandchildren-and-exit", 0)])
def test_grandchildren_are_seen_and_ended(mode: str, exit_code: int | None) -> None:
    async def story() -> None:
        session = hostile(mode)
        await session.open(timeout=SAFETY)
        assert (await call(session)).outcome == "result"
        if exit_code is not None:
            assert await session.wait_ended(SAFETY)
        running = {facts.pid for facts in session.living()}
        assert session.exit_code == exit_code
        assert len(running) == (4 if exit_code is None else 3)
        closed = await session.close()
        assert len(closed.leftover) == 3
        assert {facts.pid for facts in closed.leftover} <= running
        assert closed.survivors == ()
        assert not any(os.path.exists(f"/proc/{pid}") for pid in running)

    run(story())


@linux
def test_sessions_leak_no_descriptor_and_no_task() -> None:
    async def story() -> None:
        for _ in range(2):
            gc.collect()  # what earlier tests left to the collector must not close in between
            before = len(os.listdir("/proc/self/fd"))
            for mode in ("answers", "exits-mid-call", "holds-pipes", "closes-stdout"):
                session = hostile(mode, grace=QUICK)
                await session.open(timeout=SAFETY)
                await call(session)
                await session.close()
            hung = hostile("", argv=("/nowhere",))
            with pytest.raises(Exception, match="/nowhere"):
                await hung.open(timeout=SAFETY)
        assert len(os.listdir("/proc/self/fd")) == before
        await asyncio.sleep(0)
        others = asyncio.all_tasks() - {asyncio.current_task()}
        assert len(others) <= 1  # the story runs inside one more task or not, by version

    run(story())


@pytest.mark.parametrize(
    ("mode", "limit"), [("huge-line", "line-bytes"), ("byte-flood", "session-bytes"), ("flood", "session-frames")]
)
def test_memory_stays_flat(mode: str, limit: str) -> None:
    program = (
        "import asyncio, json, re\n"
        "from tests.hostile import QUICK, hostile\n"
        "async def main():\n"
        f"    session = hostile({mode!r}, grace=QUICK)\n"
        "    await session.open(timeout=60)\n"
        "    reply = await session.request('tools/call', {}, timeout=60)\n"
        "    await session.close()\n"
        "    print(json.dumps([reply.outcome, reply.limit, reply.length]))\n"
        "asyncio.run(main())\n"
        # ru_maxrss would count the test process that this one was forked from
        "print(int(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]) * 1024)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    first, second = done.stdout.splitlines()
    outcome, named, length = json.loads(first)
    assert (outcome, named) == ("limit", limit)
    if mode == "huge-line":
        assert length > 200 * MEBIBYTE
    assert int(second) < FLAT


def test_the_transcript_of_a_flood_is_bounded() -> None:
    async def story() -> None:
        session = hostile("some-notifications", kept=TranscriptLimits(events=50))
        await session.open(timeout=SAFETY)
        reply = await call(session)
        assert len(session.transcript.events) == 50
        assert session.transcript.dropped > 100
        assert session.transcript.limits == ("events",)
        assert reply.received > 200
        await session.close()

    run(story())
