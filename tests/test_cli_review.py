"""`run` end to end on a toy: accepted findings, GitHub, baselines, and that two runs are the same bytes."""

from __future__ import annotations

import json
import re
import sys

import pytest
import yaml
from click.testing import CliRunner

from sealmark import corpora
from sealmark.cli import root
from sealmark.errors import ConfigError

TOY = corpora.root() / "core" / "tool-poisoning" / "toys.py"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    for name in ("CI", "GITHUB_STEP_SUMMARY", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def configure(folder, *, toy="bell", **output):
    server = {"command": sys.executable, "args": [str(TOY), toy, "{sandbox}"]}
    document = {"schema_version": 1, "packs": ["core"], "servers": {"one": server}, "output": output}
    (folder / "sealmark.yaml").write_text(yaml.safe_dump(document, sort_keys=False))


def call(*words):
    result = CliRunner().invoke(root, ["run", *words], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.return_value, result.stdout, result.stderr


def test_two_runs_differ_in_measured_times_alone(folder):
    configure(folder)
    outs = [call("--format", "json", "--out", f"{number}.json")[0] for number in (1, 2)]
    assert outs[0] == outs[1]
    one, two = (json.loads((folder / f"{number}.json").read_text()) for number in (1, 2))
    assert one["fingerprints"]["behaviour"] == two["fingerprints"]["behaviour"]
    result = CliRunner().invoke(root, ["diff", "1.json", "2.json"], standalone_mode=False)
    assert result.stdout == "no change\n"
    texts = [CliRunner().invoke(root, ["report", f"{n}.json"], standalone_mode=False).stdout for n in (1, 2)]
    assert texts[0] == texts[1]
    checked = CliRunner().invoke(root, ["verify", "1.json", "2.json"], standalone_mode=False)
    assert checked.return_value == 0, checked.stdout
    assert checked.stdout.count("judged again") == 2


def test_an_accepted_finding_is_shown_and_an_expired_or_foreign_one_stops_before_the_server_starts(folder):
    configure(folder)
    call("--format", "json", "--out", "run.json")
    words = ["baseline", "run.json", "--accept", "tool-poisoning", "--reason", "a bell is fine", "--expires"]
    printed = CliRunner().invoke(root, [*words, "2099-01-31"], standalone_mode=False).stdout
    (entry,) = yaml.safe_load(printed)["output"]["accepted"]
    assert entry["server"] == "one"
    configure(folder, accepted=[entry])
    _, out, _ = call()
    assert "accepted      a bell is fine (until 2099-01-31)" in out
    assert "PART            tool-poisoning" in out
    for change in ({"expires": "2020-01-01"}, {"server": "two"}, {"command": "python other.py"}):
        configure(folder, accepted=[entry | change], toy="no-such-toy")
        with pytest.raises(ConfigError):
            call()


def test_github_gets_a_summary_and_annotations_with_the_line_of_the_server(folder, monkeypatch):
    configure(folder)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary.md"))
    _, out, err = call("--github", "--format", "json")
    assert json.loads(out)["schema"]
    assert "# Sealmark: `one 1.0.0`" in (folder / "summary.md").read_text()
    commands = [line for line in err.splitlines() if line.startswith("::")]
    assert re.match(r"::warning file=sealmark\.yaml,line=\d+,title=one%3A tool-poisoning \(critical\)::", commands[0])
    line = int(re.search(r"line=(\d+)", commands[0])[1])
    assert "command" in (folder / "sealmark.yaml").read_text().splitlines()[line - 1]


def test_a_baseline_is_written_compared_with_and_not_replaced_by_a_regression(folder):
    configure(folder, toy="bell")
    call("--write-baseline", "base.json", "--format", "json", "--out", "run.json")
    before = (folder / "base.json").read_bytes()
    code, _, err = call("--baseline", "base.json", "--fail-on", "regressions", "--format", "json")
    assert "regression" not in err
    configure(folder, toy="terminal_escape")
    options = ["--baseline", "base.json", "--write-baseline", "base.json", "--fail-on", "regressions"]
    code, _, err = call(*options, "--format", "json")
    assert "regression: tool-poisoning in core: part → fail" in err
    assert code in (1, 3)
    assert (folder / "base.json").read_bytes() == before
