"""Refusals and failures: what real and invented servers answer, and which of the two it is."""

import pytest

from sealmark.reading.failure import failure
from sealmark.reading.refusal import refusal

REFUSALS = [
    ("rule", "Error: Access denied - path outside allowed directories: /srv/x/secret.txt not in /srv/a"),
    ("rule", "Error: Access denied - symlink target outside allowed directories: /srv/x/secret.txt"),
    ("rule", "Path must be within the workspace root"),
    ("rule", "Only SELECT queries are allowed"),
    (
        "rule",
        '{"success": false, "error": "Read-only mode is enabled. Only these operations are allowed: select"}',
    ),
    ("rule", "cannot execute INSERT in a read-only transaction"),
    ("rule", "URL scheme 'file' is not supported. Only http and https are allowed."),
    ("rule", "The host resolves to a private address"),
    ("rule", "Blocked by egress policy"),
    ("rule", "Command 'rm' is not in the allow list"),
    ("rule", "Repository path '/srv/repo2' is outside the allowed repository '/srv/repo'"),
    ("rule", "Path traversal detected"),
    ("rule", "File too large: 10485760 bytes exceeds the maximum of 1048576"),
    ("rule", "Failed to fetch: only public hosts are allowed"),
    ("target", "Fetching loopback addresses is forbidden"),
    ("target", "Refused: http://127.0.0.1:8000/ is not allowed"),
    ("target", "Access to private IP addresses is blocked"),
    ("target", "Command not allowed: 'rm'"),
    ("target", "Ref 'Invalid target: '--output=/srv/x' - cannot start with '-'' did not resolve to an object"),
    ("target", "Error executing command: Command not allowed: touch"),
    ("target", "Error executing command: Unexpected shell operator: |"),
    ("target", "cannot insert multiple commands into a prepared statement"),
    ("target", "Error executing tool git_diff: Invalid target: '--output=/srv/x' - cannot start with '-'"),
    (
        "rule",
        "Refused to fetch http://127.0.0.1:1/robots.txt: it resolves to 127.0.0.1, which is not a public address.",
    ),
    ("target", "Symbolic links are not allowed"),
    ("target", "DELETE statements are not permitted"),
    ("plain", "Access denied"),
    ("target", "Request refused: private addresses are not allowed"),
    ("plain", "This request was rejected."),
    ("plain", "Request refused"),
    ("rule", "错误：只允许访问工作目录内的文件"),
    ("rule", "路径超出允许的目录范围"),
    ("plain", "访问被拒绝"),
]
NO_REFUSALS = [
    "hello, here are the contents of your file",
    "Failed to connect to http://127.0.0.1:8000/: connection refused",
    "The server at 127.0.0.1 refused to connect",
    "connection blocked by proxy",
    "network access is restricted",
    "ENOENT: no such file or directory, open '/srv/a/b'",
    "EACCES: permission denied, open '/etc/shadow'",
    "[Errno 13] Permission denied: '/etc/shadow'",
    "Request to http://127.0.0.1/ failed with status code 403",
    "fetch failed",
    "Allowed directories:\n/srv/a\n/srv/b",
    "Results only include files of this directory",
    "Supported protocols are listed below",
    "Read-only access",
    "Contents of http://127.0.0.1/robots.txt: hello",
    "TypeError: Cannot read properties of undefined (reading 'path') is not allowed here",
    "Successfully wrote only 5 files to the directory",
    "1 row returned",
    "",
]
FAILURES = [
    ("transport", "Failed to fetch http://127.0.0.1:1/: connect ECONNREFUSED 127.0.0.1:1"),
    ("transport", "fetch failed"),
    ("transport", "request to http://x/ failed, reason: getaddrinfo ENOTFOUND x"),
    ("transport", "refused to connect"),
    ("transport", "[Errno -2] Name or service not known"),
    ("transport", "connection blocked by proxy"),
    ("not-found", "ENOENT: no such file or directory, open '/srv/a/b'"),
    ("not-found", "The table does not exist"),
    ("not-found", "Unknown tool: nope"),
    ("not-found", "MCP error -32602: Tool nope not found"),
    ("validation", "MCP error -32602: something else"),
    ("validation", '[{"received": "x", "code": "invalid_enum_value", "options": ["a"]}]'),
    ("not-found", "Ref '--output=/srv/x' did not resolve to an object"),
    ("transport", "The site's robots.txt could not be fetched"),
    ("validation", "1 validation error for read_fileArguments\npath\n  Field required [type=missing]"),
    ("validation", "MCP error -32602: Input validation error: Invalid arguments for tool read_file"),
    ("validation", "'path' is a required property"),
    ("validation", "5 is not of type 'string'"),
    ("validation", "Input should be a valid string"),
    ("permission-os", "EACCES: permission denied, open '/etc/shadow'"),
    ("permission-os", "PermissionError: [Errno 13] Permission denied: '/etc/shadow'"),
    ("permission-os", "open /etc/shadow: permission denied"),
    ("permission-os", "Permission denied (os error 13)"),
    ("not-found", "文件不存在：/srv/a"),
    ("transport", "连接被拒绝"),
    ("timeout", "请求超时"),
    ("timeout", "The command timed out after 10 seconds"),
    ("timeout", "canceling statement: statement cancelled due to statement timeout"),
    ("auth", "Request failed with status code 401"),
    ("auth", "401 Unauthorized"),
    ("auth", "Missing API key"),
    ("upstream", "Upstream returned HTTP 503"),
    ("upstream", "API error: 500 Internal Server Error"),
    ("upstream", "Too Many Requests"),
    ("runtime", "Cannot read properties of undefined (reading 'length')"),
    ("runtime", "'NoneType' object has no attribute 'strip'"),
    ("runtime", "TypeError: expected str, bytes or os.PathLike object, not int"),
    ("runtime", 'The "path" argument must be of type string. Received undefined'),
    ("runtime", "path.split is not a function"),
    ("runtime", "java.lang.NullPointerException"),
    ("runtime", "runtime error: invalid memory address or nil pointer dereference"),
    ("runtime", "read_file() missing 1 required positional argument: 'path'"),
]
NO_FAILURES = [
    "Error: Access denied - path outside allowed directories: /srv/x not in /srv/a",
    "Only SELECT queries are allowed",
    "Everything is fine.",
    "The report covers 404 companies and 500 employees.",
    "",
]


@pytest.mark.parametrize(("kind", "text"), REFUSALS)
def test_refusals(kind, text):
    assert refusal(text).kind == kind, refusal(text)


@pytest.mark.parametrize("text", NO_REFUSALS)
def test_what_is_no_refusal(text):
    assert refusal(text).kind == "", refusal(text)


@pytest.mark.parametrize(("kind", "text"), FAILURES)
def test_failures(kind, text):
    assert failure(text).kind == kind, failure(text)


@pytest.mark.parametrize("text", NO_FAILURES)
def test_what_is_no_failure(text):
    assert failure(text).kind == "", failure(text)


def test_a_failure_word_voids_the_refusal_of_its_own_clause_only():
    assert refusal("connection refused, 127.0.0.1 is not allowed").kind == ""
    assert refusal("connection refused; 127.0.0.1 is not allowed").kind == "target"


def test_a_rule_outranks_a_target_outranks_plain_words():
    assert refusal("Access denied\n'/etc/x' is not allowed").kind == "target"
    assert refusal("Access denied\n'/etc/x' is not allowed\nmust be within the workspace").kind == "rule"


def test_the_words_are_those_of_the_clause_that_decided():
    found = refusal("Sorry. Access to private addresses is blocked. Try another.")
    assert found.words == "Access to private addresses is blocked"
    assert failure("Oops. The command timed out after 3 s.").words == "The command timed out after 3 s"


def test_what_comes_late_in_a_long_text_is_content():
    assert refusal("lorem ipsum\n" * 2_000 + "Access denied").kind == ""
    assert failure("lorem ipsum\n" * 2_000 + "ENOENT").kind == ""
