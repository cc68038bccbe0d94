"""A session: both eras, requests and replies, what is unasked, and the seam for another transport."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from sealmark import processes
from sealmark.errors import ServerError
from sealmark.processes import Ended
from sealmark.wire import Connection, Frame, Listener, Reply, Sent, Session, Transcript, WireLimits
from sealmark.wire.lines import Line
from tests.hostile import QUICK, SAFETY, SHORT, hostile

META = "io.modelcontextprotocol/"


def run(story: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(story, SAFETY))


async def call(session: Session, name: str = "", timeout: float = SAFETY) -> Reply:
    return await session.request("tools/call", {"name": name, "arguments": {}}, timeout=timeout)


def sent(session: Session) -> list[dict[str, Any]]:
    return [json.loads(event.head) for event in session.transcript.events if event.direction == "c2s"]


# ---- opening ----


def test_a_legacy_server_is_initialized() -> None:
    async def story() -> None:
        session = hostile("answers")
        opened = await session.open(timeout=SAFETY)
        assert (opened.era, opened.protocol_version, opened.restarted) == ("legacy", "2025-11-25", False)
        assert opened.result["serverInfo"]["name"] == "hostile"
        assert opened.elapsed_ms > 0
        assert (session.era, session.protocol_version) == ("legacy", "2025-11-25")
        first, second = sent(session)
        assert (first["id"], first["method"], first["params"]["capabilities"]) == (1, "initialize", {})
        assert second == {"jsonrpc": "2.0", "method": "notifications/initialized"}
        reply = await call(session)
        assert (reply.outcome, reply.message["id"] if reply.message else None) == ("result", 2)
        assert reply.result == {"content": [{"type": "text", "text": "fine"}]}
        assert "_meta" not in sent(session)[2]["params"]
        closed = await session.close()
        assert (closed.exit_code, closed.signal, closed.graces, closed.leftover) == (0, "", ("eof",), ())
        assert await session.close() == closed

    run(story())


def test_another_version_can_be_offered_and_initialized_left_out() -> None:
    async def story() -> None:
        session = hostile("answers")
        opened = await session.open(era="legacy", version="2024-11-05", handshake="no-initialized", timeout=SAFETY)
        assert opened.protocol_version == "2024-11-05"
        assert [message["method"] for message in sent(session)] == ["initialize"]
        await session.close()

    run(story())


def test_a_version_that_nobody_knows_is_reported_as_it_is() -> None:
    async def story() -> None:
        session = hostile("odd-version")
        assert (await session.open(timeout=SAFETY)).protocol_version == "1999-01-01"
        await session.close()

    run(story())


def test_no_handshake_sends_nothing() -> None:
    async def story() -> None:
        for options in ({"era": "none"}, {"handshake": "none"}):
            session = hostile("answers")
            opened = await session.open(timeout=SAFETY, **options)  # type: ignore[arg-type]
            assert (opened.era, opened.result, sent(session)) == ("none", {}, [])
            reply = await session.request("echo", {"a": 1}, timeout=SAFETY)
            assert reply.result == {"params": {"a": 1}}
            await session.close()

    run(story())


@pytest.mark.parametrize(("mode", "restarted"), [("modern-only", False), ("modern-dies", True)])
def test_a_modern_server_is_discovered_after_it_refused_initialize(mode: str, restarted: bool) -> None:
    async def story() -> None:
        session = hostile(mode)
        opened = await session.open(timeout=SAFETY)
        assert (opened.era, opened.protocol_version, opened.restarted) == ("modern", "2026-07-28", restarted)
        assert opened.result["supportedVersions"] == ["2026-07-28"]
        reply = await call(session)
        assert reply.outcome == "result"
        await session.close()
        assert session.exit_code == 0

    run(story())


def test_every_modern_request_carries_the_envelope_unless_told_otherwise() -> None:
    async def story() -> None:
        session = hostile("modern-only")
        await session.open(era="modern", timeout=SAFETY)
        envelope = {
            META + "protocolVersion": "2026-07-28",
            META + "clientCapabilities": {},
            META + "clientInfo": session.client,
        }

        async def echo(params: Any, **options: Any) -> Any:
            reply = await session.request("echo", params, timeout=SAFETY, **options)
            return reply.result["params"]

        assert await echo(None) == {"_meta": envelope}
        assert await echo({"a": 1}) == {"a": 1, "_meta": envelope}
        assert await echo({"_meta": {"x": 1}}, meta={"y": 2}) == {"_meta": {**envelope, "x": 1, "y": 2}}
        assert await echo({"_meta": {META + "protocolVersion": "0"}}) == {
            "_meta": {**envelope, META + "protocolVersion": "0"}
        }
        assert await echo({"a": 1}, bare=True) == {"a": 1}
        assert await echo(["a"]) == ["a"]
        assert await echo({"_meta": 7}) == {"_meta": 7}
        await session.close()

    run(story())


@pytest.mark.parametrize(
    ("mode", "era", "code", "said"),
    [
        ("exits-at-once", "auto", "ENV_MISSING", "NOTES_API_KEY"),
        ("bad-initialize", "auto", "HANDSHAKE_INVALID", '{"hello": "world"}'),
        ("legacy-error", "auto", "HANDSHAKE_INVALID", "broken"),
        ("refuses", "auto", "HANDSHAKE_AUTH", "401"),
        ("modern-only", "legacy", "HANDSHAKE_INVALID", "-32022"),
        ("modern-dies", "legacy", "TARGET_EXITED", "code 9"),
        ("answers", "modern", "HANDSHAKE_INVALID", "-32601"),
    ],
)
def test_a_failed_start_is_diagnosed_and_cleaned_up(mode: str, era: Any, code: str, said: str) -> None:
    async def story() -> None:
        session = hostile(mode)
        with pytest.raises(ServerError) as caught:
            await session.open(era=era, timeout=SAFETY)
        assert caught.value.code == code
        assert said in caught.value.message
        assert not session.alive
        assert processes.living(session.tag) == []

    run(story())


@pytest.mark.parametrize(("mode", "code"), [("never-answers", "HANDSHAKE_TIMEOUT"), ("noise-only", "STDOUT_NOISE")])
def test_a_start_without_an_answer_ends_in_time(mode: str, code: str) -> None:
    async def story() -> None:
        session = hostile(mode, grace=QUICK)
        with pytest.raises(ServerError) as caught:
            await session.open(timeout=3)
        assert caught.value.code == code
        assert "\x1b" not in str(caught.value)
        assert processes.living(session.tag) == []

    run(story())


def test_a_command_that_does_not_exist_is_named() -> None:
    async def story() -> None:
        session = hostile("", argv=("/nowhere/server", "--x"))
        with pytest.raises(ServerError, match="/nowhere/server --x") as caught:
            await session.open(timeout=SAFETY)
        assert caught.value.code == "TARGET_NOT_FOUND"
        assert (await session.close()).exit_code is None
        assert (await call(session)).outcome == "unsent"
        assert await session.notify("n") is False

    run(story())


def test_stderr_of_a_failed_start_is_whole_and_redacted() -> None:
    async def story() -> None:
        session = hostile("exits-at-once")
        session.redact = lambda data: data.replace(b"NOTES", b"[name]")
        with pytest.raises(ServerError) as caught:
            await session.open(timeout=SAFETY)
        assert caught.value.stderr == "KeyError: '[name]_API_KEY'\n"
        assert "NOTES" not in str(caught.value)

    run(story())


# ---- asking ----


def test_requests_under_way_at_the_same_time_get_their_own_replies() -> None:
    async def story() -> None:
        session = hostile("answers")
        await session.open(timeout=SAFETY)
        replies = await asyncio.gather(*(session.request("echo", [n], timeout=SAFETY, id=f"id-{n}") for n in range(50)))
        assert [reply.result["params"] for reply in replies] == [[n] for n in range(50)]
        assert session.strays == []
        await session.close()

    run(story())


def test_a_reply_knows_its_bytes_its_time_and_its_place() -> None:
    async def story() -> None:
        session = hostile("answers")
        await session.open(timeout=SAFETY)
        began = time.perf_counter()
        reply = await session.request("echo", {"x": "ü"}, timeout=SAFETY)
        elapsed = (time.perf_counter() - began) * 1000
        assert json.loads(reply.raw) == reply.message
        assert reply.length == len(reply.raw)
        assert 0 <= reply.elapsed_ms <= elapsed
        events = {event.seq: event for event in session.transcript.events}
        assert events[reply.sent].direction == "c2s"
        assert events[reply.received].head == reply.raw
        assert (reply.exit_code, reply.limit, reply.transport) == (None, "", None)
        await session.close()
        assert [event.head for event in session.transcript.events if event.direction == "signal"] == [b"eof"]
        assert session.transcript.events[-1].direction == "exit"

    run(story())


def test_an_error_is_an_outcome() -> None:
    async def story() -> None:
        session = hostile("answers")
        await session.open(timeout=SAFETY)
        reply = await session.request("no/such", timeout=SAFETY)
        assert (reply.outcome, reply.error["code"], reply.result) == ("error", -32601, None)
        await session.close()

    run(story())


def test_a_request_that_times_out_is_cancelled_and_its_late_reply_is_kept_apart() -> None:
    async def story() -> None:
        session = hostile("late")
        await session.open(timeout=SAFETY)
        reply = await call(session, timeout=SHORT)
        assert (reply.outcome, reply.message, reply.received) == ("timeout", None, 0)
        assert reply.elapsed_ms > SHORT * 900
        assert (await session.request("echo", timeout=SAFETY)).outcome == "result"
        assert [stray.kind for stray in session.strays] == ["late"]
        cancelled = [message for message in sent(session) if message["method"] == "notifications/cancelled"]
        assert [message["params"]["requestId"] for message in cancelled] == [2]
        await session.close()
        assert b"cancelled 2" in session.stderr_head

    run(story())


def test_a_late_reply_is_no_answer_to_bytes_that_take_any() -> None:
    async def story() -> None:
        session = hostile("late")
        await session.open(timeout=SAFETY)
        assert (await call(session, timeout=SHORT)).outcome == "timeout"
        reply = await session.raw(b"{oops\n", wait_any=True, timeout=SAFETY)
        assert (reply.outcome, reply.error.get("code")) == ("error", -32700)
        assert [stray.kind for stray in session.strays] == ["late"]
        await session.close()

    run(story())


def test_sessions_in_several_threads_do_not_meet() -> None:
    def one(number: int) -> Any:
        async def story() -> Any:
            session = hostile("answers")
            await session.open(timeout=SAFETY)
            replies = [await session.request("echo", [number, n], timeout=SAFETY) for n in range(20)]
            closed = await session.close()
            return [reply.result["params"] for reply in replies], closed.exit_code

        return asyncio.run(story())

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(one, range(8)))
    assert results == [([[number, n] for n in range(20)], 0) for number in range(8)]


def test_a_session_survives_that_everything_is_shut_down_under_it() -> None:
    async def story() -> None:
        session = hostile("answers")
        await session.open(timeout=SAFETY)
        assert await asyncio.to_thread(processes.shutdown_all) == []
        assert await session.wait_ended(SAFETY)
        assert (await session.close()).exit_code == -9

    run(story())


def test_a_handshake_that_times_out_is_not_cancelled() -> None:
    async def story() -> None:
        session = hostile("never-answers", grace=QUICK)
        with pytest.raises(ServerError):
            await session.open(timeout=SHORT)
        assert [message["method"] for message in sent(session)] == ["initialize"]

    run(story())


def test_raw_bytes_go_out_as_they_are_and_wait_for_what_they_are_told() -> None:
    async def story() -> None:
        session = hostile("answers")
        await session.open(timeout=SAFETY)
        line = b'{"jsonrpc":"2.0","id":"x-1","method":"echo"}\n'
        by_id = await session.raw(line, expect_id="x-1", timeout=SAFETY)
        assert (by_id.outcome, by_id.result) == ("result", {"params": None})
        bad = await session.raw(b"{oops\n", wait_any=True, timeout=SAFETY)
        assert (bad.outcome, bad.error["code"], bad.flags) == ("error", -32700, ("id-null",))
        batch = await session.raw(b'[{"jsonrpc":"2.0","id":"b","method":"ping"}]\n', wait_any=True, timeout=SAFETY)
        assert (batch.outcome, batch.message, batch.flags) == ("result", None, ("batch",))
        assert json.loads(batch.raw)[0]["id"] == "b"
        half = await session.raw(b'{"jsonrpc":"2.0","id":"x-2",', timeout=SHORT)
        assert half.outcome == "timeout"
        whole = await session.raw(b'"method":"echo"}\n', expect_id="x-3", wait_any=True, timeout=SAFETY)
        assert whole.message is not None
        assert whole.message["id"] == "x-2"
        nothing = await session.raw(b'{"jsonrpc":"2.0","method":"notifications/x"}\n', timeout=SHORT)
        assert (nothing.outcome, session.strays) == ("timeout", [])
        flags = [event.flags for event in session.transcript.events if event.head == line]
        assert flags == [("raw",)]
        await session.close()

    run(story())


def test_an_error_without_id_answers_no_request() -> None:
    async def story() -> None:
        session = hostile("id-null-error")
        await session.open(timeout=SAFETY)
        assert (await call(session, timeout=SHORT)).outcome == "timeout"
        assert (await session.request("echo", timeout=SAFETY)).outcome == "result"
        assert [stray.kind for stray in session.strays] == ["id-null"]
        await session.close()

    run(story())


def test_an_id_is_never_used_twice() -> None:
    async def story() -> None:
        session = hostile("no-answer")
        await session.open(timeout=SAFETY)
        await session.raw(b'{"jsonrpc":"2.0","id":7,"method":"echo"}\n', expect_id=7, timeout=SAFETY)
        reply = await session.request("echo", timeout=SAFETY)
        assert reply.message is not None
        assert reply.message["id"] == 8
        first = asyncio.create_task(session.request("tools/call", {}, id="a", timeout=SHORT))
        await asyncio.sleep(0)
        with pytest.raises(ValueError, match="'a' is under way"):
            await session.request("echo", id="a", timeout=SAFETY)
        assert (await first).outcome == "timeout"
        await session.close()

    run(story())


def test_a_cancelled_caller_leaves_the_session_usable() -> None:
    async def story() -> None:
        session = hostile("no-answer")
        await session.open(timeout=SAFETY)
        task = asyncio.create_task(call(session))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert session.pending == []
        assert (await session.request("echo", timeout=SAFETY)).outcome == "result"
        closing = asyncio.create_task(session.close())
        await asyncio.sleep(0)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
        assert (await session.close()).exit_code == 0

    run(story())


def test_the_end_of_a_server_can_be_waited_for() -> None:
    async def story() -> None:
        session = hostile("exits-mid-call")
        await session.open(timeout=SAFETY)
        assert await session.wait_ended(0.01) is False
        await session.notify("tools/call", {})
        assert await session.wait_ended(SAFETY) is True
        assert not session.alive
        assert (await call(session)).outcome == "unsent"
        await session.close()

    run(story())


# ---- listings ----


@pytest.mark.parametrize(
    ("mode", "options", "items", "pages", "stopped", "oddities"),
    [
        ("answers", {}, 1, 1, None, 0),
        ("pages", {}, 4, 4, None, 4),
        ("endless", {"max_pages": 20}, 20, 20, "pages", 0),
        ("loop", {}, 3, 3, "cursor-loop", 0),
        ("many", {}, 5000, 1, "items", 0),
        ("many", {"max_items": 20_000}, 20_000, 1, None, 0),
        ("fat", {"max_bytes": 3_500_000}, 4, 4, "bytes", 0),
        ("bad-page", {}, 0, 0, "error", 0),
    ],
)
def test_a_listing_is_paged_to_its_end_or_to_a_limit(
    mode: str, options: dict[str, Any], items: int, pages: int, stopped: str | None, oddities: int
) -> None:
    async def story() -> None:
        session = hostile(mode)
        await session.open(timeout=SAFETY)
        listing = await session.list_all("tools/list", "tools", timeout=SAFETY, **options)
        assert (len(listing.items), listing.pages, listing.stopped_by) == (items, pages, stopped)
        assert listing.oddities == oddities
        assert len(listing.replies) == max(pages, 1)
        await session.close()

    run(story())


def test_a_listing_that_is_refused_or_never_comes_says_so() -> None:
    async def story() -> None:
        session = hostile("answers")
        await session.open(timeout=SAFETY)
        refused = await session.list_all("prompts/list", "prompts", timeout=SAFETY)
        assert (refused.stopped_by, refused.replies[0].error["code"]) == ("error", -32601)
        await session.close()
        gone = await session.list_all("tools/list", "tools", timeout=SAFETY)
        assert (gone.stopped_by, gone.items) == ("timeout", ())

    run(story())


# ---- the seam ----


class Loopback(Connection):
    """A connection without a process: a function answers each message, or says why there is no answer."""

    def __init__(self, transcript: Transcript, answer: Callable[[Mapping[str, Any]], bytes | int]) -> None:
        self.transcript = transcript
        self.target = "loopback"
        self.settled: tuple[str, str] = ("", "")
        self._answer = answer

    async def start(self, listener: Listener) -> None:
        self._listener = listener

    async def send(
        self,
        data: bytes,
        *,
        deadline: float,
        until: asyncio.Future[Any] | None = None,
        message: Mapping[str, Any] | None = None,
    ) -> Sent:
        seq = self.transcript.add("c2s", data)
        if message is not None and "id" in message:
            asyncio.get_running_loop().call_soon(self._deliver, seq, self._answer(message))
        return Sent(seq, time.perf_counter(), True)

    def _deliver(self, seq: int, answer: bytes | int) -> None:
        body = answer if isinstance(answer, bytes) else b"refused"
        facts = {"status": 200 if isinstance(answer, bytes) else answer}
        frame = Frame(Line(body, len(body)), self.transcript.add("s2c", body), time.perf_counter(), (), facts)
        if isinstance(answer, bytes):
            self._listener.frame(frame)
        else:
            self._listener.unanswered(seq, frame)

    def post(self, data: bytes) -> bool:
        self.transcript.add("c2s", data)
        return True

    def settle(self, era: str, version: str) -> None:
        self.settled = (era, version)

    async def close(self) -> Ended:
        return Ended(None)


def test_another_transport_needs_no_change_of_the_session() -> None:
    def answer(message: Mapping[str, Any]) -> bytes | int:
        result = {"protocolVersion": "2025-11-25"} if message["method"] == "initialize" else {}
        reply = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        return 403 if message["method"] == "forbidden" else json.dumps(reply).encode()

    async def story() -> None:
        made: list[Loopback] = []

        def connect(transcript: Transcript) -> Loopback:
            made.append(Loopback(transcript, answer))
            return made[-1]

        session = Session(connect)
        assert (await session.open(timeout=SAFETY)).era == "legacy"
        assert made[0].settled == ("legacy", "2025-11-25")
        good = await session.request("ping", timeout=SAFETY)
        assert (good.outcome, good.transport) == ("result", {"status": 200})
        refused = await session.request("forbidden", timeout=SAFETY)
        assert (refused.outcome, refused.raw, refused.transport) == ("error", b"refused", {"status": 403})
        assert session.alive
        assert (session.tag, session.living(), session.stderr_bytes) == ("", [], 0)
        assert (await session.close()).exit_code is None

    run(story())


def test_limits_of_notes_bound_what_is_kept_and_count_the_rest() -> None:
    async def story() -> None:
        session = hostile("some-notifications", limits=WireLimits(notes=2))
        await session.open(timeout=SAFETY)
        assert (await call(session)).outcome == "result"
        assert (session.notifications, session.notification_count) == ({"notifications/progress": 200}, 200)
        assert (await call(session, "wrong-ids")).outcome == "result"
        assert (len(session.strays), session.stray_count) == (2, 7)
        await session.close()

    run(story())


def test_a_session_names_its_command_and_its_processes() -> None:
    async def story() -> None:
        session = hostile("answers")
        await session.open(timeout=SAFETY)
        assert session.target.startswith(sys.executable)
        assert len(session.living()) == 1
        assert session.living() == processes.living(session.tag)
        await session.close()

    run(story())
