"""The generated reference and schema are fresh, and say what the loader does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from sealmark.settings.docs import render
from sealmark.settings.schema import json_schema
from sealmark.settings.show import as_yaml
from sealmark.settings.table import table
from sealmark.settings.values import Settings

ROOT = Path(__file__).parent.parent
SCHEMA = json_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

SAMPLE = """\
schema_version: 1
name: my-server
version: 1.0.0
server:
  command: npx
  args: ["-y", "some-mcp-server", "{sandbox}"]
  env:
    API_KEY: "${MY_API_KEY}"
    PORT: 8080
  files:
    - path: "{sandbox}/config/app.ini"
      content: "mode=test"
sql_tools:
  - { tool: query, arg: sql }
  - { tool: run_sql, arg: query, args: { database: main } }
packs: [core, db, fs, net, git, http, effects]
tools:
  exclude: ["admin_*"]
  overrides:
    legacy_thing: { class: opaque }
checks:
  fs-size-cap: { enabled: false }
output:
  format: text
  fail_on: [any, drift]
profiles:
  mine: {extends: quick, timeouts: {call_sec: null}}
upstream:
  kind: http
  default_reply: { status: 200, json: { rows: [] } }
  responses:
    - { id: count, match: { path: "^/sql$" }, reply: { json: { rows: [{ count: 3 }] } } }
scope:
  tools: [{ tool: describe_table, param: table }]
  allow: ["sales.public."]
  deny: "hr.private.salaries"
"""


def test_the_reference_is_fresh() -> None:
    assert (ROOT / "docs/settings.md").read_text("utf-8") == render(), "run `python -m sealmark.dev regen`"


def test_the_schema_file_is_fresh() -> None:
    text = (ROOT / "docs/schema/sealmark.schema.json").read_text("utf-8")
    assert text == json.dumps(SCHEMA, indent=1) + "\n", "run `python -m sealmark.dev regen`"


def test_every_setting_stands_in_the_reference() -> None:
    page = render()
    missing = [row.key for row in table() if not row.key.startswith("checks.") and f"### `{row.key}`" not in page]
    assert missing == []
    assert all(f"`{row.path[1]}`" in page for row in table() if row.key.startswith("checks."))


def test_the_schema_is_valid_and_accepts_what_the_loader_accepts() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    VALIDATOR.validate(yaml.safe_load(SAMPLE))
    VALIDATOR.validate(yaml.safe_load(as_yaml(Settings.standard(), {}, {}, origins=True)))
    several = {"a": {"command": "x", "packs": ["fs"]}, "b": {"url": "http://h/mcp", "publish": False}}
    VALIDATOR.validate({"servers": several, "retries": {"call": 1}})


@pytest.mark.parametrize(
    "wrong",
    [
        {"servr": {}},
        {"server": {"comand": "x"}},
        {"packs": ["nope"]},
        {"packs": []},
        {"timeouts": {"probe_sec": 0}},
        {"server": {"command": "x"}, "servers": {"a": {"command": "x"}}},
        {"servers": {"a": {"output": {"out": "x"}}}},
        {"profiles": {"a": {"server": {"command": "x"}}}},
        {"server": {"env": {"MY KEY": "x"}}},
        {"sql_tools": [{"tool": "q"}]},
        {"active": True},
        {"checks": {"fs-size-cap": {"enabled": "maybe"}}},
    ],
)
def test_the_schema_refuses_what_the_loader_refuses(wrong: dict[str, Any]) -> None:
    assert not VALIDATOR.is_valid(wrong)


def test_rows_are_documented_like_sentences() -> None:
    for row in table():
        assert row.doc.endswith("."), row.key
        assert row.affects in ("gather", "judge", "output")
        assert not row.locked or row.affects != "output", f"{row.key} is only output but locked"
