"""The worked example of docs/backends.md, run on a server that takes care and on one that does not."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sealmark.cli import root

PAGE = Path(__file__).resolve().parents[1] / "docs" / "backends.md"
SERVERS = Path(__file__).with_name("backed_servers.py")


def run(name: str, directory: Path) -> dict[str, dict[str, Any]]:
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text("utf-8"), re.S)
    text = example.replace("command: python3", f"command: {sys.executable}")
    text = text.replace("[server.py, ", f"[{SERVERS}, {name}, ")
    (directory / "sealmark.yaml").write_text(text)
    command = ["run", "--config", str(directory / "sealmark.yaml"), "--format", "json", "--fail-under", "none"]
    result = CliRunner().invoke(root, command)
    assert result.stdout, (result.output, result.exception)
    record = json.loads(result.stdout)
    return {verdict["check"]: verdict for verdict in record["judgements"][-1]["verdicts"]}


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))
    monkeypatch.delenv("CI", raising=False)


CHECKS = {
    "scope-escape": ("refused", "reached"),
    "sql-guard-statements": ("stopped", "forwarded"),
    "sql-guard-scope": ("stopped", "forwarded"),
    "sql-guard-rowcap": ("capped", "unbounded"),
    "upstream-identity": ("each-own", "other-caller"),
    "upstream-token-leak": ("clean", "in-reply"),
    "upstream-error-relay": ("kept", "relays-credential"),
    "upstream-slow": ("in-time", "hangs"),
    "asks-as-the-caller": ("met", "contract"),
    "refuses-writes": ("met", "met"),
    "keeps-errors-to-itself": ("met", "contract"),
}
"""Check -> the rule that decides for the careful server, and for the careless one."""


@pytest.mark.parametrize(("name", "column"), [("careful", 0), ("careless", 1)])
def test_the_example_tells_the_careful_server_from_the_careless_one(name: str, column: int, tmp_path: Path) -> None:
    found = run(name, tmp_path)
    assert {check: found[check]["rule"] for check in CHECKS} == {
        check: rules[column] for check, rules in CHECKS.items()
    }
    if name == "careful":
        assert "20 of 20 forms" in found["sql-guard-statements"]["summary"]
