"""Plugins: imported only when named, checked, hashed, part of the run's hash, and named when they are missing."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from sealmark.cli import root
from sealmark.configfile import load
from sealmark.errors import ConfigError, SealmarkError
from sealmark.plugins import Plugins, named_plugins

SERVERS = Path(__file__).with_name("servers.py")
START = shlex.join([sys.executable, str(SERVERS), "many", "{sandbox}"])

CHECK = '''
"""Echo answers.

Why: it should.

How: one call.

When it can be wrong: never.
"""
from sealmark.check import Check, Pack, Rule, call

RULES = (
    Rule("echoed", "pass", "It came back."),
    Rule("silent", "fail", "It did not come back.", "Mend it."),
)

def plan(target):
    for tool in target.surface_tools:
        if tool.name == "echo":
            text = target.setting("checks.{id}.text", "hello")
            yield target.probe("attack", "one", call(tool, {{"text": text}}), tool=tool.name)

def judge(seen):
    worked = seen.attacks.where(lambda outcome: outcome.worked)
    return seen.decide("echoed" if worked else "silent", seen.attacks)

CHECK = Check(id="{id}", revision=3, title="Echo", question="Does it echo?", page=__doc__, rules=RULES, plan=plan,
              judge=judge, settings=("checks.{id}.text",))
'''
OWN_PACK = CHECK + '\nPACKS = (Pack("{id}-pack", "Ours", "Is it ours?", lambda target: (True, "always"), (CHECK,)),)\n'
JOINING = CHECK + '\nCHECKS = (("core", CHECK),)\n'


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(sys, "path", list(sys.path))


def plugin(name: str, source: str = OWN_PACK) -> None:
    Path(f"{name}.py").write_text(source.format(id=name.replace("_", "-")))


def sealmark(*line: str) -> Result:
    return CliRunner().invoke(root, list(line), catch_exceptions=False)


def run(*flags: str) -> dict[str, Any]:
    result = sealmark("run", "--start", START, "--format", "json", *flags)
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def verdict(record: dict[str, Any], check: str, number: int = -1) -> dict[str, Any]:
    (found,) = [entry for entry in record["judgements"][number]["verdicts"] if entry["check"] == check]
    return dict(found)


def mistakes(text: str) -> tuple[str, ...]:
    Path("sealmark.yaml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        load(environ={})
    return caught.value.problems


def test_a_plugins_own_pack_runs_makes_the_run_custom_and_enters_the_hash() -> None:
    plugin("first_plugin")
    Path("sealmark.yaml").write_text("plugins: first_plugin\npacks: [core]\n")
    record = run()
    assert verdict(record, "first-plugin")["rule"] == "echoed"
    integrity = record["judgements"][0]["integrity"]
    assert "plugin first_plugin" in [difference["key"] for difference in integrity["differences"]]
    assert list(record["gathered"]["facts"]["plugins"]) == ["first_plugin"]
    shown = json.loads(sealmark("config", "show", "--json", "--start", START).stdout)["integrity"]
    assert shown["hash"] == integrity["hash"]
    assert [difference["key"] for difference in shown["diff"]] == [row["key"] for row in integrity["differences"]]

    Path("first_plugin.py").write_text(Path("first_plugin.py").read_text() + "# changed\n")
    sys.modules.pop("first_plugin")
    again = json.loads(sealmark("config", "show", "--json", "--start", START).stdout)["integrity"]
    assert again["hash"] != shown["hash"]


def test_settings_of_a_plugins_check_are_read_from_the_file() -> None:
    plugin("second_plugin")
    text = "plugins: [second_plugin]\npacks: [core]\nchecks: {second-plugin: {text: adieu, severity: advisory}}\n"
    Path("sealmark.yaml").write_text(text)
    record = run()
    (probe,) = [probe for probe in record["gathered"]["probes"] if probe["check"] == "second-plugin"]
    assert probe["steps"][0]["arguments"] == {"text": "adieu"}
    (entry,) = [row for row in record["judgements"][0]["catalogue"] if row["check"] == "second-plugin"]
    assert (entry["severity"], entry["lifecycle"], entry["revision"]) == ("advisory", "custom", 3)
    shown = yaml.safe_load(sealmark("config", "show").stdout)["plugin_checks"]
    assert shown == {"second-plugin.text": "adieu", "second-plugin.severity": "advisory"}

    Path("sealmark.yaml").write_text(text.replace("text: adieu", "enabled: false"))
    assert verdict(run(), "second-plugin")["rule"] == "disabled"


def test_what_show_prints_of_a_plugins_settings_loads_again() -> None:
    plugin("shown_plugin")
    Path("sealmark.yaml").write_text("plugins: [shown_plugin]\nchecks: {shown-plugin: {text: 'a: b'}}\n")
    shown = sealmark("config", "show").stdout
    Path("sealmark.yaml").write_text(shown)
    assert yaml.safe_load(sealmark("config", "show").stdout) == yaml.safe_load(shown)
    assert yaml.safe_load(shown)["plugin_checks"] == {"shown-plugin.text": "a: b"}


def test_a_regrade_without_the_plugin_says_so_and_with_it_judges_again() -> None:
    plugin("third_plugin")
    Path("sealmark.yaml").write_text("plugins: [third_plugin]\npacks: [core]\n")
    Path("run.json").write_text(json.dumps(run()))

    without = sealmark("regrade", "run.json", "--format", "json")
    assert "the plugin third_plugin is not loaded" in without.stderr
    judged = json.loads(without.stdout)
    assert (verdict(judged, "third-plugin")["tag"], verdict(judged, "third-plugin")["rule"]) == (
        "inconclusive",
        "plugin-missing",
    )
    assert verdict(judged, "third-plugin", 0)["rule"] == "echoed"

    with_it = sealmark("regrade", "run.json", "--format", "json", "--plugin", "third_plugin")
    assert "not loaded" not in with_it.stderr
    assert verdict(json.loads(with_it.stdout), "third-plugin")["rule"] == "echoed"


def test_a_record_never_makes_anything_be_imported() -> None:
    plugin("fourth_plugin")
    Path("sealmark.yaml").write_text("plugins: [fourth_plugin]\npacks: [core]\n")
    Path("run.json").write_text(json.dumps(run()))
    sys.modules.pop("fourth_plugin")
    Path("fourth_plugin.py").write_text("raise SystemExit('imported')\n")
    Path("sealmark.yaml").unlink()
    assert sealmark("regrade", "run.json").exit_code == 0
    assert sealmark("verify", "run.json").exit_code in (0, 1)
    assert "fourth_plugin" not in sys.modules


def test_a_module_that_nobody_names_is_not_imported() -> None:
    Path("fifth_plugin.py").write_text("raise SystemExit('imported')\n")
    Path("sealmark.yaml").write_text("server: {command: x}\n")
    load(environ={})
    assert "fifth_plugin" not in sys.modules


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (None, "is not installed; install it, or put it beside the configuration"),
        ("import not_there_at_all\n", "needs the module 'not_there_at_all', which is not installed"),
        ("1 / 0\n", "fails when it is imported: ZeroDivisionError"),
        ("X = 1\n", "exports neither PACKS (packs) nor CHECKS"),
        ("PACKS = {{1: 2}}\n", "exports PACKS that are no tuple"),
        ("PACKS = (1,)\n", "exports a pack that cannot be used"),
        ("CHECKS = (1,)\n", "exports CHECKS that are no pairs"),
        ("CHECKS = (('core', 1),)\n", "exports a check that cannot be used"),
        (CHECK + "CHECKS = (('no-such-pack', CHECK),)\n", "adds a check to the pack 'no-such-pack'"),
        (
            CHECK.replace('Check(id="{id}"', 'Check(id="protocol"') + "CHECKS = (('core', CHECK),)\n",
            "of that id already",
        ),
        (OWN_PACK.replace("{id}-pack", "fs"), "its id is taken"),
    ],
)
def test_each_mistake_of_a_plugin_is_one_line_with_its_position(
    request: pytest.FixtureRequest, source: str | None, says: str
) -> None:
    name = f"bad_{abs(hash(request.node.name)) % 10**8}"
    if source is not None:
        plugin(name, source)
    (line,) = mistakes(f"name: x\nplugins: [{name}]\n")
    assert line.startswith(f"sealmark.yaml:2:11: the plugin '{name}' ")
    assert says in line


def test_settings_of_no_check_are_mistakes_even_with_plugins() -> None:
    plugin("sixth_plugin")
    head = "plugins: [sixth_plugin]\n"
    assert mistakes(head + "checks:\n  sixth-plugn: {text: a}\n") == (
        "sealmark.yaml:3:23: no check 'sixth-plugn', neither here nor in a plugin; did you mean 'sixth-plugin'?",
    )
    (line,) = mistakes(head + "checks:\n  sixth-plugin: {txt: a}\n")
    assert "sixth-plugin has no setting 'txt'; did you mean 'text'?" in line
    (line,) = mistakes(head + "checks:\n  sixth-plugin: {severity: grave}\n")
    assert line.endswith("checks.sixth-plugin.severity must be critical, scored or advisory")
    (line,) = mistakes("checks:\n  sixth-plugin: {text: a}\n")
    assert "unknown key 'sixth-plugin' in checks" in line


def test_a_name_that_is_no_module_is_refused_before_python_sees_it() -> None:
    for name in ("../evil", "os; import x", "", "a b"):
        with pytest.raises(SealmarkError, match="is no name of a module"):
            named_plugins([name])


def test_a_package_is_hashed_whole() -> None:
    Path("big_plugin").mkdir()
    Path("big_plugin/__init__.py").write_text("from big_plugin.inner import PACKS\n")
    Path("big_plugin/inner.py").write_text(OWN_PACK.format(id="big"))
    first = named_plugins(["big_plugin"]).digests["big_plugin"]
    Path("big_plugin/inner.py").write_text(OWN_PACK.format(id="big") + "#\n")
    assert named_plugins(["big_plugin"]).digests["big_plugin"] != first


@pytest.mark.skipif(not Plugins().packs, reason="this build has no pack that a check could join")
def test_a_check_joins_a_pack_of_this_build() -> None:
    plugin("seventh_plugin", JOINING)
    Path("sealmark.yaml").write_text("plugins: [seventh_plugin]\npacks: [core]\n")
    assert verdict(run(), "seventh-plugin")["pack"] == "core"
