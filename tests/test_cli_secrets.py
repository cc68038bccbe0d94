"""A secret that was given in any way stands in no output: no format, no message, no log, no transcript."""

from __future__ import annotations

import base64
import json
import re
import shlex
import sys
from pathlib import Path
from urllib.parse import quote

import pytest
from click.testing import CliRunner, Result

from sealmark.cli import root
from sealmark.configfile import load
from sealmark.errors import SealmarkError

SERVERS = Path(__file__).with_name("servers.py")
PYTHON = shlex.quote(sys.executable)

SECRETS = {
    "local file": 'lo/cal "Secret\\1" +π',
    "values of the local file": "values-Secret-2&<>'",
    "reference": "refer=Secret 3/%41",
    "literal under a secret's name": "literal:Secret;4",
    "forwarded": "forwarded~Secret{sandbox}5",
    "argument after a secret's flag": "argument|Secret|6",
}
PROJECT = """\
server:
  command: {python}
  args: [{servers}, {toy}, "{{sandbox}}", --token, "argument|Secret|6", --given, "${{GIVEN}}"]
  env:
    API_KEY: "literal:Secret;4"
    FROM_LOCAL: ""
    REFERENCE: "${{REFERENCE}}"
    GIVEN: "${{GIVEN}}"
packs: [core]
"""
LOCAL = {
    "server": {"env": {"FROM_LOCAL": SECRETS["local file"]}},
    "variables": {"GIVEN": SECRETS["values of the local file"]},
}
FORMATS = ("text", "json", "markdown", "junit", "sarif", "summary", "shields", "badge")


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("REFERENCE", SECRETS["reference"])
    monkeypatch.setenv("FORWARDED", SECRETS["forwarded"])
    monkeypatch.setenv("SECRET_ARGUMENT", SECRETS["argument after a secret's flag"])


def configured(toy: str) -> None:
    Path("sealmark.yaml").write_text(PROJECT.format(python=json.dumps(sys.executable), servers=SERVERS, toy=toy))
    Path("sealmark.local.yaml").write_text(json.dumps(LOCAL))


def sealmark(*line: str) -> Result:
    return CliRunner().invoke(root, list(line), standalone_mode=False)


def spelled(secret: str) -> set[str]:
    data = secret.encode()
    escaped = json.dumps(secret)[1:-1]
    return {
        secret,
        quote(secret, safe=""),
        quote(quote(secret, safe=""), safe=""),
        data.hex(),
        base64.b64encode(data).decode().rstrip("="),
        base64.b64encode(b"xyz" + data).decode()[4:].rstrip("="),
        escaped,
        json.dumps(escaped)[1:-1],
    }


def leaks(text: str) -> list[str]:
    """Names of the secrets that a text holds in any spelling; white space that a layout put in does not hide one."""
    flat = re.sub(r"\s+", "", text)
    return [
        name
        for name, secret in SECRETS.items()
        if any(form in text or re.sub(r"\s+", "", form) in flat for form in spelled(secret))
    ]


def written(folder: str = ".") -> dict[str, str]:
    """Every file that was written, by name; the configuration itself aside."""
    ours = {"sealmark.yaml", "sealmark.local.yaml"}
    return {
        str(path): path.read_text("utf-8", "surrogateescape")
        for path in Path(folder).rglob("*")
        if path.is_file() and path.name not in ours
    }


def test_no_format_no_message_and_no_file_holds_a_secret() -> None:
    configured("tells_everything")
    flags = [part for name in FORMATS for part in ("--format", name)]
    result = sealmark("run", "--env", "FORWARDED", "--out-dir", "out", "--transcript", "wire.jsonl", *flags)
    assert leaks(result.stdout) == leaks(result.stderr) == []
    files = written()
    assert len(files) >= len(FORMATS)
    assert "<redacted>" in files["wire.jsonl"]
    assert "<redacted>" in files["out/sealmark-report.json"]
    assert {name: leaks(text) for name, text in files.items() if leaks(text)} == {}
    for line in files["wire.jsonl"].splitlines():
        assert leaks(json.dumps(json.loads(line), ensure_ascii=False)) == []


@pytest.mark.parametrize("toy", ["dies_telling", "refuses_telling"])
def test_a_start_that_fails_tells_no_secret(toy: str) -> None:
    configured(toy)
    result = sealmark(
        "run", "--env", "FORWARDED", "--format", "json", "--out", "run.json", "--transcript", "wire.jsonl"
    )
    assert result.return_value == 4
    assert leaks(result.stdout) == leaks(result.stderr) == []
    files = written()
    assert {"run.json", "wire.jsonl"} <= set(files)
    assert {name: leaks(text) for name, text in files.items() if leaks(text)} == {}
    assert "<redacted>" in files["run.json"]
    for command in ("plan", "inventory"):
        failed = sealmark(command, "--env", "FORWARDED")
        assert isinstance(failed.exception, SealmarkError)
        assert leaks(failed.output + str(failed.exception)) == []
        assert "exited with code 3" in str(failed.exception) or "with an error" in str(failed.exception)


def test_the_commands_that_only_meet_the_server_tell_no_secret() -> None:
    configured("tells_everything")
    path = Path("sealmark.yaml")
    path.write_text(path.read_text().replace("server:\n", "server:\n  forward: [FORWARDED]\n"))
    for line in (
        ("plan", "--json"),
        ("plan",),
        ("inventory", "--json"),
        ("inventory",),
        ("doctor", "--json"),
        ("doctor",),
        ("init", "--probes"),
        ("init", "--probes", "--json"),
        ("config", "show", "--json"),
    ):
        result = sealmark(*line)
        assert result.exit_code == 0, result.output
        assert leaks(result.stdout) == leaks(result.stderr) == []


def test_headers_and_bearers_are_secrets_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_TOKEN", "bearer-Secret-7/+")
    Path("sealmark.yaml").write_text(
        "server:\n  url: http://127.0.0.1:9/mcp\n  headers: {X-Api-Key: header-Secret-8, Cookie: 'a=cookie-Secret-9'}\n"
    )
    given = {"bearer": "${MCP_TOKEN}"}
    prepared = load(flags=given).one()
    text = "bearer-Secret-7/+ bearer-Secret-7%2F%2B header-Secret-8 cookie-Secret-9 Authorization: Bearer " + (
        base64.b64encode(b"header-Secret-8").decode()
    )
    shown = prepared.redact(text)
    assert "Secret" not in shown
    assert base64.b64encode(b"header-Secret-8").decode() not in shown
    result = sealmark("run", "--bearer", "${MCP_TOKEN}", "--connect-timeout", "1", "--start-timeout", "1")
    told = result.output + str(result.exception)
    assert not re.search("bearer-Secret|header-Secret|cookie-Secret", told)


def test_the_control_sees_every_secret_when_nothing_is_hidden() -> None:
    configured("tells_everything")
    result = sealmark(
        "run", "--env", "FORWARDED", "--no-redact", "--format", "json", "--out", "o.json", "--transcript", "w"
    )
    assert "secrets are shown" in result.stderr
    assert "sandboxes (gone now): /" in result.stderr
    wire = "".join(json.loads(line).get("text", "") for line in Path("w").read_text().splitlines())
    environment = set(SECRETS) - {"argument after a secret's flag"}
    assert environment <= set(leaks(wire))
    assert environment & set(leaks(Path("o.json").read_text()))
    assert json.loads(Path("o.json").read_text())["gathered"]["facts"]["redacted"] is False
