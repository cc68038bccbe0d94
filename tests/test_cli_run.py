"""`sealmark run` as a user types it: output, files, exit codes, signals, and nothing left behind."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SERVERS = str(Path(__file__).with_name("servers.py"))


def start(server, *arguments, cwd, env=None, **more):
    command = [sys.executable, "-m", "sealmark", *arguments]
    if server:
        command += ["--start", f"{sys.executable} {SERVERS} {server} {{sandbox}}"]
    quiet = {key: value for key, value in os.environ.items() if key not in ("CI", "GITHUB_ACTIONS")}
    return subprocess.Popen(
        command,
        cwd=cwd,
        env={**quiet, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,
    )


def run(server, *arguments, cwd, env=None):
    process = start(server, *arguments, cwd=cwd, env=env)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


QUICK = ("--pack", "core", "--timeout-probe", "1")


def test_a_run_prints_the_report_and_the_grades_come_last(tmp_path):
    code, out, err = run("modern_only", "run", *QUICK, cwd=tmp_path)
    assert code in (0, 1, 3), err
    assert out.startswith("sealmark ")
    assert "CUSTOM" in out.splitlines()[0]
    assert "Grades" in out


def test_json_on_stdout_is_one_document_and_the_grades_go_to_stderr(tmp_path):
    _code, out, err = run("modern_only", "run", *QUICK, "--format", "json", cwd=tmp_path)
    record = json.loads(out)
    assert record["status"] == "complete"
    assert "core" in err


def test_reports_are_files_and_each_is_named(tmp_path):
    _code, out, err = run("modern_only", "run", *QUICK, "--format", "json,text", "--out-dir", "reports", cwd=tmp_path)
    assert sorted(path.name for path in (tmp_path / "reports").iterdir()) == [
        "sealmark-report.json",
        "sealmark-report.txt",
    ]
    assert "wrote reports" in err
    assert out == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run"], "--start"),
        (["run", "--fail-under", "Z", "--start", "x"], "fail-under|fail_under"),
        (["run", "--pack", "cor", "--start", "x"], "core"),
        (["run", "--statr", "x"], "--start"),
        (["rnu"], "run"),
        (["run", "--config", "missing.yaml"], "missing.yaml"),
        (["explain", "fs-reed-escape"], "no check"),
        (["list-checks", "--pack", "nope"], "no pack"),
        (["regrade", "missing.json"], "missing.json"),
    ],
)
def test_what_cannot_be_used_exits_2_and_says_what_to_type(tmp_path, arguments, says):
    import re

    code, out, err = run("", *arguments, cwd=tmp_path)
    assert code == 2, err
    assert re.search(says, err), err
    assert "Traceback" not in err
    assert out == ""


def test_a_program_that_does_not_exist_exits_4_with_its_code(tmp_path):
    process = start("", "run", "--start", "no-such-program-of-ours --x", "--format", "json", cwd=tmp_path)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 4, err
    record = json.loads(out)
    assert record["status"] == "failed"
    assert record["failure"]["code"] == "TARGET_NOT_FOUND"


def test_a_server_that_exits_leaves_its_stderr_beside_the_report(tmp_path):
    script = "import sys; sys.stderr.write('first line\\n' + 'x' * 9000 + '\\nno licence\\n'); sys.exit(3)"
    (tmp_path / "dies.py").write_text(script)
    process = start("", "run", "--start", f"{sys.executable} {tmp_path}/dies.py", "--out", "r.txt", cwd=tmp_path)
    _out, err = process.communicate(timeout=60)
    assert process.returncode == 4, err
    assert "no licence" in (tmp_path / "r.txt").read_text() + err
    kept = (tmp_path / "r.txt.stderr.log").read_text()
    assert kept.startswith("first line")
    assert kept.rstrip().endswith("no licence")


HANGS = '''
import os, sys
sys.path.insert(0, {kit!r})
from toykit import Toys
toys = Toys()

@toys.toy("pass", "")
def hangs(server):
    """Tells the test that a tool was called, and never answers."""
    @server.on("tools/call")
    def call(params):
        with open({fifo!r}, "w") as told:
            told.write("called")
        os.kill(os.getpid(), 19)

    @server.tool("wait", {{"text": {{"type": "string"}}}}, ["text"])
    def wait(arguments):
        return ""

toys.main()
'''


@pytest.mark.parametrize(
    ("signum", "code", "word"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "stopped"), (signal.SIGHUP, 129, "stopped")],
)
def test_a_signal_in_the_middle_cleans_up_and_leaves_a_partial_report(tmp_path, signum, code, word):
    fifo, script, boxes = tmp_path / "fifo", tmp_path / "hangs.py", tmp_path / "boxes"
    boxes.mkdir()
    os.mkfifo(fifo)
    kit = str(Path(__file__).resolve().parents[1] / "corpora" / "_shared")
    script.write_text(HANGS.format(kit=kit, fifo=str(fifo)))
    process = start(
        "",
        "run",
        "--start",
        f"{sys.executable} {script} hangs",
        *("--sandbox-dir", str(boxes), "--pack", "core", "--format", "json", "--out", "r.json"),
        cwd=tmp_path,
    )
    assert _told(fifo, process), process.communicate(timeout=40)[1]
    process.send_signal(signum)
    _out, err = process.communicate(timeout=40)
    assert process.returncode == code, err
    assert err.rstrip().splitlines()[-1] == f"sealmark exit {code}: {word}"
    assert list(boxes.iterdir()) == []
    record = json.loads((tmp_path / "r.json").read_text())
    assert record["status"] == "interrupted"
    assert not _processes_of(script)


def _told(fifo, process):
    """Whether the server wrote to the pipe, before it or the clock ended."""
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        ends = time.monotonic() + 60
        while time.monotonic() < ends and process.poll() is None:
            if select.select([reader], [], [], 0.2)[0] and os.read(reader, 100):
                return True
        return False
    finally:
        os.close(reader)


def _processes_of(script):
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(script).encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            continue
    return found


def _without_times(document):
    if isinstance(document, dict):
        return {k: _without_times(v) for k, v in document.items() if k not in TIMES}
    return [_without_times(item) for item in document] if isinstance(document, list) else document


TIMES = {"startedAt", "durationMs", "elapsedMs", "openedMs"}


def test_two_runs_give_the_same_text_and_the_same_json_but_for_times(tmp_path):
    first, second = (run("many", "run", *QUICK, "--format", "json", cwd=tmp_path)[1] for _ in range(2))
    one, two = json.loads(first), json.loads(second)
    assert _without_times(one) == _without_times(two)
    texts = {run("many", "run", *QUICK, "--verbosity", "verbose", cwd=tmp_path)[1] for _ in range(2)}
    assert len(texts) == 1


def test_regrade_starts_nothing_and_gives_the_same_judgement(tmp_path):
    run("modern_only", "run", *QUICK, "--format", "json", "--out", "r.json", cwd=tmp_path)
    code, _out, err = run("", "regrade", "r.json", "--out", "again.json", cwd=tmp_path, env={"PATH": "/nonexistent"})
    assert code == 0, err
    before, after = (json.loads((tmp_path / name).read_text()) for name in ("r.json", "again.json"))
    assert len(after["judgements"]) == 2
    assert after["judgements"][1] == before["judgements"][0]
    assert after["gathered"] == before["gathered"]


def test_plan_calls_no_tool_and_inventory_plans_nothing(tmp_path):
    code, out, err = run("many", "plan", "--json", "--pack", "core", cwd=tmp_path)
    record = json.loads(out)
    assert code == 0, err
    assert not [seen for seen in record["gathered"]["observations"] if not seen["probe"].startswith("surface/")]
    code, out, err = run("many", "inventory", cwd=tmp_path)
    assert code == 0, err
    assert "echo  text" in out
