"""`sealmark init`: servers of every client, secrets in the local file alone, probes, jobs, nothing half-written."""

from __future__ import annotations

import json
import os
import pty
import shlex
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import clients
import pytest
import yaml
from click.testing import CliRunner, Result

from sealmark import __version__
from sealmark.cli import root
from sealmark.configfile import load
from sealmark.errors import ConfigError, SealmarkError, UsageError

SERVERS = Path(__file__).with_name("servers.py")
MANY = shlex.join([sys.executable, str(SERVERS), "many", "{sandbox}"])


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("home", "project"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_CONFIG_HOME", "COPILOT_HOME", "CLAUDE_CONFIG_DIR", "APPDATA", "CI"):
        monkeypatch.delenv(name, raising=False)


def sealmark(*line: str) -> Result:
    return CliRunner().invoke(root, list(line), standalone_mode=False)


def init(*line: str) -> Result:
    result = sealmark("init", *line)
    if result.exception is not None:
        raise result.exception
    return result


def written() -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load(Path("sealmark.yaml").read_text())
    return data


def files() -> set[str]:
    return {
        str(path) for path in Path().rglob("*") if path.is_file() and not str(path).startswith((".vscode", "tools"))
    }


# -- importing


def test_servers_of_every_client_are_imported(tmp_path: Path) -> None:
    clients.lay_out(tmp_path)
    result = init()
    servers = written()["servers"]
    assert set(servers) >= {
        "script",
        "github",
        "of-this-project",
        "memory",
        "database",
        "weather",
        "flat",
        "from-settings",
        "local-one",
    }
    assert not {"off", "of-another", "remote", "hosted", "broken", "empty"} & set(servers)
    for name in ("off", "of-another", "remote", "hosted"):
        assert f"left out: {name} (" in result.stderr
    assert servers["script"]["args"][0] == "./tools/server.py"
    assert servers["weather"]["env"] == {"WEATHER_KEY": "${WEATHER_KEY}"}
    assert servers["database"]["env"] == {"SLACK": "${SLACK_TOKEN}", "SQLITE_DB": "{sqlite_path}"}
    assert servers["database"]["args"][2:] == ["{dsn}"]
    assert servers["memory"]["env"] == {"MEMORY_FILE_PATH": "{sandbox}/memory.json"}
    assert servers["from-settings"]["args"][2:] == ["--root={sandbox}"]
    assert servers["local-one"]["args"][2:] == ["--log-file", "{sandbox}/server.log"]
    assert len(load(environ={}).servers) == len(servers)


def test_secrets_are_in_the_local_file_alone(tmp_path: Path) -> None:
    clients.lay_out(tmp_path)
    result = init()
    local = Path("sealmark.local.yaml")
    kept = yaml.safe_load(local.read_text())["variables"]
    left_out = {"pg-Secret-0005", "query-Secret-0003", "bearer-Secret-0004"}  # {dsn} stands there; not imported
    assert set(kept.values()) == set(clients.SECRETS) - left_out
    assert stat.S_IMODE(local.stat().st_mode) == 0o600
    assert "sealmark.local.yaml" in Path(".gitignore").read_text().splitlines()
    elsewhere = result.output + "".join(
        path.read_text() for path in Path().rglob("*") if path.is_file() and path.suffix != ".json" and path != local
    )
    assert [secret for secret in clients.SECRETS if secret in elsewhere] == []
    settings = dict(load(environ={}).servers)["github"]
    assert settings["server.args"][-1] == "${GITHUB_API_KEY}"


def test_a_server_on_the_network_is_taken_when_it_is_asked_for(tmp_path: Path) -> None:
    clients.lay_out(tmp_path)
    init("--server", "remote", "--server", "hosted")
    assert written()["servers"] == {
        "remote": {
            "url": "https://mcp.example.invalid/mcp?api_key=${REMOTE_API_KEY}",
            "headers": {"Authorization": "Bearer ${REMOTE_TOKEN}", "X-Toolset": "all"},
        },
        "hosted": {"url": "https://mcp.example.invalid/sse"},
    }
    assert yaml.safe_load(Path("sealmark.local.yaml").read_text())["variables"] == {
        "REMOTE_API_KEY": "query-Secret-0003",
        "REMOTE_TOKEN": "bearer-Secret-0004",
    }


def test_doctor_accepts_what_was_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clients.lay_out(tmp_path)
    monkeypatch.setenv("WEATHER_KEY", "abc-from-the-environment")
    init("--server", "script", "--server", "github", "--server", "weather", "--server", "local-one")
    result = sealmark("doctor", "--json", "--connect-timeout", "60")
    assert result.return_value == 0, result.output
    found = json.loads(result.stdout)
    assert [server["server"] for server in found["servers"]] == ["script", "github", "weather", "local-one"]
    assert all(server["ok"] for server in found["servers"])
    assert [secret for secret in clients.SECRETS if secret in result.output] == []


def test_a_broken_file_is_a_warning_with_its_place_and_stops_nothing(tmp_path: Path) -> None:
    clients.lay_out(tmp_path, ("windsurf.json",))
    for sample, place in clients.PLACES.items():
        if sample != "windsurf.json":
            clients.put(tmp_path, "broken.json", place)
    (tmp_path / "home/.cursor/mcp.json").write_bytes(b'{"mcpServers": {"x": "\xff"}}')
    (tmp_path / "project/.mcp.json").write_text("[]")
    (tmp_path / "home/.copilot/mcp-config.json").write_text("")
    result = init()
    assert written()["name"] == "files"
    lines = [line for line in result.stderr.splitlines() if line.startswith("warning: ")]
    assert "warning: ~/.claude.json:3:33: Claude Code: expecting ',' delimiter; its servers are not imported" in lines
    assert any(line.startswith("warning: .vscode/mcp.json:3:33: VS Code: ") for line in lines)
    assert any(line.startswith("warning: ~/.cursor/mcp.json:1:1: Cursor: not UTF-8") for line in lines)
    assert any(line.startswith("warning: .mcp.json: Claude Code: not an object") for line in lines)
    assert len(lines) == 7


def test_one_server_is_written_as_server_and_one_that_two_clients_know_once(tmp_path: Path) -> None:
    clients.lay_out(tmp_path, ("windsurf.json",))
    clients.put(tmp_path, "windsurf.json", "home/.cursor/mcp.json")
    init("--server", "files")
    data = written()
    assert data["name"] == "files"
    assert data["server"]["args"][1:] == ["many", "{sandbox}"]
    assert "# from Cursor (~/.cursor/mcp.json)" in Path("sealmark.yaml").read_text()
    assert not Path("sealmark.local.yaml").exists()
    init("--force", "--server", "files", "--server", "hosted")
    assert set(written()["servers"]) == {"files", "hosted"}


def test_a_server_that_nobody_knows_is_refused_with_a_suggestion(tmp_path: Path) -> None:
    clients.lay_out(tmp_path, ("windsurf.json",))
    with pytest.raises(UsageError, match="no client knows a server 'fils'; did you mean 'files'"):
        init("--server", "fils")
    assert not Path("sealmark.yaml").exists()


def test_what_differed_in_a_directory_only_is_written_once(tmp_path: Path) -> None:
    clients.lay_out(tmp_path, ("windsurf.json", "claude_desktop_config.json"))
    result = init()
    assert set(written()["servers"]) == {"files", "memory"}
    assert "left out: files-windsurf (Windsurf): the same as files now" in result.stderr


def test_without_any_client_an_example_is_written() -> None:
    result = init()
    assert "no client's configuration holds a server" in result.stderr
    assert written()["server"]["command"] == "npx"
    assert load(environ={}).servers[0][0] == "filesystem"


# -- from a command line, from a URL


def test_a_command_line_becomes_a_configuration_that_doctor_accepts(tmp_path: Path) -> None:
    (tmp_path / "home/docs").mkdir()
    init("--from", f"{MANY} --api-token abc-Secret-xyz-0007 {tmp_path}/home/docs")
    data = written()
    assert data["name"] == "servers"
    assert data["server"]["args"][1:] == ["many", "{sandbox}", "--api-token", "${SERVERS_API_TOKEN}", "{sandbox}"]
    assert yaml.safe_load(Path("sealmark.local.yaml").read_text()) == {
        "variables": {"SERVERS_API_TOKEN": "abc-Secret-xyz-0007"}
    }
    result = sealmark("doctor", "--connect-timeout", "60")
    assert result.return_value == 0, result.output
    assert "Secret" not in result.output


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("npx -y @modelcontextprotocol/server-filesystem {sandbox}", "filesystem"),
        ("uvx mcp-server-time", "time"),
        ("uvx --from git+https://host.example/x my-tool==1.2", "my-tool"),
        ("python -m my_server.main", "my_server"),
        ("node ./dist/index.js", "index"),
        ("./bin/serve", "serve"),
        ("docker run -i image/name:latest", "name-latest"),
    ],
)
def test_names_come_from_the_package_or_the_script(line: str, name: str) -> None:
    init("--from", line)
    assert written()["name"] == name


def test_a_line_that_needs_a_shell_is_refused() -> None:
    for line in ("A=b server", "server && other", 'server "x', ""):
        with pytest.raises(SealmarkError):
            init("--from", line)
    assert files() == set()


def test_a_url_becomes_a_configuration() -> None:
    init("--from-url", "https://host.example/mcp?token=abc-Secret-0008")
    assert written()["name"] == "host.example"
    assert written()["server"] == {"url": "https://host.example/mcp?token=${HOST_EXAMPLE_TOKEN}"}
    assert "abc-Secret-0008" in Path("sealmark.local.yaml").read_text()
    with pytest.raises(ConfigError, match="begins with http"):
        init("--from-url", "host.example", "--force")


def test_flags_that_do_not_go_together_are_refused() -> None:
    for line in (("--from", "x", "--probes"), ("--write",), ("--json",), ("--ci", "github", "--json")):
        with pytest.raises(UsageError):
            init(*line)


# -- writing


def test_nothing_is_overwritten_without_force() -> None:
    Path("sealmark.yaml").write_text("mine: true\n")
    with pytest.raises(UsageError, match=r"sealmark\.yaml exists; nothing was written") as caught:
        init("--from", "x")
    assert caught.value.exit_code == 2
    assert files() == {"sealmark.yaml"}
    init("--from", "x", "--force")
    assert written()["server"] == {"command": "x"}


def test_a_local_file_is_refused_too_when_there_are_secrets_for_it() -> None:
    Path("sealmark.local.yaml").write_text("variables: {OLD: value}\n")
    with pytest.raises(UsageError, match=r"sealmark\.local\.yaml exists"):
        init("--from", "x --token abc-Secret-0009")
    assert not Path("sealmark.yaml").exists()
    result = init("--from", "x")
    assert "sealmark.local.yaml is left as it is" in result.stderr
    assert "OLD" in Path("sealmark.local.yaml").read_text()


def test_when_one_file_cannot_be_written_none_is() -> None:
    Path(".sealmark").write_text("a file where a folder must be")
    Path(".gitignore").write_text("node_modules\n")
    with pytest.raises(UsageError, match="nothing was written"):
        init("--from", "x --token abc-Secret-0010")
    assert files() == {".sealmark", ".gitignore"}
    assert Path(".gitignore").read_text() == "node_modules\n"


def test_gitignore_keeps_what_it_has_and_gets_each_line_once() -> None:
    Path(".gitignore").write_text("node_modules\n/sealmark.local.yaml")
    init("--from", "x")
    assert Path(".gitignore").read_text() == "node_modules\n/sealmark.local.yaml\n.sealmark/\n"
    init("--from", "x", "--force")
    assert Path(".gitignore").read_text().count(".sealmark/") == 1


def test_the_schema_that_editors_read_is_written_beside() -> None:
    init("--from", "x")
    first = Path("sealmark.yaml").read_text().splitlines()[0]
    assert first == "# yaml-language-server: $schema=.sealmark/schema.json"
    assert json.loads(Path(".sealmark/schema.json").read_text())["title"] == "sealmark.yaml"


# -- questions


def test_a_terminal_is_asked_which_and_each_offer(tmp_path: Path) -> None:
    clients.lay_out(tmp_path, ("windsurf.json", "claude_desktop_config.json"))
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "sealmark", "init"], stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, close_fds=True
    ) as process:
        os.close(theirs)
        seen = b""
        for wait, answer in ((b"Which servers", b"9\n"), (b"Which servers", b"1,2\n"), (b"use", b"n\n")):
            seen += _until(ours, wait)
            os.write(ours, answer)
        for _ in range(2):
            seen += _until(ours, b"use")
            os.write(ours, b"y\n")
        seen += _until(ours, b"next: sealmark doctor")
        assert process.wait(60) == 0
    os.close(ours)
    assert b"numbers from 1 to 4" in seen
    servers = written()["servers"]
    assert servers["files"]["args"][2:] == ["${HOME}/Documents", "{sandbox}"]
    assert servers["memory"]["env"] == {"MEMORY_FILE_PATH": "{sandbox}/memory.json"}


def _until(descriptor: int, wanted: bytes) -> bytes:
    """What a terminal shows up to some text."""
    seen = b""
    while wanted not in seen:
        seen += os.read(descriptor, 4096)
    return seen


def test_yes_takes_the_defaults(tmp_path: Path) -> None:
    clients.lay_out(tmp_path, ("windsurf.json",))
    result = init("--yes")
    assert "Which" not in result.output
    assert written()["name"] == "files"


# -- probes


@pytest.fixture
def noting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    notes = tmp_path / "notes"
    monkeypatch.setenv("NOTES", str(notes))
    Path("sealmark.yaml").write_text(
        f"server:\n  command: {sys.executable}\n  args: [{SERVERS}, notes_methods, '{{sandbox}}']\n  forward: [NOTES]\n"
    )
    return notes


def test_probes_hold_one_valid_call_for_each_tool_and_call_none(noting: Path) -> None:
    text = init("--probes").stdout
    assert set(noting.read_text().split()) == {"initialize", "notifications/initialized", "tools/list"}
    assert init("--probes").stdout == text
    probes = {probe["tool"]: probe for probe in yaml.safe_load(text)["probes"]}
    assert probes["read_file"] == {"id": "read_file", "tool": "read_file", "args": {"path": "{sandbox}/hello.txt"}}
    assert probes["write_file"]["args"] == {"path": "{sandbox}/probe.txt", "content": "written by a probe"}
    assert probes["query"]["args"] == {"sql": "SELECT 1"}
    assert probes["run_command"]["active"] is True
    assert "impossible" not in probes
    (line,) = [line for line in text.splitlines() if "- id: impossible" in line]
    assert line.startswith("  # - id: impossible  # x: ")

    data = json.loads(init("--probes", "--json").stdout)
    assert data["format"] == "sealmark.probes/1"
    assert [probe["tool"] for probe in data["probes"]] == list(probes)
    assert [out["tool"] for out in data["leftOut"]] == ["impossible"]


def test_probes_are_appended_once(noting: Path) -> None:
    before = Path("sealmark.yaml").read_text()
    block = init("--probes").stdout
    result = init("--probes", "--write")
    assert result.stdout == ""
    assert Path("sealmark.yaml").read_text() == f"{before}\n{block}"
    assert len(load(environ=dict(os.environ)).base["probes"]) == 5
    with pytest.raises(UsageError, match=r"sealmark\.yaml:\d+:1: there are probes already") as caught:
        init("--probes", "--write")
    assert caught.value.exit_code == 2


def test_probes_need_a_file_and_are_not_written_for_several_servers() -> None:
    with pytest.raises(UsageError, match=r"there is no sealmark\.yaml"):
        init("--probes")
    Path("sealmark.yaml").write_text("servers: {a: {command: x}, b: {command: y}}\n")
    with pytest.raises(UsageError, match="several servers"):
        init("--probes", "--write", "--server", "a")


# -- jobs


def command_of(text: str, kind: str) -> list[str]:
    """The words of the job's command, as the pipeline's shell sees them."""
    data = yaml.safe_load(text)
    if kind == "github":
        (line,) = [step["run"] for step in data["jobs"]["sealmark"]["steps"] if "sealmark run" in step.get("run", "")]
    else:
        (line,) = [line for line in data["sealmark"]["script"] if "sealmark run" in line]
    assert "\n" not in line.strip()
    return shlex.split(line)


@pytest.mark.parametrize("kind", ["github", "gitlab"])
def test_a_job_runs_this_version_with_one_flag_on_each_line(kind: str) -> None:
    text = init("--ci", kind, "--from", "my-server --root {sandbox}").stdout
    assert f"pip install sealmark=={__version__}" in text
    assert '--start "my-server --root {sandbox}"' in [line.strip() for line in text.splitlines()]
    words = command_of(text, kind)
    assert words[:2] == ["sealmark", "run"]
    command = root.get_command(None, "run")  # type: ignore[arg-type]
    assert command is not None
    parsed = command.make_context("run", words[2:])
    assert parsed.params["start"] == "my-server --root {sandbox}"
    assert bool(parsed.params["github"]) == (kind == "github")
    assert files() == set()
    if kind == "gitlab":
        junit = yaml.safe_load(text)["sealmark"]["artifacts"]["reports"]["junit"]
        assert junit == "sealmark-report/sealmark-report.junit.xml"


def test_a_job_for_a_configuration_names_the_variables_that_it_needs() -> None:
    Path("sealmark.yaml").write_text(
        "server: {command: x, args: ['${ONE}', '${TWO:-2}'], env: {A: '${HOME}/x'}, forward: [THREE]}\n"
    )
    text = init("--ci", "github").stdout
    (step,) = [one for one in yaml.safe_load(text)["jobs"]["sealmark"]["steps"] if "env" in one]
    assert step["env"] == {"ONE": "${{ secrets.ONE }}", "THREE": "${{ secrets.THREE }}"}
    assert command_of(text, "github") == ["sealmark", "run", "--github"]
    assert "ONE, THREE" in init("--ci", "gitlab").stdout


@pytest.mark.parametrize(("kind", "path"), [("github", ".github/workflows/sealmark.yml"), ("gitlab", ".gitlab-ci.yml")])
def test_a_job_is_written_where_the_pipeline_looks_and_never_over_another(kind: str, path: str) -> None:
    printed = init("--ci", kind, "--from-url", "http://localhost:8000/mcp").stdout
    result = init("--ci", kind, "--from-url", "http://localhost:8000/mcp", "--write")
    assert result.stdout == ""
    assert Path(path).read_text() == printed
    with pytest.raises(UsageError, match="exists; nothing was written"):
        init("--ci", kind, "--write")
    assert Path(path).read_text() == printed


def test_quotes_in_a_command_survive_the_pipelines_shell() -> None:
    line = """my-server --title "it's $HOME" '{"a": 1}'"""
    words = command_of(init("--ci", "gitlab", "--from", line).stdout, "gitlab")
    assert shlex.split(words[words.index("--start") + 1]) == shlex.split(line)


def run_job(kind: str, shell: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    """Carry out the printed job's command as a runner does: from a script, in a checkout, with its variables."""
    data = yaml.safe_load(init("--ci", kind, "--from", MANY).stdout)
    lines = (
        data["sealmark"]["script"]
        if kind == "gitlab"
        else [s.get("run", "") for s in data["jobs"]["sealmark"]["steps"]]
    )
    (command,) = [line for line in lines if "sealmark run" in line]
    Path("job.sh").write_text(command)
    Path("summary.md").touch()
    own = {"CI": "true", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    if kind == "github":
        own |= {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(Path("summary.md").absolute())}
    return subprocess.run(
        [*shell, "job.sh"], env={**os.environ, **own}, capture_output=True, text=True, timeout=120, check=False
    )


def test_the_github_job_fails_for_a_finding_and_writes_summary_and_annotations() -> None:
    ran = run_job("github", ("bash", "-e"))
    assert ran.returncode == 1, ran.stderr
    assert "secret-echo" in Path("summary.md").read_text()
    assert any(line.startswith("::error ") and "secret-echo" in line for line in ran.stderr.splitlines())


def test_the_gitlab_job_fails_for_a_finding_and_leaves_the_junit_file() -> None:
    ran = run_job("gitlab", ("sh", "-e"))
    assert ran.returncode == 1, ran.stderr
    junit = ElementTree.parse("sealmark-report/sealmark-report.junit.xml").getroot()
    failed = [case.get("name", "") for case in junit.iter("testcase") if case.find("failure") is not None]
    assert any("secret-echo" in name for name in failed)
