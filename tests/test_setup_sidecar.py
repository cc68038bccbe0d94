"""A sidecar of mcp-probe becomes a `probes:` block that loads, and its mistakes are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sealmark.cli import root
from sealmark.configfile import load
from sealmark.errors import ConfigError, UsageError
from sealmark.setup.sidecar import translate

SIDECAR: dict[str, Any] = {
    "$schema": "any",
    "tools": {
        "run_sql": {
            "input": {"project": "p", "query": "select 1 as one"},
            "expect": {"status": "pass", "requiredFields": ["rowCount", "source"], "maxRows": 100},
        },
        "run_sql_write_denied": {
            "input": {"project": "p", "query": "delete from users"},
            "expect": {"status": "fail", "errorCode": "WRITE_NOT_ALLOWED", "notContains": ["password: x", "stack"]},
        },
        "Logs.Query": {"input": {"timeframe": "1h"}, "expect": {"contains": ["ok"], "not_error_code": [401, 403]}},
        "list_tables": {},
    },
}


def test_every_entry_becomes_a_probe_and_every_expectation_an_expectation() -> None:
    first, second, third, last = translate(SIDECAR, "s.json")
    assert (first.tool, first.check) == ("run_sql", "contract-run-sql")
    assert first.expect == {"status": "pass", "required_fields": ["rowCount", "source"], "max_rows": 100}
    assert (second.tool, second.guessed) == ("run_sql", True)
    assert second.expect["error_code"] == "WRITE_NOT_ALLOWED"
    assert (third.tool, third.check) == ("Logs.Query", "contract-logs-query")
    assert third.expect == {"contains": ["ok"], "tolerate": [401, 403]}
    assert (last.tool, last.check, last.args) == ("list_tables", "", {})


def test_the_block_is_printed_or_added_to_a_configuration_that_then_loads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.json").write_text(json.dumps(SIDECAR))
    printed = CliRunner().invoke(root, ["init", "--from-mcp-probe", "s.json"], catch_exceptions=False).stdout
    assert printed.startswith("probes:\n  - id: run_sql\n    tool: run_sql\n")
    Path("sealmark.yaml").write_text("server: {command: python3}")
    done = CliRunner().invoke(root, ["init", "--from-mcp-probe", "s.json", "--write"], catch_exceptions=False)
    assert "wrote 4 probes" in done.stderr
    settings = load("sealmark.yaml", environ={}).base
    assert [probe["tool"] for probe in settings["probes"]] == ["run_sql", "run_sql", "Logs.Query", "list_tables"]
    assert settings["probes"][1]["expect"]["not_contains"] == ("password: x", "stack")
    again = CliRunner().invoke(root, ["init", "--from-mcp-probe", "s.json", "--write"])
    assert isinstance(again.exception, UsageError)
    assert "there are probes already" in str(again.exception)


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"expect": {"status": "ok"}}, "tools.t.expect.status must be pass, fail or warn"),
        ({"expect": {"requiredFields": "a"}}, "tools.t.expect.requiredFields must be a list of texts"),
        ({"expect": {"contains": [1]}}, "tools.t.expect.contains must be a list of texts"),
        ({"expect": {"not_error_code": ["401"]}}, "tools.t.expect.not_error_code must be a list of numbers"),
        ({"expect": {"maxRows": -1}}, "tools.t.expect.maxRows must be a number, 0 or more"),
        ({"expect": {"errorCode": 5}}, "tools.t.expect.errorCode must be a text"),
        ({"expect": {"maxRow": 5}}, "unknown key 'maxRow'; did you mean 'maxRows'?"),
        ({"input": []}, "tools.t.input must be an object of arguments"),
        ([], "tools.t must be an object with input and expect"),
    ],
)
def test_mistakes_are_named_with_their_place(entry: Any, says: str) -> None:
    with pytest.raises(ConfigError) as error:
        translate({"tools": {"t": entry}}, "s.json")
    assert says in str(error.value)


def test_what_is_no_sidecar_is_refused() -> None:
    for data in ({}, [], {"tools": {}}, {"tools": []}):
        with pytest.raises(ConfigError):
            translate(data, "s.json")
