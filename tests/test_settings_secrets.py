"""What counts as secret, and redaction of every usual spelling."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealmark.arrange import server_facts
from sealmark.errors import ConfigError
from sealmark.settings import Origin, Settings
from sealmark.settings.references import resolve, resolve_text
from sealmark.settings.secrets import REDACTED, looks_secret, redact, secret_values, shown

PROJECT = Origin("project", "sealmark.yaml", 4, 9)
LOCAL = Origin("local", "sealmark.local.yaml", 2, 3)
AWKWARD = 's3cr&t "pa/ss"\\wörd+\U0001f389=x\n2'


def spellings(value: str) -> dict[str, str]:
    data = value.encode()
    found = {
        "plain": value,
        "percent": quote(value, safe=""),
        "percent of a path": quote(value),
        "percent lower": quote(value, safe="").lower()
        if value.isascii() and value.islower()
        else quote(value, safe=""),
        "form": quote_plus(value),
        "percent twice": quote(quote(value, safe=""), safe=""),
        "percent all": "".join(f"%{byte:02x}" for byte in data),
        "json": json.dumps(value)[1:-1],
        "json unicode": json.dumps(value, ensure_ascii=False)[1:-1],
        "json in json": json.dumps(json.dumps(value))[1:-1],
        "hex": data.hex(),
        "hex upper": data.hex().upper(),
        "html": value.replace("&", "&amp;").replace('"', "&quot;"),
    }
    for before in range(3):
        whole = base64.b64encode(b"x" * before + data + b"y" * before)
        found[f"base64 after {before}"] = whole.decode()
        found[f"base64url after {before}"] = whole.translate(bytes.maketrans(b"+/", b"-_")).decode()
    return found


@pytest.mark.parametrize("name", sorted(spellings(AWKWARD)))
def test_every_spelling_is_redacted(name: str) -> None:
    spelled = spellings(AWKWARD)[name]
    out = redact(f"before {spelled} after", {AWKWARD})
    assert REDACTED in out
    assert out.startswith("before ")
    assert out.endswith(" after")
    assert len(out) <= len(f"before {REDACTED} after") + 12


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=8, max_size=24), st.text(max_size=10))
def test_no_spelling_of_any_value_survives(value: str, around: str) -> None:
    for spelled in spellings(value).values():
        assert spelled not in redact(around + spelled + around, {value}) or spelled in REDACTED


def test_text_without_the_value_is_left_alone() -> None:
    text = "tok-1234 %41%42 \\u0041 deadbeef QUJDREVG"
    assert redact(text, {"tok-12345", "secret-value"}) == text
    assert redact("a b c", {"abc", "b"}) == "a b c"


def test_longer_values_go_first() -> None:
    assert redact("token-and-more token", {"token", "token-and-more"}) == f"{REDACTED} {REDACTED}"


@pytest.mark.parametrize(
    "name", ["API_KEY", "x-api-key", "GITHUB_TOKEN", "password", "Authorization", "DATABASE_URL", "DSN", "PAT"]
)
def test_names_of_secrets(name: str) -> None:
    assert looks_secret(name)


@pytest.mark.parametrize("name", ["PATH", "KEYBOARD", "MONKEY", "PATTERN", "HOME", "author", "compass"])
def test_names_of_ordinary_values(name: str) -> None:
    assert not looks_secret(name)


def values(given: dict[str, object], origin: Origin = PROJECT, **environ: str) -> frozenset[str]:
    return secret_values(Settings.standard().replace(given, origin), environ)


def test_a_secret_can_be_given_in_many_ways() -> None:
    assert "abcdef123" in values({"server.env": {"A": "${VAR}"}}, VAR="abcdef123")
    assert "abcdef123" in values({"server.env": {"API_KEY": "abcdef123"}})
    assert "abcdef123" in values({"server.env": {"API_KEY": "${VAR:-abcdef123}"}})
    assert "abcdef123" in values({"server.env": {"ANYTHING": "abcdef123"}}, LOCAL)
    assert "abcdef123" in values({"server.headers": {"X-Any": "abcdef123"}})
    assert {"abcdef123", "Bearer abcdef123"} <= values(
        {"server.headers": {"Authorization": "Bearer ${T}"}}, T="abcdef123"
    )
    assert "abcdef123" in values(
        {"server.headers": {"Authorization": "Basic " + base64.b64encode(b"me:abcdef123").decode()}}
    )
    assert "abcdef123" in values({"identities.a": "abcdef123"})
    assert "abcdef123" in values({"server.args": ["--token", "abcdef123"]})
    assert "abcdef123" in values({"server.args": ["--api-key=abcdef123"]})
    assert "abcdef123" in values({"server.args": ['{"password": "abcdef123"}']})
    assert "abcdef123" in values({"server.env": {"DB": "postgres://me:abcdef123@host/db"}})
    assert "abcdef123" in values({"server.url": "https://host/mcp?access_token=abcdef123&x=1"})
    assert "abcdef123" in values({"server.forward": ["ANY"]}, ANY="abcdef123")
    assert "abcdef123" in values({"server.files": [{"path": "{dir}/a", "content": "x=1\nsecret = abcdef123\n"}]})
    assert {"first-line", "other-line"} <= values({"server.env": {"PRIVATE_KEY": "first-line\nother-line"}})


def test_ordinary_values_are_no_secrets() -> None:
    assert (
        values({"server.args": ["-y", "@scope/server", "--port=8080"], "server.env": {"MODE": "test"}}) == frozenset()
    )
    assert values({"server.args": ["{dsn:analyst}", "--token={bearer:a}"]}) == frozenset()
    assert values({"server.transport": "auto", "server.command": "node"}, LOCAL) == frozenset()
    assert values({"server.env": {"TOKENS": "4096", "AUTH": "true"}}) == frozenset()
    assert values({"server.env": {"A": "${UNSET}"}}) == frozenset()


def test_settings_are_shown_without_their_secrets() -> None:
    settings = Settings.standard().replace(
        {
            "server.headers": {"Authorization": "Bearer abcdef123", "X-A": "Bearer ${T}", "X-B": "{bearer}"},
            "server.env": {"API_KEY": "abcdef123", "MODE": "test", "URL": "http://me:abcdef123@h/"},
            "server.args": ["--token", "abcdef123", "--port=80", "--api-key=abcdef123"],
        },
        PROJECT,
    )
    assert shown(settings, "server.headers") == {
        "Authorization": f"Bearer {REDACTED}",
        "X-A": "Bearer ${T}",
        "X-B": "{bearer}",
    }
    assert shown(settings, "server.env") == {"API_KEY": REDACTED, "MODE": "test", "URL": f"http://me:{REDACTED}@h/"}
    assert shown(settings, "server.args") == ("--token", REDACTED, "--port=80", f"--api-key={REDACTED}")
    assert "abcdef123" not in repr(settings.to_record())


def test_references_are_filled_at_run_time_only() -> None:
    settings = Settings.standard().replace(
        {
            "server.command": "node",
            "server.args": ["${A}", "$${A}", "${B:-two}", "${EMPTY:-three}"],
            "server.env": {"K": "v-${A}"},
        }
    )
    filled = resolve(settings, {"A": "one", "EMPTY": ""})
    assert filled["server.args"] == ("one", "${A}", "two", "three")
    assert filled["server.env"] == {"K": "v-one"}
    assert settings["server.env"] == {"K": "v-${A}"}


def test_missing_variables_are_all_named_with_their_positions() -> None:
    settings = Settings.standard().replace(
        {"server.env": {"K": "${A}${B}", "L": "${C:-}"}, "server.args": ["${A}"]}, PROJECT
    )
    with pytest.raises(ConfigError) as caught:
        resolve(settings, {"B": ""})
    assert caught.value.code == "ENV_MISSING"
    assert caught.value.problems == (
        "sealmark.yaml:4:9: server.args needs the variable A, which is not set",
        "sealmark.yaml:4:9: server.env.K needs the variable A, which is not set",
    )
    assert "export A=" in caught.value.hint


@given(st.text(max_size=30))
def test_text_without_references_stays(text: str) -> None:
    missing: list[str] = []
    if "${" not in text:
        assert resolve_text(text, {}, missing) == text
    assert resolve_text(text.replace("${", "$${"), {}, missing).count("${") >= text.count("${") - text.count("$${")
    assert missing == []


def test_a_record_of_how_the_server_was_started_holds_no_secret() -> None:
    settings = Settings.standard().replace(
        {
            "server.command": "node",
            "server.args": ["s.js", "--token", "abcdef123", "{sandbox}"],
            "server.env": {"API_KEY": "abcdef123", "MODE": "test", "T": "${T}"},
        },
        PROJECT,
    )
    facts = server_facts(settings)
    assert facts.command == ("node", "s.js", "--token", REDACTED, "{sandbox}")
    assert facts.env == {"API_KEY": REDACTED, "MODE": "test", "T": "${T}"}
