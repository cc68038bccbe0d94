"""Trees of processes: found whatever they do to hide, ended, reaped, and nobody else's touched."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
import subprocess
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from sealmark import processes
from sealmark.processes import Ended, Grace, Process, table

ENV = {"PATH": os.environ["PATH"]}
GRACE = Grace(eof=0.3, term=0.3, kill=10.0)
PATIENT = Grace(eof=30.0, term=30.0, kill=10.0)
READY = "print('ready', flush=True)\n"
WAIT_FOR_EOF = "sys.stdin.read()\n"
HANG = "import time\nwhile True: time.sleep(600)\n"
IMPORTS = "import os, signal, subprocess, sys\n"
SLEEPER = "S = [sys.executable, '-c', 'import time; time.sleep(600)']\nQ = dict(stdin=-3, stdout=-3, stderr=-3)\n"
HIDING = {
    "a plain child": "subprocess.Popen(S, **Q)\n",
    "a session of its own": "subprocess.Popen(S, start_new_session=True, **Q)\n",
    "no environment": "subprocess.Popen(S, start_new_session=True, env={}, **Q)\n",
    "a daemon without environment": (
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0: os.execve(S[0], S, {})\n"
        "    os._exit(0)\n"
        "os.wait()\n"
    ),
}

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs the process table of Linux")


def run(story: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(story, 60))


async def ready(code: str) -> Process:
    process = await processes.start([sys.executable, "-c", IMPORTS + SLEEPER + code], env=ENV)
    assert process.stdout is not None
    line = await asyncio.to_thread(process.stdout.readline)
    assert line == b"ready\n"
    return process


def pids(facts: Any) -> set[int]:
    return {each.pid for each in facts}


def dead_children() -> list[int]:
    stats = table.every_process().values()
    return [stat.pid for stat in stats if stat.parent == os.getpid() and stat.state in table.DEAD]


def test_a_server_that_ends_with_its_input_needs_no_signal() -> None:
    async def story() -> None:
        process = await ready(READY + WAIT_FOR_EOF + "sys.exit(7)\n")
        assert pids(process.living()) == {process.pid}
        assert await process.stop(PATIENT) == Ended(7, "", ("eof",))
        assert process.living() == []

    run(story())


def test_a_server_that_ignores_the_end_of_its_input_gets_a_signal() -> None:
    async def story() -> None:
        process = await ready(READY + HANG)
        assert await process.stop(Grace(0.1, 30, 10)) == Ended(-15, "SIGTERM", ("eof", "term"))

    run(story())


def test_a_server_that_ignores_everything_is_killed() -> None:
    async def story() -> None:
        process = await ready("signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + READY + HANG)
        stages: list[str] = []
        ended = await process.stop(GRACE, tell=stages.append)
        assert ended == Ended(-9, "SIGKILL", ("eof", "term", "kill"))
        assert stages == ["eof", "term", "kill"]

    run(story())


@linux
@pytest.mark.parametrize("how", HIDING)
def test_a_hidden_child_is_found_while_its_server_lives(how: str) -> None:
    async def story() -> None:
        process = await ready(HIDING[how] + READY + WAIT_FOR_EOF)
        before = process.living()
        assert len(before) == 2
        assert before == processes.living(process.tag)
        ended = await process.stop(GRACE)
        assert ended.exit_code == 0
        assert pids(ended.leftover) == pids(before) - {process.pid}
        assert ended.survivors == ()
        assert processes.living(process.tag) == []
        assert not pids(before) & set(table.every_process())

    run(story())


@linux
@pytest.mark.parametrize("how", HIDING)
def test_a_hidden_child_is_found_after_its_server_has_gone(how: str) -> None:
    async def story() -> None:
        process = await ready(HIDING[how] + READY + "os._exit(3)\n")
        assert await process.wait() == 3
        before = process.living()
        assert len(before) == 1
        ended = await process.stop(GRACE)
        assert (ended.exit_code, ended.signal, ended.survivors) == (3, "", ())
        assert pids(ended.leftover) == pids(before)
        assert not pids(before) & set(table.every_process())
        assert dead_children() == []

    run(story())


@linux
def test_children_forked_while_being_killed_die_too() -> None:
    fork = "subprocess.Popen(S, start_new_session=True, env={}, **Q)"
    forever = f"import time\nwhile True:\n    {fork}\n    time.sleep(0.005)\n"

    async def story() -> None:
        process = await ready("signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + READY + forever)
        ended = await process.stop(Grace(0.1, 0.1, 20))
        assert ended.survivors == ()
        assert process.living() == []
        assert dead_children() == []

    run(story())


@linux
def test_zombies_are_not_alive() -> None:
    zombie = "child = os.fork()\nif child == 0: os._exit(0)\nos.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)\n"

    async def story() -> None:
        process = await ready(zombie + READY + WAIT_FOR_EOF)
        assert pids(process.living()) == {process.pid}
        ended = await process.stop(PATIENT)
        assert ended == Ended(0, "", ("eof",))
        assert dead_children() == []

    run(story())


def test_nobody_elses_process_is_touched() -> None:
    async def story() -> None:
        first = await ready(READY + WAIT_FOR_EOF)
        second = await ready(READY + WAIT_FOR_EOF)
        stranger = subprocess.Popen([sys.executable, "-c", HANG], start_new_session=True)
        try:
            await first.stop(PATIENT)
            assert stranger.poll() is None
            assert pids(second.living()) == {second.pid}
            assert processes.living(first.tag) == []
            assert pids(processes.living(second.tag)) == {second.pid}
            processes.shutdown_all()
            assert second.living() == []
            assert stranger.poll() is None
        finally:
            stranger.kill()
            stranger.wait()

    run(story())


def test_without_a_process_table_the_group_is_killed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async def story() -> None:
        process = await ready("child = subprocess.Popen(S, **Q).pid\n" + READY + WAIT_FOR_EOF)
        children = pids(process.living()) - {process.pid}
        monkeypatch.setattr(table, "PROC", str(tmp_path / "absent"))
        assert pids(process.living()) == {process.pid}
        ended = await process.stop(GRACE)
        assert ended.exit_code == 0
        assert "term" in ended.graces
        monkeypatch.undo()
        alive = {pid for pid, stat in table.every_process().items() if stat.state not in table.DEAD}
        assert not children & alive
        processes.shutdown_all()

    run(story())


@linux
def test_shutdown_all_needs_no_event_loop_and_leaves_nothing() -> None:
    async def story() -> list[str]:
        code = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + "".join(HIDING.values()) + READY + HANG
        trees = [await ready(code) for _ in range(2)]
        assert [len(tree.living()) for tree in trees] == [5, 5]
        return [tree.tag for tree in trees]

    tags = asyncio.run(story())
    assert processes.shutdown_all() == []
    assert [processes.living(tag) for tag in tags] == [[], []]
    assert dead_children() == []
    assert processes.shutdown_all() == []


@linux
def test_a_program_that_forgets_its_trees_leaves_nothing_behind() -> None:
    program = (
        "import asyncio, os, sys\n"
        "from sealmark import processes\n"
        "async def main():\n"
        f"    code = {IMPORTS + SLEEPER + HIDING['no environment'] + READY + HANG!r}\n"
        "    tree = await processes.start([sys.executable, '-c', code], env=dict(os.environ))\n"
        "    tree.stdout.readline()\n"
        "    print(tree.tag, *(facts.pid for facts in tree.living()), flush=True)\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    tag, *numbers = done.stdout.split()
    assert len(numbers) == 2
    assert processes.living(tag) == []
    assert not {int(number) for number in numbers} & set(table.every_process())


def test_a_command_that_does_not_exist_is_an_error_and_leaves_nothing() -> None:
    async def story() -> None:
        with pytest.raises(FileNotFoundError):
            await processes.start(["/nowhere/to/be/found"], env=ENV)
        with pytest.raises(FileNotFoundError):
            await processes.start([sys.executable], env=ENV, cwd="/nowhere/to/be/found")

    run(story())
    assert processes.shutdown_all() == []


@linux
def test_no_descriptor_leaks() -> None:
    async def story() -> None:
        for _ in range(2):
            gc.collect()  # what earlier tests left to the collector must not close in between
            before = len(os.listdir("/proc/self/fd"))
            for _ in range(5):
                process = await ready(READY + WAIT_FOR_EOF)
                await process.stop(PATIENT)
            with pytest.raises(FileNotFoundError):
                await processes.start(["/nowhere/to/be/found"], env=ENV)
        assert len(os.listdir("/proc/self/fd")) == before

    run(story())


@linux
def test_the_harness_adopts_orphans_only_while_a_tree_lives() -> None:
    def adopts() -> bool:
        value = ctypes.c_int(0)
        ctypes.CDLL(None).prctl(37, ctypes.byref(value), 0, 0, 0)
        return bool(value.value)

    async def story() -> None:
        assert not adopts()
        process = await ready(READY + WAIT_FOR_EOF)
        assert adopts()
        await process.stop(PATIENT)
        assert not adopts()

    run(story())


def test_the_tag_is_random_and_in_the_environment_of_the_child() -> None:
    async def story() -> None:
        code = f"print(os.environ[{processes.TAG_VARIABLE!r}], flush=True)\n"
        tags = set()
        for _ in range(2):
            process = await processes.start([sys.executable, "-c", IMPORTS + code], env=ENV)
            assert process.stdout is not None
            line = await asyncio.to_thread(process.stdout.readline)
            assert line.decode().strip() == process.tag
            tags.add(process.tag)
            await process.stop(PATIENT)
        assert len(tags) == 2

    run(story())
