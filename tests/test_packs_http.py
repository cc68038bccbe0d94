"""The http pack against servers that no toy stands for, and the core pack over both transports."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from http_servers import good, serving

from sealmark.api import run
from sealmark.processes.table import every_process
from sealmark.reading.session_ids import read_ids

HERE = Path(__file__).parent
SDK = str(HERE / "sdk_server.py")
URL = "http://127.0.0.1:{server_port}/mcp"
TOYS = str(HERE / "http_toys.py")


def verdicts(one):
    return {v.check: (v.tag, v.rule) for v in one.record.judgement.verdicts}


def test_the_official_sdk_on_its_localhost_defaults_passes():
    one = run(f"{sys.executable} {SDK} {{server_port}}", url=URL, packs=["http"])
    found = verdicts(one)
    assert {check: tag for check, (tag, _) in found.items() if tag not in ("pass", "na")} == {}, found
    assert found["http-origin"] == ("pass", "guarded")
    assert found["http-sessions"] == ("pass", "kept")
    assert found["http-protocol-version"] == ("pass", "refused")


@pytest.mark.parametrize("name", ["plain", "modern_only"])
def test_core_says_the_same_over_http_as_over_stdio(name):
    over_stdio = run(f"{sys.executable} {TOYS} {name} {{sandbox}}", packs=["core"])
    over_http = run(f"{sys.executable} {TOYS} {name} {{sandbox}} {{server_port}}", url=URL, packs=["core"])
    assert verdicts(over_http) == verdicts(over_stdio)
    assert over_http.record.gathered.surface.tools == over_stdio.record.gathered.surface.tools


def test_a_session_id_is_learned_and_never_kept():
    one = run(f"{sys.executable} {TOYS} tells_its_ids {{sandbox}} {{server_port}}", url=URL, packs=["http"])
    texts = [body.head for body in one.record.gathered.bodies.values()]
    assert any('"known": ["{session_id}"' in text for text in texts), texts


def test_credentials_are_marked_in_probes_and_absent_from_the_record(monkeypatch):
    monkeypatch.setenv("SM_TOKEN", "toy-token-0123456789")
    headers = {"Authorization": "Bearer ${SM_TOKEN}"}
    command = f"{sys.executable} {TOYS} wants_token {{sandbox}} {{server_port}}"
    one = run(command, url=URL, packs=["http"], settings={"server.headers": headers})
    assert verdicts(one)["http-auth"] == ("pass", "guarded")
    text = one.to_json()
    assert "toy-token-0123456789" not in text
    assert "?access_token={bearer}" in text


def test_the_pack_does_not_apply_without_a_url():
    one = run(f"{sys.executable} {TOYS} plain {{sandbox}}", packs=["core", "http"])
    (state,) = [state for state in one.record.gathered.packs if state.pack == "http"]
    assert not state.applies
    assert "server.url" in state.reason


@pytest.mark.parametrize(
    ("ids", "guessable"),
    [
        (["session-1", "session-2", "session-3"], "counted"),
        (["1796058576082", "1796058576099", "1796058576120"], "counted"),
        (["00ff", "0100", "0101"], "counted"),
        (["a", "a"], "repeated"),
        (["3f2a9c41", "91bb0c72", "c0ffee12"], "short"),
        (["6fa459ea-ee8a-11ec-8ea0-0242ac120002", "6fa45a12-ee8a-11ec-8ea0-0242ac120002"], "time-based"),
        (["0b9d3c6e-5c1f-4f0e-9d8a-2f6d7e8c9b0a", "9a1c2e3f-7b6d-4a5c-8e9f-0a1b2c3d4e5f"], ""),
        (["0b9d3c6e5c1f4f0e9d8a2f6d7e8c9b0a", "0b1c2e3f7b6d4a5c8e9f0a1b2c3d4e5f"], ""),
        (["only-one"], ""),
    ],
)
def test_ids_that_can_be_guessed(ids, guessable):
    assert read_ids(ids)["guessable"] == guessable


def test_ids_must_be_visible():
    assert read_ids(["ab cd"])["visible"] is False
    assert read_ids(["abcd~!"])["visible"] is True


def sealmark(*arguments, **variables):
    return subprocess.run(
        [sys.executable, "-m", "sealmark", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **variables},
        check=False,
    )


def test_flags_reach_the_server_and_no_output_holds_the_token(tmp_path):
    transcript = tmp_path / "t.jsonl"
    with serving(good) as site:
        flags = ["--bearer-env", "SM_TOKEN", "--header-env", "X-Api-Key=SM_KEY", "--header", "X-Plain: yes"]
        flags += ["--transport", "http", "--transcript", str(transcript), "--pack", "core", "--fail-under", "none"]
        secrets = {"SM_TOKEN": "token-of-the-test-1", "SM_KEY": "key-of-the-test-2"}
        done = sealmark("run", "--no-config", "--url", site.url, *flags, "--format", "json", **secrets)
    assert done.returncode == 3, done.stderr  # nothing of a server without real tools was exercised
    sent = site.asked[-1].headers
    assert (sent["authorization"], sent["x-api-key"], sent["x-plain"]) == (
        "Bearer token-of-the-test-1",
        "key-of-the-test-2",
        "yes",
    )
    written = transcript.read_text()
    assert '"initialize' in written.replace("\\", "") or "initialize" in written
    for text in (done.stdout, done.stderr, written):
        assert "token-of-the-test-1" not in text
        assert "key-of-the-test-2" not in text


def test_credentials_over_plain_http_to_another_machine_are_an_error_before_anything_is_sent():
    done = sealmark("run", "--no-config", "--url", "http://192.0.2.1/mcp", "--bearer", "abc-abc-abc")
    assert done.returncode == 2
    assert "unencrypted" in done.stderr
    assert "abc-abc-abc" not in done.stderr


def test_doctor_looks_at_a_url():
    with serving(good) as site:
        done = sealmark("doctor", "--no-config", "--url", site.url, "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 0, done.stdout
    assert {step["id"]: step["status"] for step in found["steps"]}["start"] == "ok"
    assert "http" in found["packsApplied"]


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_server_that_was_started(signum, tmp_path):
    mark = f"--mark-{os.getpid()}-{signum}"
    command = f"{sys.executable} {TOYS} slow_tools {{sandbox}} {{server_port}} {mark}"
    arguments = ["run", "--no-config", "--start", command, "--url", URL, "--pack", "core"]
    process = subprocess.Popen([sys.executable, "-m", "sealmark", *arguments], stderr=subprocess.PIPE, cwd=tmp_path)
    deadline = time.monotonic() + 60
    while not _running(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert _running(mark)
    process.send_signal(signum)
    process.communicate(timeout=60)
    assert process.returncode == 128 + signum
    assert not _running(mark)


def _running(mark):
    """Servers, not the harness, with this word in their command line."""
    found = []
    for pid in every_process():
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if mark.encode() in words and TOYS.encode() in words:
            found.append(pid)
    return found
