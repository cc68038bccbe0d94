"""`sealmark doctor`: what works, what does not, why, and what to add; nothing of the server is called."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from sealmark.cli import root
from sealmark.configfile import load
from sealmark.settings import Origin
from sealmark.setup.checkup import CONNECT_SEC, patient

SERVERS = Path(__file__).with_name("servers.py")


def line(toy: str, *args: str) -> str:
    return shlex.join([sys.executable, str(SERVERS), toy, *args])


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))
    monkeypatch.setenv("NOTES", str(tmp_path / "notes"))
    monkeypatch.delenv("CI", raising=False)


def doctor(*flags: str) -> Result:
    return CliRunner().invoke(root, ["doctor", "--connect-timeout", "60", *flags], standalone_mode=False)


def found(*flags: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(doctor("--json", *flags).stdout)
    return data


def step(data: dict[str, Any], name: str) -> dict[str, Any]:
    return dict(next(one for one in data["steps"] if one["id"] == name))


def test_a_server_that_works_is_said_to_work_and_is_not_called(tmp_path: Path) -> None:
    result = doctor("--start", line("notes_methods", "{sandbox}"), "--env", "NOTES")
    assert result.return_value == 0, result.output
    assert set((tmp_path / "notes").read_text().split()) == {"initialize", "notifications/initialized", "tools/list"}
    assert re.search(r"ok +start +notes_methods 1\.0\.0 answered in \d+ ms; protocol 2025-11-25", result.stdout)
    assert re.search(r"look +arguments +5 of 6 tools can be called .*; not impossible: x: ", result.stdout)
    assert re.search(r"runs +core +\d+ probes; ", result.stdout)
    assert "packs applied: core" in result.stdout


def test_json_has_every_step_pack_and_suggestion() -> None:
    data = found("--start", line("notes_methods"), "--env", "NOTES")
    assert (data["format"], data["server"], data["ok"]) == ("sealmark.doctor/1", "notes_methods", True)
    assert [one["id"] for one in data["steps"]] == [
        "configuration",
        "variables",
        "program",
        "isolation",
        "start",
        "listing",
        "arguments",
        "end",
    ]
    assert step(data, "variables")["detail"] == "set: NOTES"
    packs = {pack["pack"]: pack for pack in data["packs"]}
    assert packs["core"]["applies"]
    assert packs["core"]["probes"] > 10
    assert data["packsApplied"] == [name for name, pack in packs.items() if pack["applies"]]
    suggested = {one["id"]: one for one in data["suggestions"]}
    assert {"rootless", "database", "probes"} <= set(suggested)
    assert yaml.safe_load(suggested["rootless"]["yaml"]) == {"server": {"rootless": True}}


def test_every_suggestion_is_a_configuration_that_loads_and_the_flags_say_the_same() -> None:
    Path("docs").mkdir()
    Path("sealmark.yaml").write_text(
        f"server:\n  command: {sys.executable}\n  args: [{SERVERS}, notes_methods, {Path('docs').absolute()}]\n"
        "  forward: [NOTES]\n  env: {API_KEY: literal-secret-value}\n"
    )
    data = found()
    suggested = {one["id"]: one for one in data["suggestions"]}
    assert {"sandbox", "secrets"} <= set(suggested)
    for one in data["suggestions"]:
        assert one.get("yaml") or one["flags"]  # consent can be given by a flag alone
        body = yaml.safe_load(one.get("yaml", "{}"))
        if "server" in body and "command" not in body["server"]:
            body["server"]["command"] = "x"
        Path("pasted.yaml").write_text(
            yaml.safe_dump(body if "server" in body else {"server": {"command": "x"}, **body})
        )
        load("pasted.yaml", environ={})
    assert yaml.safe_load(suggested["sandbox"]["yaml"])["server"]["args"][-1] == "{sandbox}"
    words = shlex.split(suggested["sandbox"]["flags"])
    assert words[0] == "--start"
    assert shlex.split(words[1])[-1] == "{sandbox}"
    assert "literal-secret-value" not in json.dumps(data)


def test_a_real_database_is_pointed_at_one_of_ours() -> None:
    data = found("--start", line("notes_methods", "{sandbox}", "--db-path", "/data/app.sqlite"), "--env", "NOTES")
    (suggestion,) = [one for one in data["suggestions"] if one["id"] == "database"]
    assert yaml.safe_load(suggestion["yaml"])["server"]["args"][-2:] == ["--db-path", "{sqlite_path}"]
    Path("sealmark.yaml").write_text(
        f"server:\n  command: {sys.executable}\n  args: [{SERVERS}, notes_methods, '{{sandbox}}']\n"
        "  forward: [NOTES]\n  env: {DATABASE_URL: 'postgresql://u:hunter-Secret-9@h/x'}\n"
    )
    data = found()
    (suggestion,) = [one for one in data["suggestions"] if one["id"] == "database"]
    assert yaml.safe_load(suggestion["yaml"]) == {"server": {"env": {"DATABASE_URL": "{dsn}"}}}
    assert "hunter-Secret-9" not in json.dumps(data)


def test_a_suggestion_that_quotes_the_command_line_quotes_no_secret() -> None:
    Path("docs").mkdir()
    Path("sealmark.yaml").write_text(
        f"server:\n  command: {sys.executable}\n  forward: [NOTES]\n"
        f"  args: [{SERVERS}, notes_methods, {Path('docs').absolute()}, --token, 'quoted-Secret-8']\n"
    )
    result = doctor()
    assert "{sandbox} --token" in result.stdout
    assert "quoted-Secret-8" not in result.output


def test_a_program_that_is_not_there_is_named_with_a_close_one() -> None:
    result = doctor("--start", "pyhton3 server.py")
    assert result.return_value == 4
    assert re.search(r"FAILED +program +pyhton3 is not on PATH", result.stdout)
    assert "-> Did you mean python3" in result.stdout


def test_a_variable_that_is_not_set_is_a_failed_step() -> None:
    Path("sealmark.yaml").write_text("server: {command: x, args: ['${NOT_SET_ANYWHERE}']}\n")
    result = doctor()
    assert result.return_value == 4
    assert "sealmark.yaml:1:28: server.args needs the variable NOT_SET_ANYWHERE, which is not set" in result.stdout
    assert "export NOT_SET_ANYWHERE=" in result.stdout


def test_a_start_that_fails_is_diagnosed_as_run_does() -> None:
    code = "import sys; sys.exit('error: API_TOKEN environment variable is required')"
    start = shlex.join([sys.executable, "-c", code])
    data = found("--start", start)
    failed = step(data, "start")
    assert (failed["status"], failed["code"]) == ("failed", "ENV_MISSING")
    run = CliRunner().invoke(root, ["run", "--start", start, "--format", "json"], standalone_mode=False)
    failure = json.loads(run.stdout)["failure"]
    assert (failure["code"], failure["message"], failure["hint"]) == (failed["code"], failed["detail"], failed["hint"])
    assert run.return_value == 4
    (suggestion,) = [one for one in data["suggestions"] if one["id"] == "forward"]
    assert suggestion["flags"] == "--env API_TOKEN"
    assert yaml.safe_load(suggestion["yaml"]) == {"server": {"forward": ["API_TOKEN"]}}


def test_a_silent_server_is_given_ten_seconds_unless_somebody_says_otherwise() -> None:
    settings = load(environ={}, flags={"start": "x"}, look=False).base
    assert patient(settings)["timeouts.connect_sec"] == CONNECT_SEC == 10
    assert patient(settings.replace({"timeouts.connect_sec": 33}, Origin("flag")))["timeouts.connect_sec"] == 33
    assert patient(load(environ={}, profile="ci").base)["timeouts.connect_sec"] == 10


def test_a_timeout_suggests_more_patience_and_npx_a_yes() -> None:
    result = doctor("--start", line("slow_start"), "--connect-timeout", "1")
    assert result.return_value == 4
    assert "did not answer initialize within 1 s" in result.stdout
    assert "or type: sealmark run --connect-timeout 60" in result.stdout


def test_a_configuration_that_the_server_does_not_bear_out_is_a_failed_step() -> None:
    Path("sealmark.yaml").write_text("tools: {overrides: {echo: {class: path, params: {path: nothing}}}}\n")
    data = found("--start", line("many", "{sandbox}"))
    assert data["ok"] is False
    assert "tools.overrides.echo" in step(data, "configuration")["detail"]


def test_noise_on_stdout_is_pointed_out() -> None:
    noisy = (
        "import runpy, sys; print('ready!', flush=True); sys.argv = ['s', 'many'];"
        f"runpy.run_path({str(SERVERS)!r}, run_name='__main__')"
    )
    data = found("--start", shlex.join([sys.executable, "-c", noisy]))
    assert step(data, "stdout")["status"] == "warning"
    assert step(data, "stdout")["detail"] == "1 lines on stdout are not JSON-RPC"


def test_each_of_several_servers_is_looked_over_and_one_failure_is_enough() -> None:
    Path("sealmark.yaml").write_text(
        f"servers:\n  good: {{command: {sys.executable}, args: [{SERVERS}, many]}}\n"
        "  bad: {command: no-such-program}\n"
    )
    result = doctor("--json")
    assert result.return_value == 4
    data = json.loads(result.stdout)
    assert [(server["server"], server["ok"]) for server in data["servers"]] == [("good", True), ("bad", False)]
    (rootless,) = [one for one in data["servers"][0]["suggestions"] if one["id"] == "rootless"]
    assert yaml.safe_load(rootless["yaml"]) == {"servers": {"good": {"rootless": True}}}
    assert doctor("--server", "good").return_value == 0


def test_text_of_a_hostile_server_cannot_drive_the_terminal() -> None:
    hostile = (
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    m = json.loads(line)\n"
        "    if 'id' not in m: continue\n"
        "    if m['method'] == 'initialize':\n"
        "        r = {'protocolVersion': '2025-11-25', 'capabilities': {'tools': {}},\n"
        "             'serverInfo': {'name': 'x\\x1b]0;owned\\x07\\nFAKE ok', 'version': '\\u202e1'}}\n"
        "    else:\n"
        "        r = {'tools': [{'name': 'a\\x1b[2J\\n::error::b', 'inputSchema': {'not': {}}}]}\n"
        "    print(json.dumps({'jsonrpc': '2.0', 'id': m['id'], 'result': r}), flush=True)\n"
    )
    Path("hostile.py").write_text(hostile)
    result = doctor("--start", f"{sys.executable} hostile.py")
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", result.stdout)
    assert "\nFAKE" not in result.stdout
    assert "\n::error" not in result.stdout


def test_the_command_itself_exits_with_four() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sealmark", "doctor", "--start", "no-such-program"], capture_output=True, text=True
    )
    assert done.returncode == 4
    assert "no-such-program is not on PATH" in done.stdout
