"""`sealmark config`: show with origins over all seven layers, profiles, schema, migrate, and no secret in any of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from sealmark.cli import root
from sealmark.errors import ConfigError

SECRETS = ("tok-123456789", "local-secret-1", "literal-secret-2", "arg-secret-3", "header-secret-4")

PROJECT = """\
profile: mine
profiles:
  mine: {extends: quick, doc: Ours., timeouts: {pack_sec: 77}}
server:
  url: http://127.0.0.1:9/mcp
  command: node
  args: [server.js, --token, arg-secret-3, "{sandbox}"]
  env: {TOKEN: "${TOKEN}", API_KEY: literal-secret-2}
tools: {exclude: ["admin_*"]}
"""
LOCAL = "server: {env: {EXTRA: local-secret-1}}\ntools: {exclude: ['local_*']}\n"
FLAGS = ("--timeout-probe", "3", "--header", "X-Key: header-secret-4")


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))
    monkeypatch.delenv("CI", raising=False)


def config(*line: str) -> Result:
    return CliRunner().invoke(root, ["config", *line], catch_exceptions=False)


def seven_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("user/sealmark").mkdir(parents=True)
    Path("user/sealmark/config.yaml").write_text("timeouts: {connect_sec: 11}\n")
    Path("sealmark.yaml").write_text(PROJECT)
    Path("sealmark.local.yaml").write_text(LOCAL)
    monkeypatch.setenv("SEALMARK_TIMEOUTS__CALL_SEC", "44")
    monkeypatch.setenv("TOKEN", "tok-123456789")


def test_show_prints_every_value_with_its_origin(monkeypatch: pytest.MonkeyPatch) -> None:
    seven_layers(monkeypatch)
    lines = config("show", "--origins", *FLAGS).stdout.splitlines()
    assert lines[0].startswith("# CUSTOM: ")
    assert "timeouts.probe_sec" in lines[0]
    assert "#   timeouts.probe_sec: standard 10, effective 3  (flag --timeout-probe)" in lines
    found = [line.strip() for line in lines]
    for expected in (
        "pages: 1000  # default",
        "packs: [core, fs, git, net, effects]  # profile quick",
        "pack_sec: 77  # profile mine (sealmark.yaml:3:59)",
        "connect_sec: 11  # user/sealmark/config.yaml:1:25",
        "command: node  # sealmark.yaml:6:12",
        'EXTRA: "<redacted>"  # sealmark.local.yaml:1:23',
        "call_sec: 44  # variable SEALMARK_TIMEOUTS__CALL_SEC",
        "probe_sec: 3  # flag --timeout-probe",
        'exclude: ["admin_*", "local_*"]  # sealmark.yaml:9:19; sealmark.local.yaml:2:19',
        'TOKEN: "${TOKEN}"  # sealmark.yaml:8:16',
    ):
        assert expected in found


def test_show_is_a_configuration_again(monkeypatch: pytest.MonkeyPatch) -> None:
    seven_layers(monkeypatch)
    shown = config("show", *FLAGS).stdout
    for name in ("sealmark.local.yaml", "user/sealmark/config.yaml"):
        Path(name).unlink()
    monkeypatch.delenv("SEALMARK_TIMEOUTS__CALL_SEC")
    Path("sealmark.yaml").write_text(shown)
    again = config("show").stdout

    def body(text: str) -> Any:
        return yaml.safe_load(text)

    assert body(again) == body(shown)
    assert again.splitlines()[0] == shown.splitlines()[0]


def test_no_secret_is_shown_in_any_form(monkeypatch: pytest.MonkeyPatch) -> None:
    seven_layers(monkeypatch)
    for line in (("show",), ("show", "--origins"), ("show", "--json")):
        result = config(*line, *FLAGS)
        assert result.exit_code == 0
        assert [secret for secret in SECRETS if secret in result.stdout + result.stderr] == []
    with pytest.raises(ConfigError) as caught:
        config("show", *FLAGS, "--pack", "literal-secret-2", "--url", "arg-secret-3", "--bearer", "tok-123456789\n")
    assert len(caught.value.problems) == 3
    assert [secret for secret in SECRETS if secret in str(caught.value)] == []


def test_show_says_standard_when_it_is() -> None:
    Path("sealmark.yaml").write_text("server: {command: node}\n")
    assert config("show").stdout.splitlines()[0].startswith("# STANDARD: ")
    data = json.loads(config("show", "--json").stdout)
    assert data["integrity"]["standard"] is True
    assert data["integrity"]["diff"] == []
    assert data["settings"]["server"]["command"] == "node"
    assert data["origins"]["server.command"] == "sealmark.yaml:1:19"


def test_show_of_several_servers_names_each() -> None:
    Path("sealmark.yaml").write_text("servers: {a: {command: x}, b: {command: y, tools: {exclude: [z]}}}\n")
    lines = config("show").stdout.splitlines()
    assert lines[0].endswith("(server 'a')")
    assert lines[1].startswith("# CUSTOM: 1 setting differs")
    assert yaml.safe_load("\n".join(lines))["servers"]["b"] == {"command": "y", "tools": {"exclude": ["z"]}}
    one = json.loads(config("show", "--json", "--server", "b").stdout)
    assert (one["name"], one["settings"]["tools"]["exclude"]) == ("b", ["z"])
    assert [server["name"] for server in json.loads(config("show", "--json").stdout)["servers"]] == ["a", "b"]


def test_profiles_lists_shipped_and_own_ones_with_their_differences() -> None:
    Path("sealmark.yaml").write_text("profiles: {mine: {extends: ci, doc: Ours., timeouts: {call_sec: 5}}}\n")
    text = config("profiles").stdout
    assert "mine (extends ci): Ours." in text
    assert "  timeouts.call_sec: 5  (CUSTOM)" in text.splitlines()
    rows = {row["name"]: row for row in json.loads(config("profiles", "--json").stdout)}
    assert set(rows) == {"standard", "quick", "ci", "strict", "paranoid", "mine"}
    assert rows["mine"]["settings"]["output.out_dir"] == "sealmark-report"


def test_schema_prints_the_schema() -> None:
    assert json.loads(config("schema").stdout)["$schema"].endswith("2020-12/schema")


def test_migrate_says_what_it_did() -> None:
    Path("sealmark.yaml").write_text("name: x\nretries:\n  call: 3\n")
    assert config("migrate").stdout.splitlines() == [
        "retries is removed: nothing retries a call",
        "schema_version: 1 is written down",
        "sealmark.yaml: the original is sealmark.yaml.bak",
    ]
    assert Path("sealmark.yaml").read_text() == "schema_version: 1\nname: x\n"
    assert config("migrate").stdout == "sealmark.yaml: nothing to do\n"


def test_mistakes_end_the_program_with_code_2_and_one_line_each() -> None:
    Path("sealmark.yaml").write_text("servr: {}\npacks: [x]\n")
    line = [sys.executable, "-m", "sealmark", "config", "show"]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: sealmark.yaml:1:1: unknown key 'servr'; did you mean 'server'?\n")
    assert "sealmark.yaml:2:9: packs[0] must be one of" in done.stderr


@pytest.mark.parametrize("command", ["show", "profiles", "schema", "migrate"])
def test_every_command_has_an_example(command: str) -> None:
    assert f"Example: sealmark config {command}" in " ".join(config(command, "--help").stdout.split())
