"""No process that a probed tool has started survives the run, however it left its parent."""

import asyncio
import os
import sys
import textwrap
import uuid
from pathlib import Path

import pytest

from sealmark import corpora
from sealmark.bench.sandbox import Sandbox
from sealmark.bench.waiting import WaitingPart
from sealmark.conductor import Conductor
from sealmark.packs import PACKS
from sealmark.settings import Origin, Settings

WAYS = {
    "background": "subprocess.Popen(SLEEPER)",
    "other-session": "subprocess.Popen(SLEEPER, start_new_session=True)",
    "double-fork": "os.fork() or (os.setsid(), os.fork() or os.execv(SLEEPER[0], SLEEPER))",
    "scrubbed": "subprocess.Popen(SLEEPER, start_new_session=True, env={})",
    "deaf": "subprocess.Popen(['/bin/sh', '-c', 'trap \"\" TERM HUP; ' + ' '.join(SLEEPER)], start_new_session=True)",
}
"""How a tool leaves a process behind -> what its server does at each call."""


def server(path, way, word):
    path.write_text(
        textwrap.dedent(
            f"""
            import os, subprocess, sys
            sys.path.insert(0, {str(corpora.root() / "_shared")!r})
            from execkit import runner, shell
            from toykit import Server

            SLEEPER = ["/bin/sleep", "7{word}"]
            server = Server("leaver", os.getcwd())

            def run(arguments):
                {WAYS[way]}
                return shell(server, arguments["command"])

            runner(server, run)
            server.serve()
            """
        )
    )


def alive(word):
    """Numbers of the processes in whose command line the word stands."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                text = (entry / "cmdline").read_bytes()
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if f"7{word}".encode() in text and state != "Z":
                found.append(int(entry.name))
    return found


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="there is no process table to look into")
@pytest.mark.parametrize("way", WAYS)
def test_nothing_that_a_tool_left_running_survives_the_run(way, tmp_path):
    word = str(uuid.uuid4().int)[:12]
    server(tmp_path / "server.py", way, word)
    chosen = {
        "server.command": sys.executable,
        "server.args": (str(tmp_path / "server.py"),),
        "packs": ("exec",),
        "active": True,
        **{f"checks.exec-{name}.enabled": False for name in ("arg-injection", "cwd", "timeout-cap")},
    }
    settings = Settings.standard().replace(chosen, Origin("code", "test"))
    packs = tuple(pack for pack in PACKS if pack.id == "exec")
    record = asyncio.run(Conductor(settings, environ=dict(os.environ), packs=packs).run())
    verdicts = {verdict.check: verdict.rule for verdict in record.judgement.verdicts}
    assert verdicts["exec-allow-list"] == "runs-anything"
    left = [name for session in record.gathered.sessions for name in session.leftover]
    assert left, "the run saw nothing of what was left running"
    assert alive(word) == []


def test_the_pipe_and_the_programs_lie_in_the_sandbox_of_exec_alone(tmp_path):
    boxes = {
        name: Sandbox.create(tmp_path, token_hex=token, big_mib=1)
        for name, token in (("exec", "0123456789ae"), ("fs", "0123456789af"))
    }
    part = WaitingPart()
    part.start(boxes)
    assert part.facts() == {"waits": True}
    assert (boxes["exec"].cwd / "waits.fifo").is_fifo()
    assert os.access(boxes["exec"].cwd / "own/cat", os.X_OK)
    assert boxes["exec"].look("sandbox")["changes"] == []
    assert not (boxes["fs"].cwd / "own").exists()
    for box in boxes.values():
        assert box.remove() == ()
