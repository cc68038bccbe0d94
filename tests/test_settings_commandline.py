"""Command lines taken apart: what starts the server, and what the server itself is told."""

from __future__ import annotations

import shlex

import pytest

from sealmark.settings.commandline import base_name, parts


@pytest.mark.parametrize(
    ("line", "own"),
    [
        ("npx -y @scope/server /a /b", ["/a", "/b"]),
        ("NPX.cmd -y server /a", ["/a"]),
        ("npx -p extra server /a", ["/a"]),
        ("npm exec -- server a", ["a"]),
        ("npx tsx src/index.ts --x", ["--x"]),
        ("uvx --from . server --db x", ["--db", "x"]),
        ("uv run --directory ./x server.py {sandbox}", ["{sandbox}"]),
        ("uv --directory /x run server.py a", ["a"]),
        ("uv tool run server /z", ["/z"]),
        ("uv run python -m server /z", ["/z"]),
        ("/usr/bin/python3.12 -u -m server --root /a", ["--root", "/a"]),
        ("python -c 'print(1)' a", ["a"]),
        ("node --import ./hook.js dist/index.js a", ["a"]),
        ("deno run -A main.ts z", ["z"]),
        ("java -Xmx1g -jar a.jar q", ["q"]),
        ("docker run -i --rm -e TOKEN -v /x:/y image /projects", ["/projects"]),
        ("env A=b npx server z", ["z"]),
        ("cmd /c npx -y server /q", ["/q"]),
        ("my-server --root /data", ["--root", "/data"]),
        ("uvx", []),
        ("npx -y", []),
        ("python -m", []),
    ],
)
def test_what_the_server_itself_is_told(line: str, own: list[str]) -> None:
    words = shlex.split(line)
    assert words[parts(words).own :] == own


def test_places_programs_and_packages_are_told_apart() -> None:
    words = shlex.split("env A=b uv run --directory ./x python server.py y.py")
    found = parts(words)
    assert [words[at] for at in found.programs] == ["env", "uv", "python"]
    assert [words[at] for at in found.places] == ["./x", "server.py"]
    assert found.packages == ()
    assert parts(["npx", "./server"]).packages == (1,)
    assert parts(["docker", "run", "image"]).container
    assert not parts(["npx", "docker-mcp"]).container


def test_a_programs_plain_name() -> None:
    names = ["/usr/bin/python3.12", "C:\\Tools\\NPX.CMD", "node", "pypy3.10", "./python-server"]
    assert [base_name(name) for name in names] == ["python", "npx", "node", "pypy", "python-server"]
