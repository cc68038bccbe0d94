"""What gives away the program behind a reply, and what only looks like it."""

import json

import pytest

from sealmark.reading.internals import internals

PYTHON = 'Traceback (most recent call last):\n  File "/app/server.py", line 12, in call\n    return run()\nKeyError: 1'
NODE = "TypeError: x\n    at run (/app/dist/index.js:12:5)\n    at async main (file:///app/dist/main.mjs:3:1)"
JAVA = 'Exception in thread "main" java.lang.IllegalStateException\n\tat com.acme.Server.call(Server.java:42)'
GO = "panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/app/main.go:10 +0x1d"
RUST = "thread 'main' panicked at src/main.rs:4:5:\nboom"
DOTNET = "System.Exception: x\n   at Acme.Server.Call(String a) in /src/Server.cs:line 42"
RUBY = "/app/server.rb:12:in `call': boom (RuntimeError)"
PHP = "PHP Fatal error:  Uncaught Error: x in /app/index.php:12\nStack trace:\n#0 /app/run.php(3): call()\n#1 {main}"
ENVIRONMENT = "PATH=/usr/bin\nHOME=/home/x\nLANG=C"

GIVEN_AWAY = [
    ("trace:python", PYTHON),
    ("trace:python", json.dumps({"error": PYTHON})),
    ("trace:node", NODE),
    ("trace:node", json.dumps(NODE)),
    ("trace:java", JAVA),
    ("trace:go", GO),
    ("trace:rust", RUST),
    ("trace:dotnet", DOTNET),
    ("trace:ruby", RUBY),
    ("trace:php", PHP),
    ("source-path", "error in /app/lib/handlers/read.py:42"),
    ("source-path", 'failed at "/app/lib/read.php" on line 42'),
    ("source-path", "C:\\app\\lib\\read.cs:42"),
    ("environment", ENVIRONMENT),
    ("environment", json.dumps({"PATH": "/usr/bin", "HOME": "/home/x", "LANG": "C"}, indent=1)),
]
NEAR_MISSES = [
    "The file was read.",
    "ENOENT: no such file or directory, open '/srv/a/read.py'",
    "see /srv/a/read.py for more",
    "http://localhost:8080/index.js:80",
    "meet me at Server (Building 4:20)",
    "at 10:30 the job (nightly.sh) ran",
    "goroutine pools are cheap",
    "PATH=/usr/bin",
    "set HOME=/home/x and LANG=C before you start",
    'File "notes.txt" has a line 5',
    "#1 in the charts",
    "",
]


@pytest.mark.parametrize(("kind", "text"), GIVEN_AWAY, ids=lambda item: item[:30])
def test_internals(kind, text):
    assert kind in internals(f"Error:\n{text}\n")


@pytest.mark.parametrize("text", NEAR_MISSES)
def test_near_misses(text):
    assert internals(text) == ()


def test_both_ends_of_a_long_text_are_read():
    filler = "lorem ipsum\n" * 100_000
    assert "trace:python" in internals(filler + PYTHON)
    assert "trace:python" in internals(PYTHON + filler)
