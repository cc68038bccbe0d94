"""What variables, flags and callers of the Python API give: read by the same table, each with its origin."""

from __future__ import annotations

from typing import Any

import click
import pytest

from sealmark.cli.options import given as given_params
from sealmark.cli.options import options_for, with_options
from sealmark.errors import ConfigError
from sealmark.settings import Settings
from sealmark.settings.arguments import chosen_layer
from sealmark.settings.environment import FromEnvironment, environment_layer
from sealmark.settings.flags import STAGES, FromFlags, flags_layer, parameter
from sealmark.settings.table import by_key, table
from sealmark.settings.types import plain


def of(read: FromEnvironment | FromFlags) -> Settings:
    assert read.problems == ()
    return Settings.of(read.layer)


def variables(**environ: str) -> Settings:
    return of(environment_layer(environ))


def flags(**given: Any) -> Settings:
    return of(flags_layer(given))


def says(read: FromEnvironment | FromFlags) -> list[str]:
    return [f"{origin}: {line}" for origin, line in read.problems]


def test_variables_are_read_by_type_and_nest_with_two_underscores() -> None:
    settings = variables(
        SEALMARK_PACKS="core, fs",
        SEALMARK_SANDBOX__DIR="/tmp/x",
        SEALMARK_TIMEOUTS__PROBE_SEC="2.5",
        SEALMARK_LIMITS__PAGES="7",
        SEALMARK_SANDBOX__ENABLED="no",
        SEALMARK_SERVER__COMMAND="node",
        SEALMARK_SERVER__ARGS="server.js,--port,8000",
        SEALMARK_SERVER__ENV__My_Var="v",
        SEALMARK_SERVER__HEADERS__X_API_KEY="k",
        SEALMARK_OUTPUT__FAIL_ON="regressions,drift",
        SEALMARK_CHECKS__FS_SIZE_CAP__ENABLED="false",
        SEALMARK_TIMEOUT_PROBE_SEC="",
    )
    assert settings["packs"] == ("core", "fs")
    assert settings["sandbox.dir"] == "/tmp/x"
    assert (settings["timeouts.probe_sec"], settings["limits.pages"]) == (2.5, 7)
    assert settings["sandbox.enabled"] is False
    assert settings["server.args"] == ("server.js", "--port", "8000")
    assert settings["server.env"] == {"My_Var": "v"}
    assert settings["server.headers"] == {"X_api_key": "k"}
    assert settings["output.fail_on"] == ("regressions", "drift")
    assert settings["checks.fs-size-cap.enabled"] is False
    assert str(settings.origin("server.env.My_Var")) == "variable SEALMARK_SERVER__ENV__My_Var"


def test_a_variable_can_be_an_alias_reset_a_value_or_hold_commas_as_json() -> None:
    settings = variables(SEALMARK_NAME="n", SEALMARK_PACKS="null", SEALMARK_SERVER__ARGS='["a,b", "c"]')
    assert settings["server.name"] == "n"
    assert settings["packs"] == Settings.standard()["packs"]
    assert settings["server.args"] == ("a,b", "c")


def test_variables_that_the_harness_gives_to_servers_are_not_settings() -> None:
    assert environment_layer({"SEALMARK_CANARY": "x", "SEALMARK_FAKE_API_KEY": "y", "OTHER": "z"}).problems == ()


@pytest.mark.parametrize(
    ("variable", "value", "line"),
    [
        ("SEALMARK_PACKS", "core,nope", "packs[1] must be one of core"),
        ("SEALMARK_SANDBOX__ENABLED", "maybe", "sandbox.enabled must be true or false, not 'maybe'"),
        ("SEALMARK_LIMITS__PAGES", "many", "limits.pages must be a whole number from 1 to 100000, not 'many'"),
        ("SEALMARK_SERVER__FILES", "x", "server.files is too large for a variable; set it in a file"),
        ("SEALMARK_ACTIVE", "1", "active can only be given on the command line: --active"),
        ("SEALMARK_OUTPUT__FAILUNDER", "B", "did you mean 'SEALMARK_OUTPUT__FAIL_UNDER'?"),
        ("SEALMARK_SERVER__ENV__A-B", "x", "server.env: 'A-B' is not the name of a variable"),
        ("SEALMARK_SERVER__ENV__", "x", "no setting has this variable"),
    ],
)
def test_a_wrong_variable_is_named(variable: str, value: str, line: str) -> None:
    (problem,) = says(environment_layer({variable: value}))
    assert problem.startswith(f"variable {variable}: ")
    assert line in problem


def test_older_variables_are_ignored_with_a_note() -> None:
    read = environment_layer({"SEALMARK_RETRIES__CALL": "3"})
    assert read.problems == ()
    assert len(read.notes) == 1


def test_every_setting_that_fits_a_line_has_a_variable_of_its_own() -> None:
    fitting = {row.key for row in table() if not row.flag_only and plain(row.type) and row.key != "schema_version"}
    named = [row.variable for row in table() if row.variable]
    assert {row.key for row in table() if row.variable} >= fitting
    assert len(set(named)) == len(named)


def test_flags_are_read_by_type() -> None:
    settings = flags(
        pack=("core,fs", "git"),
        timeout_probe="3",
        no_sandbox=True,
        embedded=False,
        upstream=True,
        scope_tool=("describe=table",),
        scope_allow=("a.b,c",),
        fail_under="b",
        active=True,
        format="json",
        out=None,
        unknown="left to the command",
    )
    assert settings["packs"] == ("core", "fs", "git")
    assert settings["timeouts.probe_sec"] == 3
    assert (settings["sandbox.enabled"], settings["db.embedded"], settings["active"]) == (False, False, True)
    assert settings["upstream.kind"] == "http"
    assert settings["scope.tools"] == ({"tool": "describe", "param": "table"},)
    assert settings["scope.allow"] == ("a.b,c",)
    assert settings["output.fail_under"] == "B"
    assert settings["output.formats"] == ("json",)
    assert str(settings.origin("sandbox.enabled")) == "flag --no-sandbox"
    assert str(settings.origin("db.embedded")) == "flag --no-embedded"


def test_start_header_bearer_and_env_set_the_server() -> None:
    settings = flags(
        start="my-server --name 'two words'", header=("X-Api-Key: ${KEY}", "accept:x"), bearer="${T}", env=("A", "B")
    )
    assert (settings["server.command"], settings["server.args"]) == ("my-server", ("--name", "two words"))
    assert settings["server.headers"] == {"X-Api-Key": "${KEY}", "Accept": "x", "Authorization": "Bearer ${T}"}
    assert settings["server.forward"] == ("A", "B")
    assert str(settings.origin("server.headers.Authorization")) == "flag --bearer"
    assert str(settings.origin("server.args")) == "flag --start"


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"start": "a 'b"}, "flag --start: a quote is not closed"),
        ({"start": " "}, "flag --start: the command line is empty"),
        ({"start": "A=1 b"}, "flag --start: A=… needs a shell"),
        ({"start": "a | b"}, "flag --start: '|' needs a shell"),
        ({"header": ("no colon",)}, "flag --header: a header is written as 'Name: value'"),
        ({"header": ("bad name: x",)}, "flag --header: server.headers: 'bad name' is not the name of an HTTP header"),
        (
            {"bearer": "a\nb"},
            "flag --bearer: server.headers.Authorization must be a text on one line, not what is given",
        ),
        ({"env": ("A B",)}, "flag --env: server.forward[0] must be the name of a variable"),
        ({"scope_tool": ("x",)}, "flag --scope-tool: scope.tools[0].param must not be empty"),
        ({"fail_under": "E"}, "flag --fail-under: output.fail_under must be one of A, B, C, D, F, none, not 'E'"),
        ({"url": "ftp://x"}, "flag --url: server.url must be a URL that begins with http:// or https://"),
    ],
)
def test_a_wrong_flag_is_named(given: dict[str, Any], line: str) -> None:
    problems = says(flags_layer(given))
    assert any(problem.startswith(line) for problem in problems), problems


def test_click_options_come_from_the_table_and_leave_out_what_was_not_given() -> None:
    @click.command()
    @with_options("run")
    def command(**params: Any) -> dict[str, Any]:
        return given_params(params)

    def parsed(*line: str) -> dict[str, Any]:
        return dict(command.main(list(line), standalone_mode=False) or {})

    assert parsed() == {}
    read = parsed("--pack", "core", "--pack", "fs", "--no-sandbox", "--active", "--env", "A", "--fail-under", "B")
    assert read == {"pack": ("core", "fs"), "no_sandbox": True, "active": True, "env": ("A",), "fail_under": "B"}
    assert flags(**parsed("--no-embedded", "--upstream"))["db.embedded"] is False


def test_shells_complete_the_words_of_a_choice_and_the_profiles() -> None:
    options = {option.opts[0]: option for option in options_for("run")}
    context = click.Context(click.Command("run"))

    def completed(flag: str, begun: str) -> list[str]:
        return [item.value for item in options[flag].shell_complete(context, begun)]

    assert completed("--profile", "st") == ["standard", "strict"]
    assert completed("--pack", "s") == ["sqlite", "scope", "sql-guard"]
    assert [item.type for item in options["--out-dir"].shell_complete(context, "")] == ["dir"]


def test_every_flag_of_the_table_is_an_option_of_run() -> None:
    names = {
        option for click_option in options_for("run") for option in (*click_option.opts, *click_option.secondary_opts)
    }
    wanted = {flag for row in table() if row.flag for flag in (row.flag.name, row.flag.off) if flag}
    assert wanted <= names
    assert {"--start", "--header", "--bearer", "--config", "--server"} <= names
    assert len([option.name for option in options_for("run")]) == len({option.name for option in options_for("run")})


def test_commands_take_the_flags_of_their_stages() -> None:
    def names(command: str) -> set[str]:
        return {option.opts[0] for option in options_for(command)}

    assert "--fail-under" not in names("plan")
    assert "--pack" in names("plan")
    assert "--start" not in names("regrade")
    assert "--fail-under" in names("regrade")
    assert all(names(command) for command in STAGES)


def test_options_explain_themselves() -> None:
    assert all(option.help for option in options_for("run"))
    assert parameter("--timeout-probe") == "timeout_probe"


def test_the_python_api_reads_its_arguments_by_the_same_table() -> None:
    layer = chosen_layer(
        start="node 'a b'", packs=["core"], settings={"timeouts.call_sec": 3, "server.env.A": "x", "limits.pages": None}
    )
    settings = Settings.of(layer)
    assert (settings["server.command"], settings["server.args"], settings["packs"]) == ("node", ("a b",), ("core",))
    assert settings["server.env"] == {"A": "x"}
    assert str(settings.origin("timeouts.call_sec")) == "setting timeouts.call_sec"
    with pytest.raises(ConfigError) as caught:
        chosen_layer(settings={"timeouts.cal_sec": 3, "limits.pages": "x"})
    assert len(caught.value.problems) == 2
    assert "did you mean 'timeouts.call_sec'" in caught.value.problems[0]


def test_active_and_yes_come_only_from_the_command_line() -> None:
    assert {row.key for row in by_key().values() if row.flag_only} == {"active", "yes"}
