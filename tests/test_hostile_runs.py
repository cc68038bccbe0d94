"""Whole runs against hostile servers: none hangs, none leaves a process or a directory, memory stays flat."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SERVER = Path(__file__).parent / "hostile" / "server.py"
MEMORY_MIB = 300

RUN = """
import asyncio, json, os, re, sys
from sealmark.conductor import Conductor
from sealmark.packs import PACKS
from sealmark.settings import Origin, Settings

settings = Settings.standard().replace(
    {
        "server.command": sys.executable,
        "server.args": (sys.argv[1], sys.argv[2]),
        "packs": ("core",),
        "sandbox.dir": sys.argv[3],
        "timeouts.call_sec": 1,
        "timeouts.connect_sec": float(sys.argv[4]),
        "limits.pages": 50,
        "limits.tools": 500,
    },
    Origin("code", "test"),
)
packs = [pack for pack in PACKS if pack.id == "core"]
run = asyncio.run(Conductor(settings, environ=os.environ, packs=packs).run())
verdicts = run.judgement.verdicts if run.judgement else ()
print(json.dumps({
    "status": run.status,
    "failure": run.failure.code if run.failure else "",
    "limits": sorted({limit.name for limit in run.gathered.limits}),
    "verdicts": {v.check: [v.tag, v.rule, v.code] for v in verdicts},
    "memory": int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) // 1024,
}))
"""

EXPECTED = {
    "never-answers": {"failure": "HANDSHAKE_TIMEOUT"},
    "exits-at-once": {"failure": "ENV_MISSING"},
    "noise-only": {"failure": "STDOUT_NOISE"},
    "bad-initialize": {"failure": "HANDSHAKE_INVALID"},
    "refuses": {"failure": "HANDSHAKE_AUTH"},
    "exits-mid-call": {"robust-input": "SERVER_CRASHED"},
    "huge-line": {"limits": "line-bytes"},
    "flood": {"limits": "session-frames"},
    "byte-flood": {"limits": "session-bytes"},
    "endless": {"limits": "listing pages"},
    "many": {"limits": "listing items"},
    "deaf": {},
    "grandchildren": {},
    "stops-reading": {},
    "stderr": {},
    "invalid-utf8": {},
    "wrong-ids": {},
    "duplicate": {},
    "asks": {},
    "banner": {},
    "deep": {},
}


@pytest.mark.parametrize(("mode", "expected"), EXPECTED.items(), ids=EXPECTED)
def test_a_hostile_server_costs_only_itself(mode, expected, tmp_path):
    boxes = tmp_path / "boxes"
    boxes.mkdir()
    script = tmp_path / "server.py"
    script.write_text(SERVER.read_text())
    patience = "3" if "failure" in expected else "60"
    command = [sys.executable, "-c", RUN, str(script), mode, str(boxes), patience]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    if "failure" in expected:
        assert found["failure"] == expected["failure"], found
    else:
        assert found["status"] == "complete", found
        assert found["verdicts"]["secret-echo"][0] != "fail"
        assert "protocol" in found["verdicts"]
    if "limits" in expected:
        assert expected["limits"] in found["limits"], found
    if "robust-input" in expected:
        assert found["verdicts"]["robust-input"][::2] == ["fail", expected["robust-input"]], found
    assert found["memory"] < MEMORY_MIB
    assert list(boxes.iterdir()) == []
    assert not _alive(script)


def _alive(script):
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if str(script).encode() in words and b"-c" not in words:
            found.append(path.parent.name)
    return found
