"""A box: what is real in it and what is not, what of it is seen, and how it ends."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sealmark.bench.isolation.box import NoBox, Wanted, run_boxed, start_boxed
from sealmark.processes import Grace
from tests.isolated import full, python, shell, some

pytestmark = some


@full
def test_a_write_is_seen_and_is_not_real(tmp_path):
    beside = tmp_path / "beside"
    inside = tmp_path / "inside"
    beside.mkdir()
    inside.mkdir()
    for name in ("changed", "gone", "opened", "mode", "kept"):
        (beside / name).write_text("old")
    found = shell(
        f"cd {beside}; echo new > changed; rm gone; : >> opened; chmod 700 mode; cat kept; echo x > made; "
        "mkdir deep; echo y > deep/er; ln -s /etc/passwd link",
        inside,
    )
    assert (found.out, found.err, found.ended.exit_code) == ("old", "", 0)
    assert {change.path.removeprefix(str(beside)): change.how for change in found.changes} == {
        "/changed": "modified",
        "/gone": "deleted",
        "/opened": "touched",
        "/mode": "modified",
        "/made": "created",
        "/deep": "created",
        "/deep/er": "created",
        "/link": "created",
    }
    by = {Path(change.path).name: change for change in found.changes}
    assert (by["changed"].before.size, by["changed"].after.size) == (3, 4)
    assert (by["mode"].after.mode, by["link"].after.target) == (0o700, "/etc/passwd")
    assert by["gone"].after is None
    assert by["made"].before is None
    assert sorted(path.name for path in beside.iterdir()) == ["changed", "gone", "kept", "mode", "opened"]
    assert (beside / "changed").read_text() == "old"


@full
def test_the_shared_directory_is_real_and_keeps_its_owner(tmp_path):
    found = shell("echo hello > made; echo more >> there", tmp_path)
    assert found.changes == []
    assert (tmp_path / "made").read_text() == "hello\n"
    assert (tmp_path / "made").stat().st_uid == os.geteuid()


@full
def test_a_replaced_directory_lists_what_it_lost(tmp_path):
    old = tmp_path / "old"
    (tmp_path / "inside").mkdir()
    old.mkdir()
    (old / "a").write_text("1")
    (old / "b").write_text("2")
    found = shell(f"rm -r {old}; mkdir {old}; echo 1 > {old}/c", tmp_path / "inside")
    assert (found.change(old / "a"), found.change(old / "b"), found.change(old / "c")) == (
        "deleted",
        "deleted",
        "created",
    )


@full
def test_programs_that_do_nothing_change_nothing(tmp_path):
    assert python("pass", tmp_path).changes == []
    assert shell("true", tmp_path).changes == []


@full
def test_what_is_hidden_is_empty_and_what_is_made_there_is_seen(tmp_path):
    found = shell("ls -A /run; echo x > /run/made || true", tmp_path)
    assert found.out == ""
    if os.geteuid() == 0:
        assert found.change("/run/made") == "created"


@full
def test_a_planted_link_does_not_lead_the_look_astray(tmp_path):
    """Where a directory of the machine stood there is now a link to another: it is told as a link, not followed."""
    beside = tmp_path / "beside"
    (tmp_path / "inside").mkdir()
    (beside / "sub").mkdir(parents=True)
    (beside / "sub" / "file").write_text("x")
    found = shell(f"rm -r {beside}/sub; ln -s /etc {beside}/sub; mkfifo {beside}/pipe", tmp_path / "inside")
    told = {change.path: change for change in found.changes}
    assert set(told) == {str(beside / "sub"), str(beside / "pipe")}
    assert (told[str(beside / "sub")].before.kind, told[str(beside / "sub")].after.kind) == ("dir", "link")
    assert told[str(beside / "pipe")].after.kind == "other"


# -- ends


@pytest.mark.parametrize(
    ("code", "exit_code"),
    [
        ("exit 3", 3),
        ("kill -TERM $$", -15),
        ("kill -KILL $$", -9),
        ("kill -SEGV $$", -11),
        ("trap 'exit 7' TERM; kill -TERM $$; sleep 9", 7),
    ],
)
def test_it_ends_as_its_program_ended(code, exit_code, tmp_path):
    assert shell(code, tmp_path, overlay=False).ended.exit_code == exit_code


@full
def test_what_is_left_running_is_told_and_ends(tmp_path):
    found = shell("sleep 77 >/dev/null 2>&1 & exit 0", tmp_path)
    assert [facts.name for facts in found.ended.leftover] == ["sleep"]
    assert found.ended.survivors == ()


def test_a_program_that_is_not_there_is_told_as_without_a_box(tmp_path):
    for argv in (["/bin/nope"], ["nope-not-on-path"]):
        with pytest.raises(FileNotFoundError) as error:
            asyncio.run(start_boxed(argv, env={"PATH": "/bin"}, cwd=str(tmp_path), wanted=Wanted(overlay=False)))
        assert error.value.filename == argv[0]


def test_a_box_that_cannot_be_made_says_at_which_step(tmp_path):
    with pytest.raises(NoBox, match="network: "):
        run_boxed(["/bin/true"], Wanted(listen=(("tcp", "0.0.0.0", 81), ("tcp", "0.0.0.0", 81))))


def test_stop_asks_then_kills(tmp_path):
    async def stopped(code):
        process = await start_boxed(
            ["/bin/sh", "-c", code], env=dict(os.environ), cwd=str(tmp_path), wanted=Wanted(overlay=False)
        )
        process.stdout.read(3)
        return await process.stop(Grace(eof=0.1, term=0.5, kill=3))

    asked = asyncio.run(stopped("trap 'exit 5' TERM; echo up; while :; do sleep 0.05; done"))
    assert (asked.exit_code, asked.graces) == (5, ("eof", "term"))
    deaf = asyncio.run(stopped("trap '' TERM; echo up; while :; do sleep 0.05; done"))
    assert (deaf.exit_code, deaf.graces, deaf.survivors) == (-9, ("eof", "term", "kill"), ())


@full
def test_living_lists_the_programs_inside_alone(tmp_path):
    async def names():
        process = await start_boxed(
            ["/bin/sh", "-c", "sleep 66 & echo up; wait"], env=dict(os.environ), cwd=str(tmp_path), wanted=Wanted()
        )
        process.stdout.read(3)
        living = [facts.name for facts in process.living()]
        await process.stop(Grace(eof=0, term=0.2))
        return living, process.living()

    living, after = asyncio.run(names())
    assert len(living) == 2  # the shell, and what it forked, which may not have become `sleep` yet
    assert set(living) <= {"sh", "sleep"}
    assert after == []


# -- sockets


def test_sockets_made_inside_serve_every_address_and_those_asked_for_connect(tmp_path):
    place = ("tcp", "0.0.0.0", 8080)
    code = (
        "import socket\n"
        "for host in ('169.254.169.254', '10.0.0.5', '8.8.8.8', '127.9.9.9', '0.0.0.0'):\n"
        "    socket.create_connection((host, 8080), 5).close()\n"
        "s = socket.create_server(('127.0.0.1', 9000)); print('up', flush=True)\n"
        "s.accept()[0].sendall(b'hello')\n"
    )

    async def met():
        process = await start_boxed(
            [sys.executable, "-I", "-S", "-c", code],
            env={},
            cwd=str(tmp_path),
            wanted=Wanted(listen=(place,), overlay=False),
        )
        listening = process.held.sockets[place]
        seen = []
        for _ in range(5):
            taken = await asyncio.to_thread(listening.accept)
            seen.append(taken[0].getsockname()[0])
            taken[0].close()
        assert await asyncio.to_thread(process.stdout.read, 3) == b"up\n"
        one = await process.connect("127.0.0.1", 9000)
        with one:
            said = await asyncio.get_running_loop().sock_recv(one, 5)
        with pytest.raises(OSError):
            await process.connect("127.0.0.1", 9001)
        await process.stop()
        return seen, said

    seen, said = asyncio.run(met())
    assert seen == ["169.254.169.254", "10.0.0.5", "8.8.8.8", "127.9.9.9", "127.0.0.1"]
    assert said == b"hello"


def test_no_descriptor_is_left_behind(tmp_path):
    python("pass", tmp_path, overlay=False)
    before = sorted(os.listdir("/proc/self/fd"))
    python("pass", tmp_path, overlay=False)
    with pytest.raises(FileNotFoundError):
        asyncio.run(start_boxed(["/bin/nope"], env={}, cwd=str(tmp_path), wanted=Wanted(overlay=False)))
    assert sorted(os.listdir("/proc/self/fd")) == before


HARNESS = """
import asyncio, os, sys
from sealmark.bench.isolation.box import Wanted, start_boxed

async def main():
    wanted = Wanted(share=(sys.argv[1],))
    process = await start_boxed(["/bin/sh", "-c", "sleep 7331 & echo up; sleep 7331"], env=dict(os.environ),
                                cwd=sys.argv[1], wanted=wanted)
    process.stdout.read(3)
    print("up", flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


@full
@pytest.mark.parametrize("moment", range(0, 400, 20))
def test_nothing_outlives_a_harness_that_is_killed(moment, tmp_path):
    """Killed at twenty moments, from its first steps to the life of the box."""
    harness = subprocess.Popen([sys.executable, "-c", HARNESS, str(tmp_path)], stdout=subprocess.PIPE)
    mine = f"{tmp_path}\0"
    if moment >= 300:
        assert harness.stdout.read(3) == b"up\n"
    else:
        time.sleep(moment / 1000)  # not a wait for something: the moment is what is tried
    harness.send_signal(signal.SIGKILL)
    harness.wait()
    harness.stdout.close()
    until = time.monotonic() + 5
    while (left := _processes(mine)) and time.monotonic() < until:
        time.sleep(0.01)
    assert left == []
    assert not [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if "sealmark" in line]


def _processes(mine):
    """Living processes whose directory is the one that the box shares, or whose command line names it."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                inside = os.readlink(folder / "cwd") == mine[:-1] or mine in (folder / "cmdline").read_text()
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if inside and state not in "ZX":
                found.append(folder.name)
    return found


def test_the_network_of_two_boxes_is_not_the_same(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as mine:
        port = mine.getsockname()[1]
        found = python(
            f"import socket\ntry: socket.create_connection(('127.0.0.1', {port}), 5)\nexcept OSError as e: print(e)",
            tmp_path,
            overlay=False,
        )
    assert "refused" in found.out
