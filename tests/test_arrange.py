"""How a server is started from settings: relative names, forwarded variables, staged files; what fits the server."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from sealmark.arrange import launch_of, rooted, staged_files
from sealmark.bench import Bench, Launch
from sealmark.cli import root
from sealmark.configfile import load
from sealmark.errors import ConfigError, UsageError
from sealmark.settings.arguments import chosen_layer

SERVERS = Path(__file__).with_name("servers.py")
START = shlex.join([sys.executable, str(SERVERS), "many", "{sandbox}"])


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))
    monkeypatch.delenv("CI", raising=False)


def sealmark(*line: str) -> Result:
    return CliRunner().invoke(root, list(line), catch_exceptions=False)


def write(text: str) -> None:
    Path("sealmark.yaml").write_text(text)


def record_of(*flags: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(sealmark("run", "--format", "json", *flags).stdout)
    return found


# -- names relative to the configuration


def test_scripts_and_programs_are_found_beside_the_configuration(tmp_path: Path) -> None:
    for name in ("server.py", "bin/tool", "pkg/x"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).touch()
    here = str(tmp_path)
    for given, wanted in {
        "python server.py server.py": f"python {here}/server.py server.py",
        "./bin/tool bin/tool": f"{here}/bin/tool bin/tool",
        "uv run --directory ./pkg server.py": f"uv run --directory {here}/pkg {here}/server.py",
        "npx ./pkg pkg": f"npx {here}/pkg pkg",
        "npx pkg": "npx pkg",
        "python absent.py": "python absent.py",
        "tool server.py": "tool server.py",
        "python {sandbox}/server.py": "python {sandbox}/server.py",
    }.items():
        assert " ".join(rooted(given.split(), tmp_path)) == wanted


def test_a_relative_script_starts_in_a_sandbox() -> None:
    Path("mine.py").write_bytes(SERVERS.read_bytes().replace(b"__file__", repr(str(SERVERS)).encode()))
    result = sealmark("inventory", "--start", f"{sys.executable} mine.py many {{sandbox}}")
    assert result.exit_code == 0
    assert "tools: 8" in result.stdout


def test_the_configurations_own_directory_counts_not_the_working_one(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("elsewhere").mkdir()
    Path("elsewhere/server.py").touch()
    Path("elsewhere/sealmark.yaml").write_text("server: {command: python, args: [server.py]}\n")
    settings = load("elsewhere/sealmark.yaml", environ={}).base
    assert launch_of(settings, {}).argv == ("python", str(Path("elsewhere/server.py").absolute()))


def test_with_a_directory_of_its_own_the_server_finds_its_script_there() -> None:
    Path("app").mkdir()
    write("server: {command: python, args: [server.py], cwd: app}\n")
    launch = launch_of(load(environ={}).base, {})
    assert (launch.argv, launch.cwd) == (("python", "server.py"), str(Path("app").absolute()))


# -- variables


def test_a_variables_value_is_never_read_as_a_placeholder() -> None:
    write("server: {command: x, args: ['${ODD}', '{sandbox}'], env: {A: '${ODD}'}}\n")
    launch = launch_of(load(environ={}).base, {"ODD": "{sandbox}{dsn}"})
    values = {"sandbox": "/s"}
    assert launch.placeholders == {"sandbox"}
    assert launch.arguments(values) == ("x", "{sandbox}{dsn}", "/s")
    assert launch.environment(values, {}, {})["A"] == "{sandbox}{dsn}"


def test_values_of_the_local_file_fill_in_where_the_environment_has_none() -> None:
    write("server: {command: x, args: ['${ONE}', '${TWO}']}\n")
    Path("sealmark.local.yaml").write_text("variables: {ONE: local-one, TWO: local-two}\n")
    settings = load(environ={}).base
    assert launch_of(settings, {"TWO": "outer"}).argv == ("x", "local-one", "outer")
    with pytest.raises(ConfigError, match="THREE"):
        launch_of(settings.replace({"server.args": ["${THREE}"]}), {})


def test_values_written_into_the_project_file_are_warned_of() -> None:
    write("server: {command: x}\nvariables: {TOKEN: abcdefgh}\n")
    (line,) = load(environ={}).warnings
    assert line.startswith("sealmark.yaml:2:20: variables.TOKEN is written out; move it to sealmark.local.yaml")


def test_forwarded_variables_reach_the_server_as_they_are_even_its_home() -> None:
    settings = load(environ={}, flags={"start": "x", "env": ["MINE", "HOME"]}, look=False).base
    launch = launch_of(settings, {"MINE": "{sandbox}", "HOME": "/home/me", "OTHER": "o"})
    found = launch.environment({}, {"MINE": "{sandbox}", "HOME": "/home/me", "OTHER": "o"}, {"HOME": "/box"})
    assert {name: found.get(name) for name in ("MINE", "HOME", "OTHER")} == {
        "MINE": "{sandbox}",
        "HOME": "/home/me",
        "OTHER": None,
    }


def test_the_time_to_end_reaches_the_launch() -> None:
    given = chosen_layer(start="x", settings={"timeouts.shutdown_sec": 0.25})
    settings = load(chosen=given, look=False, environ={}).one().settings
    assert launch_of(settings, {}).shutdown_sec == 0.25


def test_a_forwarded_variable_that_is_not_set_is_an_error_that_names_it() -> None:
    write("server: {command: x, forward: [PATH, GONE]}\n")
    with pytest.raises(ConfigError) as caught:
        launch_of(load(environ={}).base, {"PATH": "/bin"})
    assert caught.value.problems == ("sealmark.yaml:1:38: the variable GONE is to be passed on and is not set",)
    assert caught.value.code == "ENV_MISSING"


def test_staged_files_hold_variables_and_placeholders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODE", "{quick}")
    write(
        f"server:\n  command: {sys.executable}\n  args: [{SERVERS}, many, '{{sandbox}}']\n"
        "  files: [{path: '{sandbox}/conf/app.ini', content: \"mode=${MODE} root={sandbox}\"}]\n"
    )
    settings = load(environ={}).base
    assert staged_files(settings, {"MODE": "{quick}"}) == (("{sandbox}/conf/app.ini", "mode={quick} root={sandbox}"),)
    Path("boxes").mkdir()
    sealmark("run", "--keep-sandbox", "--sandbox-dir", str(Path("boxes").absolute()), "--pack", "core")
    (staged, *_) = Path("boxes").glob("*/sandbox/conf/app.ini")
    assert staged.read_text() == f"mode={{quick}} root={staged.parents[1].absolute()}"


def test_a_staged_file_with_a_placeholder_that_nothing_stands_for_is_refused() -> None:
    bench = Bench(Launch(("x",)), {}, ("core",), files=(("{sandbox}/a", "{upstream}"),))
    with pytest.raises(UsageError, match=r"nothing stands for \{upstream\}"), bench:
        pass
    assert not any(map(os.path.exists, bench.paths))


# -- what the configuration says of tools and cases


def test_an_override_that_cannot_be_used_is_an_error_with_its_position() -> None:
    write("tools:\n  overrides:\n    echo: {class: path, params: {path: nothing}}\n    ecko: {class: text}\n")
    with pytest.raises(ConfigError) as caught:
        sealmark("run", "--start", START)
    (line,) = caught.value.problems
    assert line.startswith("sealmark.yaml:3:11: tools.overrides.echo: ")
    assert "params: {path: NAME}" in line
    write("tools:\n  overrides:\n    echo: {class: path}\n    ecko: {class: text}\n")
    record = record_of("--start", START, "--pack", "core")
    (entry,) = [row for row in record["gathered"]["classified"] if row["tool"] == "echo"]
    assert (entry["cls"], entry["overridden"]) == ("path", True)
    assert any("ecko: the server lists no such tool; did you mean 'echo'?" in w for w in record["gathered"]["warnings"])


def test_declared_sql_and_scope_tools_must_be_there() -> None:
    write("sql_tools: [{tool: ech, arg: sql}]\nscope: {tools: [{tool: echo, param: txt}], allow: [a]}\n")
    with pytest.raises(ConfigError) as caught:
        sealmark("plan", "--start", START)
    assert [line.partition(": ")[2] for line in caught.value.problems] == [
        "sql_tools[0]: the server lists no tool 'ech'; did you mean 'echo'?",
        "scope.tools[0]: the tool 'echo' takes no text as 'txt'; did you mean 'text'?",
    ]


ADDED = """\
packs: [core]
corpus:
  remove: [robust-input/deep-nesting]
  add:
  - check: robust-input
    id: of-mine
    why: a case of mine
    data: {of: server, name: no-such-tool, arguments: {list: [1, "{sandbox}"]}}
"""


def test_cases_are_added_and_removed_in_the_plan_and_when_judged_again() -> None:
    before = record_of("--start", START, "--pack", "core")
    assert "deep-nesting" in {probe.get("case") for probe in before["gathered"]["probes"]}
    write(ADDED)
    record = record_of("--start", START)
    probes = {probe.get("case"): probe for probe in record["gathered"]["probes"]}
    assert "deep-nesting" not in probes
    assert probes["of-mine"]["steps"][0]["arguments"] == {"list": [1, "{sandbox}"]}
    keys = {difference["key"] for difference in record["judgements"][0]["integrity"]["differences"]}
    assert {"corpus.add", "corpus.remove"} <= keys
    Path("run.json").write_text(json.dumps(record))
    Path("sealmark.yaml").unlink()
    again = json.loads(sealmark("regrade", "run.json", "--format", "json").stdout)
    first, second = (
        next(entry for entry in judgement["verdicts"] if entry["check"] == "robust-input")
        for judgement in again["judgements"]
    )
    assert first == second
    assert again["judgements"][0]["integrity"] == again["judgements"][1]["integrity"]


def test_mistakes_about_cases_are_told_before_anything_starts() -> None:
    write(
        "server: {command: no-such-program}\n"
        "corpus:\n"
        "  remove: [robust-inptu/x, robust-input/x]\n"
        "  add:\n"
        "  - {check: nothing, id: a, why: because}\n"
        "  - {check: robust-input, id: a, why: because}\n"
    )
    with pytest.raises(ConfigError) as caught:
        sealmark("run")
    lines = [line.partition(": ")[2] for line in caught.value.problems]
    assert lines[0] == "corpus.remove: no check 'robust-inptu'; did you mean 'robust-input'?; write it as check/case"
    assert lines[1].startswith("corpus.remove: robust-input has no case 'x'")
    assert lines[2].startswith("corpus.add: no check 'nothing'")
    assert lines[3].startswith("corpus.add: the case 'a' lacks ")
    assert os.path.isfile("sealmark.yaml")


def test_what_the_user_says_is_not_covered_stands_in_the_report() -> None:
    write("not_covered: {extra: ['the billing tools, which need a contract']}\npacks: [core]\n")
    shown = " ".join(sealmark("run", "--start", START).stdout.split())
    assert "- the billing tools, which need a contract" in shown


# -- --start beside a file


def test_flags_lie_over_the_file_and_its_environment_is_told_of() -> None:
    write("name: ours\nserver:\n  command: x\n  env: {API: '1'}\npacks: [core]\n")
    result = sealmark("config", "show", "--start", START)
    assert "packs: [core]" in result.stdout
    assert "server.name, server.env of the file: also for the command of --start; --no-config" in result.stderr
    without = sealmark("config", "show", "--start", START, "--no-config")
    assert "API" not in without.stdout
    assert "--no-config" not in without.stderr


def test_several_servers_in_the_file_and_a_command_line_exclude_each_other() -> None:
    write("servers:\n  one: {command: x}\n")
    with pytest.raises(ConfigError, match="gives a server beside servers"):
        sealmark("run", "--start", START)
    assert sealmark("config", "show", "--start", START, "--no-config").exit_code == 0


def test_config_and_no_config_exclude_each_other() -> None:
    write("name: x\n")
    result = CliRunner().invoke(root, ["config", "show", "--config", "sealmark.yaml", "--no-config"])
    assert "exclude each other" in str(result.exception)


def test_one_server_that_cannot_be_tried_does_not_stop_the_others() -> None:
    write(
        f"servers:\n  odd: {{command: {sys.executable}, args: [{SERVERS}, many], tools: {{overrides: "
        "{echo: {class: path, params: {path: nothing}}}}}\n"
        f"  good: {{command: {sys.executable}, args: [{SERVERS}, modern_only]}}\n"
        "packs: [core]\n"
    )
    result = CliRunner().invoke(root, ["run", "--format", "json"], standalone_mode=False)
    runs = {run["gathered"]["server"]["name"]: run for run in json.loads(result.stdout)["runs"]}
    assert list(runs) == ["odd", "good"]
    assert (runs["odd"]["status"], runs["odd"]["failure"]["code"]) == ("failed", "CONFIG_INVALID")
    assert "tools.overrides.echo" in runs["odd"]["failure"]["message"]
    assert runs["good"]["status"] == "complete"
    assert result.return_value == 4


# -- the documentation


def test_what_the_page_on_configuration_shows_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    from sealmark.arrange import corpus_problems
    from sealmark.packs import PACKS

    page = (SERVERS.parents[1] / "docs/configuration.md").read_text()
    plugin = Path(__file__).with_name("test_plugins.py").read_text()
    source = plugin.partition("OWN_PACK = ")[0].partition("CHECK = '''")[2].partition("'''")[0]
    Path("our_checks.py").write_text(source.format(id="our-check") + "CHECKS = (('core', CHECK),)\n")
    monkeypatch.setattr(sys, "path", list(sys.path))
    blocks = [textwrap.dedent(block) for block in re.findall(r"(?:^    .*\n|^\n)+", page, re.MULTILINE)]
    shown = [block for block in blocks if block.strip()]
    assert len(shown) == 4
    for block in shown:
        body = yaml.safe_load(block)
        write(block if "server" in body else f"server: {{command: x}}\n{block}")
        if "variables" in body:
            Path("sealmark.yaml").rename("sealmark.local.yaml")
            write("server: {command: x}\n")
        loaded = load(environ={"MY_API_KEY": "value"})
        assert [line for line in loaded.warnings if "placeholder" in line] == []
        assert corpus_problems(loaded.base, PACKS) == []
