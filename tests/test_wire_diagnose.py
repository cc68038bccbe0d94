"""What a failed start is called, and what it must not be mistaken for."""

from __future__ import annotations

import time

import pytest

from sealmark.wire.complaints import missing_variables, not_found, refused
from sealmark.wire.diagnose import StartFacts, diagnose

ENV = [
    ("KeyError: 'NOTES_API_KEY'", "NOTES_API_KEY"),
    ("Error: GITHUB_TOKEN environment variable is required", "GITHUB_TOKEN"),
    ("Error: TOKEN environment variable not set", "TOKEN"),
    ("BRAVE_API_KEY is not set", "BRAVE_API_KEY"),
    ("Error: `SLACK_BOT_TOKEN` must be set", "SLACK_BOT_TOKEN"),
    ("Missing required environment variable: DATABASE_URL", "DATABASE_URL"),
    ("Please set SLACK_BOT_TOKEN and start again", "SLACK_BOT_TOKEN"),
    ("Please set the API_KEY environment variable", "API_KEY"),
    ("environment variable 'PORT' is not set", "PORT"),
    ("missing required env var OPENAI_API_KEY", "OPENAI_API_KEY"),
    ('ZodError: [{"code": "invalid_type", "path": [\n  "NOTION_TOKEN"\n], "message": "Required"}]', "NOTION_TOKEN"),
    ("pydantic: 1 validation error for AppSettings\napi_key\n  Field required [type=missing]", "API_KEY"),
]
NOT_ENV = [
    "API is required",
    "KeyError: 'name'",
    "loaded NOTES_API_KEY from the environment",
    "INFO listening on HTTP_PORT 80",
    "HTTP is not set up yet",
    "1 validation error for AppSettings\napi_key\n  Input should be a string",
    "TypeError: path must be set",
]


@pytest.mark.parametrize(("text", "name"), ENV)
def test_missing_variable_is_named(text: str, name: str) -> None:
    assert missing_variables(f"Traceback:\n{text}\n") == (name,)


@pytest.mark.parametrize("text", NOT_ENV)
def test_other_complaints_name_no_variable(text: str) -> None:
    assert missing_variables(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "npm error code E404\nnpm error 404 Not Found - GET https://registry.example/nope",
        "npm ERR! 404  'nope@*' is not in this registry.",
        "npm error code ETARGET\nnpm error notarget No matching version found for left@9.",
        "npm error could not determine executable to run",
        "ERROR: No matching distribution found for nope",
        "  x No solution found when resolving tool dependencies:\n  nope was not found in the package registry",
        "Because there is no version of nope==9 and you require nope==9",
        "An executable named `nope` is not provided by package `yes`.",
        "/usr/bin/python3: No module named nope",
        "python3: can't open file '/srv/nope.py': [Errno 2] No such file or directory",
        "Error: Cannot find module '/srv/nope.js'",
        "sh: 1: nope: not found",
        "bash: line 1: nope: command not found",
    ],
)
def test_what_is_missing_is_said(text: str) -> None:
    assert not_found(text)


@pytest.mark.parametrize(
    "text",
    [
        "ModuleNotFoundError: No module named 'yaml'",
        "Error: Cannot find module 'express'",
        "tool not found",
        "warning: config.yaml: not found, using defaults",
    ],
)
def test_a_server_that_lacks_a_part_of_its_own_is_not_missing(text: str) -> None:
    assert not not_found(text)


def test_refused_credentials() -> None:
    assert refused("HTTP 401 from upstream")
    assert refused("Error: Unauthorized")
    assert not refused("port 4010, 14012 entries, authorized")


EXITED = StartFacts(target="node server.js", outcome="closed", exit_code=1, timeout_sec=30)
SILENT = StartFacts(target="node server.js", outcome="timeout", timeout_sec=30)


def with_(facts: StartFacts, **changes: object) -> StartFacts:
    return StartFacts(**{name: getattr(facts, name) for name in facts.__struct_fields__} | changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("facts", "code", "said", "hinted"),
    [
        (StartFacts(target="nope", spawn_error="No such file or directory"), "TARGET_NOT_FOUND", "nope", "PATH"),
        (EXITED, "TARGET_EXITED", "exited with code 1", "by itself"),
        (with_(EXITED, exit_code=-11), "TARGET_EXITED", "signal 11", "by itself"),
        (with_(EXITED, stderr="KeyError: 'API_KEY'"), "ENV_MISSING", "API_KEY", "--env API_KEY"),
        (with_(EXITED, stderr="sh: 1: nope: not found"), "TARGET_NOT_FOUND", "shell", "start command"),
        (with_(EXITED, stderr="401 Unauthorized"), "HANDSHAKE_AUTH", "credentials", "--env"),
        (with_(EXITED, exit_code=None), "HANDSHAKE_INVALID", "still runs", "stdin"),
        (SILENT, "HANDSHAKE_TIMEOUT", "within 30 s", "--connect-timeout"),
        (with_(SILENT, stderr="API_KEY is not set"), "HANDSHAKE_TIMEOUT", "within 30 s", "--env API_KEY"),
        (with_(SILENT, noise_count=4, noise=(b"hello",)), "STDOUT_NOISE", "hello", "stderr"),
        (with_(SILENT, outcome="limit", limit="session-bytes"), "HANDSHAKE_INVALID", "session-bytes", "JSON-RPC"),
        (
            with_(SILENT, outcome="error", message={"error": {"code": 1, "message": "401"}}),
            "HANDSHAKE_AUTH",
            "refused",
            "--env",
        ),
        (
            with_(SILENT, outcome="error", message={"error": {"code": 1, "message": "no"}}),
            "HANDSHAKE_INVALID",
            '"no"',
            "--protocol",
        ),
        (with_(SILENT, outcome="result", message={"result": [1]}), "HANDSHAKE_INVALID", "[1]", "--protocol"),
    ],
)
def test_each_failure_has_its_code(facts: StartFacts, code: str, said: str, hinted: str) -> None:
    found = diagnose(facts)
    assert found.code == code
    assert said in found.message
    assert hinted in found.hint


def test_only_the_last_lines_of_stderr_are_shown_and_nothing_steers_the_terminal() -> None:
    stderr = "\n".join(f"line {number} \x1b[31m\u202e" for number in range(100))
    found = diagnose(with_(EXITED, target="x\x1b]0;\x07", stderr=stderr))
    assert "\x1b" not in found.message
    assert "\u202e" not in found.message
    assert "line 99 \\x1b[31m\\u202e" in found.message
    assert "line 94 " not in found.message


def test_hostile_stderr_is_read_in_linear_time() -> None:
    for text in ("A_" * 65_000, "env var " * 16_000, "set the " * 16_000, "missing " * 16_000, '"path": [' * 14_000):
        began = time.process_time()
        diagnose(with_(EXITED, stderr=text))
        assert time.process_time() - began < 5
