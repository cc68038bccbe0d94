# ruff: noqa: E501  (a table of messages is read line by line)
"""Configuration files: every mistake with its position, seven layers with their origins, bounded parsing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealmark.configfile import MAX_BYTES, Loaded, load, migrate_file
from sealmark.errors import ConfigError, UsageError
from sealmark.settings.combine import OWN_DATABASE
from sealmark.settings.document import MAX_DEPTH, MAX_NODES, parse
from sealmark.settings.integrity import assess, header
from sealmark.settings.layers import Layer
from sealmark.settings.show import as_yaml, first_line

NOWHERE = {"HOME": "/nonexistent"}


@pytest.fixture(autouse=True)
def _in_a_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(text: str, name: str = "sealmark.yaml") -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, "utf-8")


def loaded(text: str, flags: Mapping[str, Any] | None = None, **environ: str) -> Loaded:
    write(text)
    return load(environ={**NOWHERE, **environ}, flags=flags)


def mistakes(text: str, flags: Mapping[str, Any] | None = None, **environ: str) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        loaded(text, flags, **environ)
    assert caught.value.exit_code == 2
    return caught.value.problems


TEN_MISTAKES = """\
servr:
  command: npx
server:
  command: npx
  command: node
  args: "one"
  env: {"MY KEY": x}
timeouts:
  probe_sec: 0
packs: [core, filesystm]
notCovered: {extra: [a sentence]}
output:
  fail_on: [drfit]
servers:
  other: {command: x}
sql_tools:
  - {tool: query}
"""


def test_ten_mistakes_give_ten_errors_with_positions_at_once() -> None:
    packs = "core, db, sqlite, fs, git, net, http, effects, exec, inject, scope, sql-guard, upstream, custom"
    expected = (
        "sealmark.yaml:1:1: unknown key 'servr'; did you mean 'server'?",
        "sealmark.yaml:3:1: server and servers (at sealmark.yaml:14:1) exclude each other; keep one",
        "sealmark.yaml:5:3: the key 'command' stands here twice (first in line 4)",
        "sealmark.yaml:6:9: server.args must be a list of texts, not 'one'",
        "sealmark.yaml:7:9: server.env: 'MY KEY' is not the name of a variable (letters, digits and _)",
        "sealmark.yaml:9:14: timeouts.probe_sec must be a number from 0.1 to 3600, not 0",
        f"sealmark.yaml:10:15: packs[1] must be one of {packs}, not 'filesystm'",
        "sealmark.yaml:11:1: unknown key 'notCovered'; did you mean 'not_covered'?",
        "sealmark.yaml:13:13: output.fail_on[0] must be one of any, regressions, drift, not 'drfit'; "
        "did you mean 'drift'?",
        "sealmark.yaml:17:5: sql_tools[0] needs the key 'arg': its argument that takes SQL",
    )
    assert mistakes(TEN_MISTAKES) == expected
    assert len(expected) == 10


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("active: true\n", "sealmark.yaml:1:1: active can only be given on the command line: --active"),
        ("server.command: x\n", "sealmark.yaml:1:1: unknown key 'server.command'; write it nested: server: {command: …}"),
        ("command: x\n", "sealmark.yaml:1:1: unknown key 'command'; did you mean 'server.command'?"),
        ("tools: all\n", "sealmark.yaml:1:8: tools groups settings; write it as a mapping with include, exclude, overrides, …"),
        ("checks:\n  fs-sizecap: {enabled: false}\n", "sealmark.yaml:2:3: unknown key 'fs-sizecap' in checks; did you mean 'fs-size-cap'?"),
        ("checks: {fs-size-cap: {enabled: maybe}}\n", "sealmark.yaml:1:33: checks.fs-size-cap.enabled must be true or false, not 'maybe'"),
        ("output: {formats: text, format: json}\n", "sealmark.yaml:1:25: output.format sets output.formats again (first at sealmark.yaml:1:10); keep one"),
        ("server: {command: x, cwdd: y}\n", "sealmark.yaml:1:22: unknown key 'cwdd' in server; did you mean 'cwd'?"),
        ("schema_version: 99\n", "sealmark.yaml:1:17: schema_version 99 is newer than this build reads (1); pip install -U sealmark"),
        ("- a\n", "sealmark.yaml:1:1: the file must be a mapping of settings, like `server:` and under it `command: …`"),
        ("a: [\n", "sealmark.yaml:2:1: not YAML: expected the node content, but found '<stream end>' while parsing a flow node"),
        ("name: !!python/object:os.system x\n", "sealmark.yaml:1:7: the tag '!!python/object:os.system' is not allowed here"),
        ("name: a\n---\nname: b\n", "sealmark.yaml:3:1: a second document begins; keep one"),
        ("name: \"a\\0b\"\n", "sealmark.yaml:1:7: name must not hold a NUL"),
        ("servers: [a]\n", "sealmark.yaml:1:10: servers must be a mapping: a name, and under it one server"),
        ("servers: {a: {output: {out: x}, command: y}}\n", "sealmark.yaml:1:24: output.out cannot be set in an entry of servers; set it at the top of the file"),
        ("profiles: {mine: {server: {command: x}}}\n", "sealmark.yaml:1:28: server.command cannot be set in the profile 'mine'; set it at the top of the file"),
        ("profile: strct\n", "sealmark.yaml:1:10: no profile 'strct'; did you mean 'strict'? Known: standard, quick, ci, strict, paranoid. `sealmark config profiles` says what each changes."),
        ("profiles: {a: {extends: b}, b: {extends: a}}\n", "sealmark.yaml:1:25: profiles extend each other in a circle: a -> b -> a. Let one of them extend standard."),
    ],
)  # fmt: skip
def test_each_mistake_says_where_it_is_and_what_to_type(text: str, line: str) -> None:
    assert line in mistakes(text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("server: {url: 'http://h/mcp', files: [{path: '{sandbox}/a', content: x}]}\n", "sealmark.yaml:1:38: server.files needs a server that sealmark starts; add `command:` beside `url:`, or remove files"),
        ("server: {command: x, files: [{path: '{sandbox}/../a', content: x}]}\n", "sealmark.yaml:1:29: server.files[0].path must stay in the sandbox; write {sandbox}/… without .., not '{sandbox}/../a'"),
        ("server: {command: x, files: [{path: '{dir}/a', content: '{dsn}'}]}\n", "sealmark.yaml:1:29: server.files[0].content cannot hold {dsn}: a file is the same for every database role; pass the connection through args or env"),
        ("server: {command: x, files: [{path: '{dir}/a', content: x}]}\nsandbox: {enabled: false}\n", "sealmark.yaml:1:29: server.files are written into the sandbox, which is off (sealmark.yaml:2:20); remove one of the two"),
        ("server: {args: [x]}\n", "sealmark.yaml:1:16: server.args needs server.command; add `command:` beside `args:`, or use --start"),
        ("server: {command: x, headers: {A: b}}\n", "sealmark.yaml:1:35: server.headers needs server.url; add `url:` or use --url"),
        ("server: {command: x, args: ['{upstream}']}\n", "sealmark.yaml:1:28: {upstream} needs `upstream: {kind: http}` (or --upstream)"),
        ("server: {command: x}\nupstream: {kind: http}\n", "sealmark.yaml:2:18: upstream.kind starts a stub that the server never hears of; give it {upstream} in args or env"),
        ("output: {out: x, formats: [json, text]}\n", "sealmark.yaml:1:15: one file cannot hold 2 formats; use --out-dir DIR"),
        ("db: {pg: 'postgres://u:p@h/d'}\n", f"sealmark.yaml:1:10: {OWN_DATABASE}"),
        ("probes: [{tool: t, args: {q: '{bearer}'}}]\n", "sealmark.yaml:1:10: probes[0] cannot hold {bearer}; `identity:` picks the caller"),
    ],
)  # fmt: skip
def test_impossible_combinations_name_the_value_at_fault(text: str, line: str) -> None:
    assert mistakes(text) == (line,)


def test_command_and_url_must_come_from_the_same_place() -> None:
    both = "server: {command: x, url: 'http://127.0.0.1:1/mcp'}\n"
    assert loaded(both).one().settings["server.url"] == "http://127.0.0.1:1/mcp"
    assert loaded("", flags={"start": "x y", "url": "http://h/mcp"}).one().settings["server.args"] == ("y",)
    (line,) = mistakes("server: {command: x}\n", flags={"url": "http://h/mcp"})
    assert line.startswith("flag --url: server.command (sealmark.yaml:1:19) and server.url (flag --url) must come from")


def test_what_fails_on_a_comparison_needs_a_baseline_when_it_is_asked_for() -> None:
    assert loaded("output: {fail_on: [any, drift]}\n").base["output.fail_on"] == ("any", "drift")
    assert mistakes("", flags={"fail_on": ("drift",)}) == (
        "flag --fail-on: fail_on drift needs an earlier report; give --baseline FILE",
    )


def test_mistakes_of_variables_and_flags_come_with_those_of_files() -> None:
    lines = mistakes(
        "servr: {}\n", flags={"timeout_probe": "soon", "start": "a && b"}, SEALMARK_PAKCS="core", SEALMARK_ACTIVE="1"
    )
    assert lines == (
        "sealmark.yaml:1:1: unknown key 'servr'; did you mean 'server'?",
        "variable SEALMARK_ACTIVE: active can only be given on the command line: --active",
        "variable SEALMARK_PAKCS: no setting has this variable; did you mean 'SEALMARK_PACKS'?",
        "flag --timeout-probe: timeouts.probe_sec must be a number from 0.1 to 3600, not 'soon'",
        "flag --start: '&&' needs a shell, and none is used; write --start \"sh -c '…'\"",
    )


def test_a_secret_value_of_the_wrong_type_is_not_printed() -> None:
    lines = mistakes("identities: {a: {x: s3cret-value}}\nserver: {url: 'http://h', headers: {A: [hunter2hunter2]}}\n")
    assert len(lines) == 2
    assert not any("s3cret" in line or "hunter2" in line for line in lines)


SEVEN = {
    "user/sealmark/config.yaml": "timeouts: {connect_sec: 11}\n",
    "sealmark.yaml": """\
profile: mine
profiles:
  mine: {extends: quick, doc: Ours., timeouts: {pack_sec: 77}}
server:
  command: node
  env: {TOKEN: "${TOKEN}"}
tools: {exclude: ["admin_*"]}
""",
    "sealmark.local.yaml": "server: {env: {HOST_DIR: /srv/private/data}}\ntools: {exclude: ['local_*']}\n",
}


def seven_layers() -> Loaded:
    for name, text in SEVEN.items():
        write(text, name)
    environ = {"XDG_CONFIG_HOME": "user", "SEALMARK_TIMEOUTS__CALL_SEC": "44", "TOKEN": "tok-123456789"}
    return load(environ=environ, flags={"timeout_probe": "3"})


def test_every_value_of_seven_layers_has_its_origin() -> None:
    settings = seven_layers().one().settings
    origins = {
        "limits.pages": "default",
        "checks.net-caps.enabled": "profile quick",
        "timeouts.pack_sec": "profile mine (sealmark.yaml:3:59)",
        "timeouts.connect_sec": "user/sealmark/config.yaml:1:25",
        "server.command": "sealmark.yaml:5:12",
        "server.env.HOST_DIR": "sealmark.local.yaml:1:26",
        "timeouts.call_sec": "variable SEALMARK_TIMEOUTS__CALL_SEC",
        "timeouts.probe_sec": "flag --timeout-probe",
    }
    assert {key: str(settings.origin(key)) for key in origins} == origins
    assert [str(origin) for origin in settings.origins("tools.exclude")] == [
        "sealmark.yaml:7:19",
        "sealmark.local.yaml:2:19",
    ]
    assert (settings["timeouts.pack_sec"], settings["timeouts.connect_sec"]) == (77, 11)
    assert (settings["timeouts.call_sec"], settings["timeouts.probe_sec"]) == (44, 3)


def test_the_first_line_of_show_agrees_with_the_header_of_the_run() -> None:
    integrity = assess(seven_layers().base)
    count = len(integrity.differences)
    assert header(integrity) == f"CUSTOM (not the published methodology: {count} differences)"
    assert first_line(integrity).startswith(f"# CUSTOM: {count} settings differ from the standard profile: ")
    Path("sealmark.local.yaml").unlink()
    standard = assess(loaded("server: {command: x}\n").base)
    assert (header(standard), first_line(standard)[:11]) == ("STANDARD", "# STANDARD:")


def test_secrets_are_the_values_behind_references_and_of_the_local_file() -> None:
    assert {"tok-123456789", "/srv/private/data"} <= seven_layers().secrets


def test_lower_layers_reach_every_entry_of_servers_and_an_entry_overrides_them() -> None:
    text = """\
packs: [core, fs]
timeouts: {call_sec: 9}
servers:
  files: {command: a, args: ["{sandbox}"], packs: [fs]}
  web: {url: "http://127.0.0.1:9/mcp", version: 2.10}
"""
    found = dict(loaded(text, flags={"bearer": "${T}"}).servers)
    assert list(found) == ["files", "web"]
    assert (found["files"]["packs"], found["web"]["packs"]) == (("fs",), ("core", "fs"))
    assert found["files"]["timeouts.call_sec"] == found["web"]["timeouts.call_sec"] == 9
    assert found["web"]["server.version"] == "2.10"
    assert found["web"]["server.headers"] == {"Authorization": "Bearer ${T}"}
    assert loaded(text, flags={"server": "web"}).one().name == "web"
    with pytest.raises(UsageError, match="did you mean 'web'"):
        loaded(text, flags={"server": "wep"})
    with pytest.raises(UsageError, match="several servers"):
        loaded(text).one()
    assert [prepared.name for prepared in loaded(text).prepared("all")] == ["files", "web"]


def test_a_server_given_beside_servers_is_refused() -> None:
    (line,) = mistakes("servers: {a: {command: x}}\n", flags={"start": "y"})
    assert line.startswith("flag --start: gives a server beside servers (at sealmark.yaml:1:1)")


def test_without_a_server_the_hint_says_what_to_type() -> None:
    with pytest.raises(UsageError, match=r"no server to test \(there is no sealmark\.yaml here\)") as caught:
        load(environ=NOWHERE).one()
    assert "--start" in caught.value.hint
    with pytest.raises(UsageError, match=r"no configuration file 'x\.yaml'"):
        load("x.yaml", environ=NOWHERE)


def test_without_looking_only_a_named_file_is_read() -> None:
    write("server: {command: from-the-file}\n")
    assert load(environ=NOWHERE, look=False).base["server.command"] is None
    assert load("sealmark.yaml", environ=NOWHERE, look=False).base["server.command"] == "from-the-file"


def test_in_a_pipeline_the_ci_profile_is_used_unless_something_else_is_asked_for() -> None:
    def profile(flags: Mapping[str, Any] | None = None, text: str = "", **environ: str) -> str:
        return str(loaded(text, flags, **environ).base["profile"])

    assert profile(CI="true") == profile(CI="1") == "ci"
    assert profile(CI="true", flags={"fail_under": "B"}) == "ci"
    assert profile(CI="false") == profile() == "standard"
    assert profile(CI="true", flags={"out": "x"}) == profile(CI="true", flags={"format": ("json",)}) == "standard"
    assert profile(CI="true", text="profile: quick\n") == profile(CI="true", SEALMARK_PROFILE="quick") == "quick"
    assert any("profile ci" in line for line in loaded("", CI="1").notes)
    assert profile(CI="1", text="output: {out: x.txt}\n") == "standard"
    assert load(environ={**NOWHERE, "CI": "1"}, chosen=Layer(), look=False).base["profile"] == "standard"
    assert assess(loaded("", CI="1").base).standard


def test_older_keys_are_ignored_with_a_warning() -> None:
    found = loaded("retries: {call: 3, connect: 2}\nconcurrency: {packs: 2}\noutput: {interactive: true}\n")
    assert len(found.notes) == 3
    assert found.notes[0].startswith("sealmark.yaml:1:1: retries is ignored: ")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("server: {command: x, args: ['{sandbx}']}\n", "server.args: {sandbx} is no placeholder and stays as it is; did you mean 'sandbox'?"),
        ("server: {command: x, env: {A: '{canary}'}}\n", "server.env A: {canary} stays as it is: it is filled only in probes"),
        ("server: {command: x, args: ['{dsn:root}']}\n", "server.args: {dsn:root} stays as it is; write {dsn:analyst}, {dsn:support}, {dsn:admin}"),
        ("server: {command: x, env: {STORE: /data/m.json}}\n", "server.env STORE points at a real path on this machine; valid calls may read or write it. Use {sandbox}/m.json unless that is meant"),
        ("server: {command: x, args: ['--db=/var/db']}\n", "server.args[0] points at a real path on this machine; valid calls may read or write it. Use {sandbox}/db unless that is meant"),
        ("identities: {a: literal-token}\n", "identities.a is written out; take it from the environment: a: ${TOKEN}"),
        ("packs: [core]\nprobes: [{tool: t, check: mine}]\n", "packs leaves out custom, so the probes with a check are not run; add custom"),
    ],
)  # fmt: skip
def test_what_may_not_be_meant_is_a_warning(text: str, says: str) -> None:
    assert [line.split(": ", 1)[1] for line in loaded(text).warnings] == [says]


def test_a_value_read_as_another_is_noted_once() -> None:
    found = loaded("output: {fail_under: b}\n")
    assert found.base["output.fail_under"] == "B"
    assert found.notes == ("sealmark.yaml:1:22: output.fail_under: 'b' is read as 'B'",)


def test_ordinary_configurations_give_no_warning() -> None:
    text = """\
server:
  command: /usr/bin/node
  args: [/opt/app/dist/server.js, "{sandbox}", "--json={\\"a\\": 1}", "${HOME:-x}", "{dsn:analyst}"]
  env: {PATH: /opt/bin, URL: "https://example.com/a", DATA: "{sandbox}/data"}
"""
    assert loaded(text).warnings == ()


def test_written_numbers_stay_as_written_where_text_is_expected() -> None:
    found = loaded("version: 1.10\nserver: {command: x, env: {PORT: 0080, AT: 12:30, ON: yes}}\n").base
    assert found["server.version"] == "1.10"
    assert found["server.env"] == {"PORT": "0080", "AT": "12:30", "ON": "yes"}


def test_merge_keys_and_anchors_work() -> None:
    text = """\
servers:
  one: &one {command: a, env: {A: "1"}}
  two: {<<: *one, command: b}
"""
    found = dict(loaded(text).servers)
    assert (found["two"]["server.command"], found["two"]["server.env"]) == ("b", {"A": "1"})


def test_deep_nesting_alias_bombs_and_large_files_are_refused_quickly() -> None:
    deep = "a: " + "[" * 5000 + "]" * 5000
    assert any("levels" in says for _, _, says in parse(deep).problems)
    nested = "server: " + "{a: " * (MAX_DEPTH + 2) + "1" + "}" * (MAX_DEPTH + 2)
    assert any(f"{MAX_DEPTH} levels" in says for _, _, says in parse(nested).problems)
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 30))
    problems = parse(bomb).problems
    assert sum(f"more than {MAX_NODES}" in says for _, _, says in problems) == 1
    assert any("levels" in says for _, _, says in parse("a: &a [*a]\n").problems)
    Path("sealmark.yaml").write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(ConfigError, match="larger than"):
        load(environ=NOWHERE)


def test_bytes_that_are_no_text_are_refused_with_their_line() -> None:
    Path("sealmark.yaml").write_bytes(b"name: a\nversion: \xff\n")
    with pytest.raises(ConfigError, match=r"sealmark\.yaml:2:1: not UTF-8"):
        load(environ=NOWHERE)
    Path("sealmark.yaml").write_bytes(b"name: a\x07\n")
    with pytest.raises(ConfigError, match=r"sealmark\.yaml:1:1: not YAML: a control character"):
        load(environ=NOWHERE)
    Path("sealmark.yaml").write_bytes(b"\xef\xbb\xbfname: a\n")
    assert load(environ=NOWHERE).base["server.name"] == "a"


TEXTS = st.text(max_size=12).filter(lambda text: "\0" not in text and "\ud800" not in text)
NAMES = st.text("ab.-_ é\"'{}", min_size=1, max_size=5)


@settings(deadline=None)
@given(
    args=st.lists(TEXTS, max_size=3),
    env=st.dictionaries(st.from_regex(r"[A-Z_]{1,4}", fullmatch=True), TEXTS, max_size=3),
    exclude=st.lists(TEXTS.filter(bool), max_size=3),
    overrides=st.dictionaries(NAMES, st.sampled_from(["path", "text"]).map(lambda cls: {"class": cls}), max_size=2),
    call_sec=st.floats(0.1, 3600) | st.integers(1, 3600),
)
def test_a_configuration_round_trips_through_show(
    tmp_path_factory: pytest.TempPathFactory,
    args: list[str],
    env: dict[str, str],
    exclude: list[str],
    overrides: dict[str, Any],
    call_sec: float,
) -> None:
    file = tmp_path_factory.mktemp("round") / "sealmark.yaml"
    flags = {"start": "program", "timeout_probe": "7"}
    first = load(environ=NOWHERE, flags=flags, look=False).base.replace(
        {
            "server.args": args,
            "server.env": env,
            "tools.exclude": exclude,
            "tools.overrides": overrides,
            "timeouts.call_sec": call_sec,
        }
    )
    masked = as_yaml(first, {}, {}, origins=True)
    file.write_text(masked, "utf-8")
    second = load(file, environ=NOWHERE).base
    secret = {"server.env"} if "<redacted>" in masked else set()
    assert {key: second[key] for key in second if key not in secret | {"server.args"}} == {
        key: first[key] for key in first if key not in secret | {"server.args"}
    }
    assert "<redacted>" in masked or second["server.args"] == first["server.args"]


def test_several_servers_and_own_profiles_round_trip_through_show() -> None:
    text = """\
profile: mine
profiles: {mine: {extends: strict, doc: Ours., timeouts: {pack_sec: 77}, tools: {exclude: [x]}}}
timeouts: {call_sec: 9}
servers:
  files: {command: a, args: ["{sandbox}"], packs: [fs], tools: {exclude: [y]}}
  "odd name": {url: "http://127.0.0.1:9/mcp", headers: {x-a: "${T}"}}
"""
    first = loaded(text)
    shown = as_yaml(first.base, dict(first.servers), first.profiles)
    second = loaded(shown)
    assert [(name, dict(settings)) for name, settings in second.servers] == [
        (name, dict(settings)) for name, settings in first.servers
    ]
    assert dict(second.base) == dict(first.base)


OLD = """\
# our server
name: demo   # shown in reports

retries:
  call: 3
output:
  interactive: true
timeoutProbeSec: 4  # slow machine
notCovered:
  extra:
  - one
timeouts:
    call_sec: 9
"""


def test_migrate_moves_and_removes_lines_and_keeps_comments_and_the_original() -> None:
    write(OLD)
    changes = migrate_file(Path("sealmark.yaml"))
    assert Path("sealmark.yaml.bak").read_text() == OLD
    assert (
        Path("sealmark.yaml").read_text()
        == """\
# our server
schema_version: 1
name: demo   # shown in reports

not_covered:
  extra:
  - one
timeouts:
    probe_sec: 4  # slow machine
    call_sec: 9
"""
    )
    assert len(changes) == 5
    settings = load(environ=NOWHERE).base
    assert (settings["timeouts.probe_sec"], settings["not_covered.extra"]) == (4, ("one",))
    assert migrate_file(Path("sealmark.yaml")) == ()


def test_migrate_never_overwrites_an_original_and_names_what_it_cannot_move() -> None:
    write(OLD)
    write("kept", "sealmark.yaml.bak")
    with pytest.raises(UsageError, match="never overwritten"):
        migrate_file(Path("sealmark.yaml"))
    assert Path("sealmark.yaml").read_text() == OLD
    write("output: {interactive: true, verbosity: quiet}\n")
    with pytest.raises(ConfigError, match=r"sealmark\.yaml:1:10: output\.interactive shares its line with others"):
        migrate_file(Path("sealmark.yaml"))
